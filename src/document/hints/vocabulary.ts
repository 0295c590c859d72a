import { AUTH_MODES } from '../../access/security-scheme.ts'
import {
  ACTIONS,
  type EnvelopeFigure,
  type ErrorMeaning,
  FILTER_COMPARISONS,
  type OperationHints,
  type RateLimitFigure,
  type RefusalAnswer,
  type ServiceHints,
  type StatelessReason,
} from '../../contract/hints.ts'
import type { GivenResourceHints } from '../../inference/apply-hints.ts'
import type { HintSchema } from './hint-schema.ts'

/** The same, or `false` for nothing of this kind. */
function orFalse({ description, ...schema }: HintSchema): HintSchema {
  const anyOf = [schema, { const: false }] as const
  return description === undefined ? { anyOf } : { description, anyOf }
}

const TEXT: HintSchema = { type: 'string', title: 'a text' }

const PLACE: HintSchema = {
  type: 'string',
  title: 'a JSON Pointer such as /data, or an empty text for the whole body',
  pattern: '^(/([^~/]|~[01])*)*$',
}

const DURATION: HintSchema = {
  type: 'string',
  title: 'a duration such as 30s or PT30S',
  pattern:
    '^((\\d+(\\.\\d+)?(ms|s|m|h|d))+|P(?!$)(\\d+([.,]\\d+)?[WD])?(T(\\d+([.,]\\d+)?[HMS])+)?)$',
}

/** A name, or several. */
const NAMES: HintSchema = { anyOf: [TEXT, { type: 'array', items: TEXT }] }

/** Property names with any values. */
const VALUES: HintSchema = { type: 'object', additionalProperties: {} }

/** Every figure once: the compiler finds one that is missing. */
const FIGURES: Readonly<Record<EnvelopeFigure, true>> = {
  total: true,
  count: true,
  size: true,
  offset: true,
  page: true,
  pages: true,
  nextPage: true,
  previousPage: true,
  lastPage: true,
  hasMore: true,
  hasPrevious: true,
  isFirst: true,
  isLast: true,
  isEmpty: true,
  nextCursor: true,
  previousCursor: true,
  firstId: true,
  lastId: true,
  event: true,
  selfUrl: true,
  nextUrl: true,
  previousUrl: true,
  firstUrl: true,
  lastUrl: true,
}

const REASONS: Readonly<Record<StatelessReason, true>> = {
  'no-record': true,
  'no-action': true,
  'no-list': true,
  'no-item': true,
  bulk: true,
  search: true,
  'no-id-generator': true,
  'refused-ids': true,
  hint: true,
}

const PAGING: HintSchema = {
  type: 'object',
  description: 'How a client reads the pages of the list.',
  required: ['style'],
  properties: {
    style: {
      title: 'paging style',
      description:
        '`page` counts pages, `offset` counts records, `cursor` continues with a text of an earlier page, `after` after the id of a record.',
      enum: ['page', 'offset', 'cursor', 'after'],
    },
    parameter: { ...TEXT, description: 'The query parameter that selects the page.' },
    size: { ...TEXT, description: 'The query parameter with the most records of a page.' },
    before: {
      ...TEXT,
      description: 'The query parameter with the id of the record that follows the page.',
    },
    first: { type: 'integer', description: 'The number of the first page.', default: 1 },
  },
}

const FILTER: HintSchema = {
  type: 'object',
  required: ['property'],
  properties: {
    property: {
      ...NAMES,
      description:
        'The property, or its place as a JSON Pointer such as /author/id. Of several, one must match; of a list on the way, one item. An object as the value selects by its properties.',
    },
    is: {
      title: 'comparison',
      description:
        'How the property is compared with the value. `after`, `from`, `before` and `to` compare numbers, texts and moments; `from` and `to` include the value. `in`: it equals one of the texts between commas. `on`: it is that moment, or on that day. `exists` and `missing` take a flag. `contains`, `starts` and `ends` compare texts without case.',
      enum: FILTER_COMPARISONS,
      default: 'equal',
    },
    ignored: {
      type: 'array',
      items: {},
      description: 'The values of the parameter that filter nothing, such as `all`.',
    },
    default: {
      description:
        'The value for a request without the parameter. Without it, such a request is not filtered.',
    },
  },
}

