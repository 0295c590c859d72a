import {
  ACTIONS,
  type EnvelopeFigure,
  FILTER_COMPARISONS,
  type OperationHints,
  type StatelessReason,
} from '../../contract/hints.ts'
import type { HintSchema } from './hint-schema.ts'
import { CODES, FAILURES, orFalse, PLACE, REFUSAL, TEXT, VALUES } from './shared-vocabulary.ts'

const DURATION: HintSchema = {
  type: 'string',
  title: 'a duration such as 30s or PT30S',
  pattern:
    '^((\\d+(\\.\\d+)?(ms|s|m|h|d))+|P(?!$)(\\d+([.,]\\d+)?[WD])?(T(\\d+([.,]\\d+)?[HMS])+)?)$',
}

/** A name, or several. */
const NAMES: HintSchema = { anyOf: [TEXT, { type: 'array', items: TEXT }] }

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
  id: true,
  ids: true,
  event: true,
  listName: true,
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
  mixed: true,
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
    offset: {
      ...TEXT,
      description:
        'The query parameter with the number of records before the page, for requests that do not have `parameter`.',
    },
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
        'How the property is compared with the value. `after`, `from`, `before` and `to` compare numbers, texts and moments; `from` and `to` include the value. `in`: it equals one of the texts between commas. `on`: it is that moment, or on that day. `exists` and `missing` take a flag. `contains`, `starts` and `ends` compare texts without case. `expression`: the value compares properties of the record; another text is searched in those of `property`. `labels`: it compares the values in an object, such as `env=prod,!old`.',
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
    values: {
      type: 'object',
      description:
        'What values of the parameter select, such as `unapproved: { approved: { not: true } }`: by properties a value, a comparison, or `{absent}`. Others are compared with `property`.',
      additionalProperties: { type: 'object', additionalProperties: {} },
    },
    unknown: {
      title: 'unknown value',
      description: 'What a value selects that no record has. Without it, it selects nothing.',
      enum: ['all'],
    },
    of: {
      ...TEXT,
      description:
        'The collection whose records the values name. With `unknown`, a value that names one of them selects what has it, though it is nothing.',
    },
    members: {
      ...TEXT,
      description:
        'The collection of members below the record that the value names. `property` must be the id of one of them.',
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

const COLLECTION: HintSchema = {
  type: 'string',
  title: 'the path of a collection such as /products',
  pattern: '^/',
  description:
    'The path of the collection, such as /products or /carts/{cartId}/lines. A parameter is that of the path of the request; others are placeholders, such as {body.cartId}.',
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
    each: {
      ...TEXT,
      description: 'A list of the request, such as {body.lines}. A record is added of each item.',
    },
    set: { ...VALUES, description: 'The values that are set in the records.' },
    remove: { const: true, description: 'The records are removed.' },
  },
}

/** What a case of an operation may say. */
const CASE_VOCABULARY: Readonly<Record<Exclude<keyof OperationHints, 'cases'>, HintSchema>> = {
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
  query: orFalse({
    type: 'object',
    description:
      'Query parameters with values that the record gets: the property by the name of the parameter.',
    additionalProperties: TEXT,
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
      removed: {
        ...PLACE,
        description:
          'Where a request that adds items also has those that it removes. Default: it removes none.',
      },
    },
  }),
  caller: {
    type: 'boolean',
    description:
      'Whether the record is that of the caller, as at /me: one of the first records, always the same one for the same credential.',
    default: false,
  },
  content: {
    type: 'boolean',
    description:
      'Whether the request has a file, which is kept with the record, or the response is that file, as at /files/{id}/content.',
    default: false,
  },
  trash: orFalse({
    enum: ['move', 'shown', 'restore'],
    description:
      'What the operation does with the trash: a removal moves its record there, an action restores it, or the operation is about the records there (shown).',
  }),
  members: orFalse({
    ...TEXT,
    description:
      'The name of the resource of members, such as that of /teams/{id}/members: a list shows the records of which the caller is one.',
  }),
  mark: orFalse({
    type: 'object',
    description:
      'A mark that each caller may put on records, such as a star: the operation is about the records that the caller has marked, unless it changes the mark.',
    required: ['name'],
    properties: {
      name: { ...TEXT, description: 'What the records are then, such as starred.' },
      change: {
        title: 'change of a mark',
        description: 'Whether the caller marks the record or takes the mark back.',
        enum: ['add', 'remove'],
      },
      flag: { ...TEXT, description: 'The property that tells whether the caller has marked it.' },
      count: { ...TEXT, description: 'The property that counts the callers who have marked it.' },
      by: {
        ...TEXT,
        description:
          'The name of the resource whose records are the callers. Default: each credential is one.',
      },
      of: {
        ...TEXT,
        description:
          'The path parameter that names one of these records, whose marks a list is about. Default: it is about those of the caller.',
      },
    },
  }),
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
      'The query parameter, or the place in the body such as /expand, that names the references which the response shows as the records themselves.',
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
  where: orFalse({
    ...VALUES,
    description:
      'The values that the records of a list have, such as { owner: "{caller.id}" }. A placeholder without a value selects none.',
  }),
  answer: orFalse({
    ...VALUES,
    description:
      'What the response has besides the record, such as { ok: true, error: "{absent}" }. Objects are merged.',
  }),
  streams: orFalse({
    ...NAMES,
    description:
      'The names of the resources whose changes the operation streams as server-sent events; false when it answers with a list of events that ends.',
  }),
  failures: orFalse(FAILURES),
  codes: orFalse(CODES),
}

/** The vocabulary of `x-sandbox` on an operation, but for `deprecation`. */
export const OPERATION_VOCABULARY: Readonly<Record<keyof OperationHints, HintSchema>> = {
  ...CASE_VOCABULARY,
  cases: orFalse({
    type: 'array',
    description:
      'What the operation does when its request says so, such as by the name of a method. The first case that holds counts.',
    items: {
      type: 'object',
      required: ['when'],
      properties: {
        when: {
          ...VALUES,
          description:
            'What must hold, such as { body.method: thing.create }: the value, one of a list, or a comparison.',
        },
        ...CASE_VOCABULARY,
      },
    },
  }),
}
