import { AUTH_MODES } from '../../access/security-scheme.ts'
import type { ErrorMeaning, RateLimitFigure, ServiceHints } from '../../contract/service-hints.ts'
import { type HintSchema, orFalse } from './hint-schema.ts'
import { PATH_VOCABULARY } from './path-vocabulary.ts'

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

  return { type: 'object', required: ['plan'], properties: { plan, always } }
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

const FIGURES: Readonly<Record<RateLimitFigure, true>> = {
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
    additionalProperties: { title: 'figure', enum: Object.keys(FIGURES) },
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
    type: 'object',
    description:
      'The records that each collection starts with, by its name; or a $ref to a JSON or YAML file with them.',
    additionalProperties: { type: 'array', items: { type: 'object', additionalProperties: {} } },
  },
  inference: {
    type: 'boolean',
    description: 'Whether resources and actions that the hints do not name are inferred.',
    default: true,
  },
}
