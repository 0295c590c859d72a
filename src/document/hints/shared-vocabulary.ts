import type { RefusalAnswer } from '../../contract/hints.ts'
import type { HintSchema } from './hint-schema.ts'

// What several kinds of hints have in their vocabulary.

/** The same, or `false` for nothing of this kind. */
export function orFalse({ description, ...schema }: HintSchema): HintSchema {
  const anyOf = [schema, { const: false }] as const
  return description === undefined ? { anyOf } : { description, anyOf }
}

export const TEXT: HintSchema = { type: 'string', title: 'a text' }

export const PLACE: HintSchema = {
  type: 'string',
  title: 'a JSON Pointer such as /data, or an empty text for the whole body',
  pattern: '^(/([^~/]|~[01])*)*$',
}

/** Property names with any values. */
export const VALUES: HintSchema = { type: 'object', additionalProperties: {} }

/** What a refused request is answered. */
export const REFUSAL: Readonly<Record<keyof RefusalAnswer, HintSchema>> = {
  status: { type: 'integer', minimum: 400, description: 'The status of the answer.' },
  code: { ...TEXT, description: 'The code of the error, where the document has a place for it.' },
  message: { ...TEXT, description: 'A sentence, which may have placeholders.' },
}

/** How errors are answered that are no errors of HTTP. */
export const FAILURES: HintSchema = {
  type: 'object',
  description:
    'How errors are answered that are no errors of HTTP, but for spent quotas and broken servers: with a status, and a body that has placeholders such as {error.code}, {error.message}, {error.status}, {error.field} and {body.id}.',
  required: ['body'],
  properties: {
    status: { type: 'integer', minimum: 200, description: 'The status.', default: 200 },
    body: { ...VALUES, description: 'The body.' },
  },
}

export const CODES: HintSchema = {
  type: 'object',
  description:
    'The codes of errors by those of the sandbox, such as { not_found: resource_missing }.',
  additionalProperties: { anyOf: [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER }, TEXT] },
}