const SORT: HintSchema = {
  type: 'object',
  description: 'How the list is sorted, and by which query parameters.',
  properties: {
    by: { ...TEXT, description: 'The parameter that names the property.' },
    direction: { ...TEXT, description: 'The parameter that contains `asc` or `desc`.' },
    values: {
      type: 'object',
      description:
        'The orders that other values of this parameter mean, such as `newest: -created_at`: a property, with `-` before it when the order is descending.',
      additionalProperties: TEXT,
    },
    default: {
      ...TEXT,
      description:
        'The order when a request names none, such as `-created_at`; `{added}`: what was added first, the latest at the top; default: by the ids.',
    },
  },
}

const AFTER: HintSchema = {
  type: 'array',
  description: 'Changes of the record that happen later, on the clock of the sandbox.',
  items: {
    type: 'object',
    required: ['delay', 'set'],
    properties: {
      delay: { ...DURATION, description: 'The time until the change, such as 30s.' },
      set: { ...VALUES, description: 'The values that the change sets.' },
      from: {
        ...VALUES,
        description: 'The values that properties must still have then, or nothing happens.',
      },
    },
  },
}

/** What a refused request is answered. */
const REFUSAL: Readonly<Record<keyof RefusalAnswer, HintSchema>> = {
  status: { type: 'integer', minimum: 400, description: 'The status of the answer.' },
  code: { ...TEXT, description: 'The code of the error, where the document has a place for it.' },
  message: { ...TEXT, description: 'A sentence, which may have placeholders.' },
}

const COLLECTION: HintSchema = {
  type: 'string',
  title: 'the path of a collection such as /products',
  pattern: '^/',
  description: 'The path of the collection, such as /products or /carts/{path.cartId}/lines.',
}

const REFERENCE: HintSchema = {
  type: 'object',
  required: ['in'],
  properties: {
    in: COLLECTION,
    id: { ...TEXT, description: 'The id of the record, such as {body.productId}.' },
    where: {
      ...VALUES,
      description:
        'The values that the record has. Where there is none, the request is not refused.',
    },
    ...REFUSAL,
  },
}

const CONDITION: HintSchema = {
  type: 'object',
  required: ['unless'],
  properties: {
    unless: {
      ...VALUES,
      description:
        'What must hold, by the names that lead to each value, such as record.status or body.amount: the value, a list of which it must be one, or a comparison such as { from: 3 }, with the comparisons of filters.',
    },
    ...REFUSAL,
  },
}

const OTHER_CHANGE: HintSchema = {
  type: 'object',
  required: ['in'],
  properties: {
    in: COLLECTION,
    id: { ...TEXT, description: 'The id of the record that is changed.' },
    where: {
      ...VALUES,
      description:
        'The values that the changed records have. With neither id nor where, a record is added.',
    },
    set: { ...VALUES, description: 'The values that are set in the records.' },
    remove: { const: true, description: 'The records are removed.' },
  },
}

