import { AUTH_MODES } from '../../access/security-scheme.ts'
import type { ErrorMeaning, RateLimitFigure, ServiceHints } from '../../contract/hints.ts'
import type { GivenResourceHints } from '../../inference/apply-hints.ts'
import type { HintSchema } from './hint-schema.ts'
import { CODES, FAILURES, orFalse, PLACE, REFUSAL, TEXT, VALUES } from './shared-vocabulary.ts'

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
    description:
      'Further properties by which a path may name a record, such as slug, or as JSON Pointers.',
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
  idExample: orFalse({
    ...TEXT,
    description: 'An id of another record. Ids of new records look like it.',
  }),
  callerId: orFalse({
    ...TEXT,
    description: "The text by which paths name the caller's own record, such as me.",
  }),
  idWords: orFalse({
    type: 'object',
    description:
      'Texts by which paths name a record that has another id, such as `latest: "{added}"`, the one that was added last, and `default: is_default`, the first one that has this flag, or else the first one.',
    additionalProperties: TEXT,
  }),
  renames: {
    type: 'boolean',
    description:
      'Whether a client can change the id that it chose. The record is then found by both.',
    default: false,
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
  later: {
    type: 'boolean',
    description: 'Whether handlers may schedule changes of the records.',
    default: false,
  },
  schema: orFalse({
    ...TEXT,
    description:
      'The name of the schema of a record in components.schemas, where no response shows it.',
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
      'The properties that show records of other collections, such as assignee: the name of the resource, or that and the property of requests that names the record. An empty name stands for the record itself.',
    additionalProperties: {
      anyOf: [
        { ...TEXT, title: 'the name of a resource' },
        {
          type: 'object',
          title: '{ of, by, shows }',
          required: ['of', 'by'],
          properties: {
            of: { ...TEXT, description: 'The name of the resource.' },
            by: { ...TEXT, description: 'The property of requests that names the record.' },
            shows: {
              ...TEXT,
              description:
                'The property of the record whose value is shown, such as name; default: the record.',
            },
          },
        },
      ],
    },
  }),
  idReferences: orFalse({
    type: 'object',
    description:
      'Where the records have ids of records of other collections: properties, and places in objects and lists such as /lines/sku_id, with the names of the resources.',
    additionalProperties: { ...TEXT, title: 'the name of a resource' },
  }),
  within: orFalse({
    type: 'object',
    description:
      'The resources whose records parameters of the path name, by the names of the parameters, where those have another path: `{ project: projects }` at /flags/{project}.',
    additionalProperties: { ...TEXT, title: 'the name of a resource' },
  }),
  shownOnce: orFalse({
    type: 'array',
    items: TEXT,
    description:
      'Properties such as a secret that only the responses show which create the record or replace the value.',
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
          'The names of the events: a text, a list of texts, or an object of flags; an empty text is for the flags of the record itself, such as push_events. Default: all events.',
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
      'What the service sets in the properties of a new record that the client did not send, by their names or, in objects, by JSON Pointers: a value, `{now}`, `{changed}` (the time of the latest change), `{absent}`, `{self}` (the address of the record), `{path}` (the values in its path, such as acme/api), `{revision}` (the next number, or another text, after each change), `{caller users}` (the record of the caller in the collection users, or its id) `{slug name}` (the property name in lower case with hyphens) `{count comments}` (how many records the collection below has) or `{records comments}` (these records). With `while` in it, such as `{now while state=closed}`, a time or the caller is there only in that state of the record, and a count is that of the records in it. The name `*` with `{absent}` is about all that the schema does not require and nobody has set.',
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
      'The id of the record that is the user of the key, or its path such as /accounts/7: the caller at paths such as /me, and the owner of what it creates.',
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
  failures: FAILURES,
  codes: CODES,
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