/** The vocabulary of `x-sandbox` on an operation, but for `deprecation`. */
export const OPERATION_VOCABULARY: Readonly<Record<keyof OperationHints, HintSchema>> = {
  resource: orFalse({
    ...TEXT,
    description: 'The name of the resource; false when the operation is stateless.',
  }),
  action: {
    title: 'action',
    description: 'What the operation does to records. `act` is an action on one record.',
    enum: [...ACTIONS, 'stateless'],
  },
  reason: {
    title: 'reason',
    description: 'Why the operation is stateless; `explain` prints it.',
    enum: Object.keys(REASONS),
  },
  record: orFalse({
    ...PLACE,
    description: 'Where the response contains the record, or the list of records.',
  }),
  item: orFalse({ ...PLACE, description: 'Where each item of the list contains the record.' }),
  body: orFalse({ ...PLACE, description: 'Where the request body contains the record.' }),
  part: orFalse({
    ...TEXT,
    description: 'The property of the record whose value the request contains.',
  }),
  ids: orFalse({
    ...TEXT,
    description:
      'Where a request whose path names no record has the ids of those that it is about: a query parameter, or a JSON Pointer in the body such as /ids; in a list of records, that of the id of each, such as /books/isbn. A creation changes the records that it names so.',
  }),
  beside: orFalse({
    type: 'array',
    description: 'The properties of the record that the request has beside it.',
    items: TEXT,
  }),
  list: orFalse({
    type: 'object',
    description:
      'The list in the record that the operation is about, as at /issues/{number}/labels.',
    required: ['property'],
    properties: {
      property: { ...TEXT, description: 'The property of the record.' },
      of: { ...TEXT, description: 'The name of the resource whose records the items show.' },
      change: {
        title: 'change of a list',
        description:
          'What happens to the items that the request names; `clear` removes all. Default: the response shows the list.',
        enum: ['add', 'remove', 'replace', 'clear'],
      },
      sent: {
        ...PLACE,
        description:
          'Where the request has the items, or what names them. Default: the last segment of its path names one.',
      },
    },
  }),
  caller: {
    type: 'boolean',
    description:
      'Whether the record is that of the caller, as at /me: one of the first records, always the same one for the same credential.',
    default: false,
  },
  sentId: orFalse({
    ...TEXT,
    description: 'The property of the record in the request that contains the id.',
  }),
  id: orFalse({
    ...TEXT,
    description: 'The property of the record in this response that contains the id.',
  }),
  views: orFalse({
    type: 'object',
    description:
      'Properties that have another name in this response: the name in the record by the name in the response.',
    additionalProperties: TEXT,
  }),
  paging: orFalse(PAGING),
  envelope: orFalse({
    type: 'object',
    description: 'Figures and links about the page, by their places in the response.',
    additionalProperties: { title: 'figure', enum: Object.keys(FIGURES) },
  }),
  filters: orFalse({
    type: 'object',
    description:
      'How query parameters filter the list, by their names: the property that must be equal, or how it is compared.',
    additionalProperties: { anyOf: [TEXT, FILTER] },
  }),
  sort: orFalse(SORT),
  fields: orFalse({
    ...TEXT,
    description: 'The query parameter that names the properties which the response shows.',
  }),
  expand: orFalse({
    ...TEXT,
    description:
      'The query parameter that names the references which the response shows as the records themselves.',
  }),
  set: orFalse({
    ...VALUES,
    description:
      'The values that the operation sets in the record; `{now}` is the time, `{absent}` no value, `{uuid}` a new UUID. Placeholders such as `{body.quantity}`, `{query.dry}`, `{path.cartId}`, `{record.price}` and `{parent.currency}` are values of the request, the record and the one above it.',
  }),
  from: orFalse({
    ...VALUES,
    description:
      'The values that properties must have before; else the response is a 409. One value or a list for each.',
  }),
  after: orFalse(AFTER),
  refers: orFalse({
    type: 'object',
    description:
      'Records that the request refers to, by the names that placeholders such as {product.price} have for them. One that does not exist is refused.',
    additionalProperties: REFERENCE,
  }),
  refuse: orFalse({
    type: 'array',
    description: 'Conditions without which the operation is refused, in this order.',
    items: CONDITION,
  }),
  also: orFalse({
    type: 'array',
    description: 'What the operation changes, adds or removes in other records.',
    items: OTHER_CHANGE,
  }),
}

const TEMPLATE: HintSchema = {
  type: 'string',
  title: 'a path template such as /books/{bookId}',
  pattern: '^/',
}

/** The vocabulary of `x-sandbox` on a path item, but for `deprecation`. */
export const PATH_VOCABULARY: Readonly<Record<keyof GivenResourceHints, HintSchema>> = {
  resource: orFalse({
    ...TEXT,
    description: 'The name of the resource at this path; false when the path has no records.',
  }),
  collection: {
    ...TEMPLATE,
    description:
      'The path of the collection; default: this path. Its parameters are the parents of the records.',
  },
  item: orFalse({
    ...TEMPLATE,
    description: 'The path of one record; false when no path leads to one.',
  }),
  id: { ...TEXT, description: 'The property of a record that contains its id.' },
  keys: orFalse({
    type: 'array',
    items: TEXT,
    description: 'Further properties by which a path may name a record, such as slug.',
  }),
  hiddenIds: {
    type: 'boolean',
    description: 'Whether no response shows the id, so that only paths contain it.',
    default: false,
  },
  ids: {
    title: 'chooser of ids',
    description: 'Who chooses the id of a new record: `client` when its request has one.',
    enum: ['server', 'client'],
    default: 'server',
  },
  single: {
    type: 'boolean',
    description: 'Whether the path has one record only, such as /settings.',
    default: false,
  },
  caller: orFalse({
    ...TEMPLATE,
    description:
      "The path of a record, such as /users/{id}, of which this path leads to the caller's own; false when it does not.",
  }),
  view: orFalse({
    ...TEXT,
    description: 'The operationId of the operation whose response shows most of a record.',
  }),
  aliases: orFalse({
    type: 'object',
    description:
      'Other paths that lead to the records, each with what its parameters are: the property that has the value, by its name or as a JSON Pointer; true when the sandbox keeps the value with the record; `{owner}` for that parameter of this path. A parameter of this path may be the only record at another path: `{/user}`.',
    additionalProperties: {
      type: 'object',
      additionalProperties: { anyOf: [{ ...TEXT, title: 'a property or true' }, { const: true }] },
    },
  }),
  references: orFalse({
    type: 'object',
    description:
      'The properties that show records of other collections, such as assignee: the name of the resource, or that and the property of requests that names the record.',
    additionalProperties: {
      anyOf: [
        { ...TEXT, title: 'the name of a resource' },
        {
          type: 'object',
          title: '{ of, by }',
          required: ['of', 'by'],
          properties: {
            of: { ...TEXT, description: 'The name of the resource.' },
            by: { ...TEXT, description: 'The property of requests that names the record.' },
          },
        },
      ],
    },
  }),
  unique: orFalse({
    type: 'object',
    description:
      'Properties of which no two records have the same value, with the answer to a request that would give it to a second one; default: the 409, 422 or 400 of the document.',
    additionalProperties: { type: 'object', properties: REFUSAL },
  }),
  subscription: orFalse({
    type: 'object',
    description:
      'The properties of a subscription, by their places as JSON Pointers; false when the records are none. Events are sent to the address of each.',
    required: ['url'],
    properties: {
      url: { ...PLACE, description: 'The address to which events are sent.' },
      events: {
        ...PLACE,
        description:
          'The names of the events: a text, a list of texts, or an object of flags. Default: all events.',
      },
      secret: { ...PLACE, description: 'The secret with which deliveries are signed.' },
      active: {
        ...PLACE,
        description: 'A flag, or a state such as enabled, without which nothing is sent.',
      },
      inactive: { ...PLACE, description: 'A flag with which nothing is sent.' },
    },
  }),
  values: orFalse({
    ...VALUES,
    description:
      'What the service sets in the properties of a new record that the client did not send, by their names or, in objects, by JSON Pointers: a value, `{now}`, `{changed}` (the time of the latest change), `{absent}`, `{self}` (the address of the record), `{path}` (the values in its path, such as acme/api), `{revision}` (the next number, or another text, after each change), `{caller users}` (the record of the caller in the collection users, or its id) or `{count comments}` (how many records the collection below has).',
  }),
}

const COUNT: HintSchema = { type: 'integer', minimum: 1 }

const PLAN: HintSchema = {
  type: 'object',
  required: ['minute', 'day'],
  properties: {
    minute: { ...COUNT, description: 'Requests per minute.' },
    day: { ...COUNT, description: 'Requests per day.' },
  },
}

/** An API key. `plans` are the names that its plan can have; default: any. */
export function keySchema(plans?: readonly string[]): HintSchema {
  const plan: HintSchema = {
    ...(plans ? { title: 'plan', enum: plans } : { title: 'a text', type: 'string' }),
    description: 'The name of the plan.',
  }
  const always: HintSchema = {
    title: 'outcome',
    description: 'The outcome of every request with this key.',
    enum: ['rate-limited', 'day-exhausted', 'banned'],
  }

  const user: HintSchema = {
    anyOf: [{ type: 'integer' }, TEXT],
    title: 'the id of a record',
    description:
      'The id of the record that is the user of the key: the caller at paths such as /me, and the owner of what it creates.',
  }

  return { type: 'object', properties: { plan, always, user } }
}

/** Every member once: the compiler finds one that is missing. */
const MEANINGS: Readonly<Record<ErrorMeaning, true>> = {
  code: true,
  message: true,
  title: true,
  status: true,
  field: true,
  time: true,
  path: true,
  requestId: true,
  success: true,
  none: true,
}

const QUOTA_FIGURES: Readonly<Record<RateLimitFigure, true>> = {
  limit: true,
  remaining: true,
  used: true,
  resetSeconds: true,
  resetEpochSeconds: true,
  resetEpochMilliseconds: true,
  resetDateTime: true,
}

/** The vocabulary of `x-sandbox` on the document. `readServiceHints` has further checks of keys. */
export const SERVICE_VOCABULARY: Readonly<Record<keyof ServiceHints, HintSchema>> = {
  auth: {
    title: 'auth mode',
    description:
      'Which credentials are accepted: `keys` only those of the sandbox, `any` all in a documented form, `off` requires none.',
    enum: AUTH_MODES,
    default: 'any',
  },
  plans: {
    type: 'object',
    description: 'The plans by name. Without plans, there is no quota.',
    additionalProperties: PLAN,
  },
  keys: { type: 'object', description: 'The API keys.', additionalProperties: keySchema() },
  ban: orFalse({
    type: 'object',
    description: 'When a client that does not wait after a 429 is banned; false for never.',
    properties: { refusals: COUNT, seconds: COUNT, factor: COUNT, maxSeconds: COUNT },
  }),
  bodyLimit: {
    ...COUNT,
    description: 'The size limit of a request body in bytes.',
    default: 10_485_760,
  },
  unknownProperties: {
    title: 'treatment',
    description: 'What happens to properties that the schema of a body does not name.',
    enum: ['drop', 'keep'],
    default: 'keep',
  },
  resources: {
    type: 'object',
    description:
      'Hints as of a path, by the path of a collection that the document does not have, such as /books when there is only /books/{id}.',
    additionalProperties: { type: 'object', properties: PATH_VOCABULARY },
  },
  errors: {
    type: 'object',
    description: 'What properties of error bodies contain, by their names.',
    additionalProperties: { title: 'meaning', enum: Object.keys(MEANINGS) },
  },
  rateLimitHeaders: {
    type: 'object',
    description: 'The response headers with the figures of a quota, by their names.',
    additionalProperties: { title: 'figure', enum: Object.keys(QUOTA_FIGURES) },
  },
  deprecation: {
    type: 'object',
    description: 'The deprecation of every operation that has no x-deprecation.',
    properties: {
      date: { description: 'When it was deprecated, such as 2030-12-05.' },
      sunset: { description: 'When it is removed.' },
      successor: { type: 'string', title: 'a path or a URL', description: 'What replaces it.' },
    },
  },
  records: {
    description:
      'The records that each collection starts with, as lists by its name; or the path of a JSON or YAML file with them.',
  },
  inference: {
    type: 'boolean',
    description: 'Whether resources and actions that the hints do not name are inferred.',
    default: true,
  },
  sourceHeader: {
    type: 'boolean',
    description: 'Whether responses say in X-Sandbox-Source what their body is made of.',
    default: true,
  },
}
