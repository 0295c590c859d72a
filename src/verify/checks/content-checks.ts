import type { MediaType, ResponseHeader, Schema, SchemaValidator } from '../../contract/contract.ts'
import { isJson } from '../../contract/is-json.ts'
import { parseText } from '../../contract/parse-text.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { withoutHints } from '../../generate/hinted-values.ts'
import { parseJson } from '../requests/exact-json.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { typeOf } from '../test-data/schema-keywords.ts'
import type { Evaluation, LeftOut } from './check.ts'
import { failure } from './evaluate.ts'

/** Whether the body is valid by the schema of its media type. Only JSON, lines of JSON and texts are checked. */
export function hasBody(response: ProbeResponse, content: readonly MediaType[]): Evaluation {
  if (isWithoutBody(response)) return 'passed'
  const type = mediaTypeOf(response)
  const media =
    content.find(({ mediaType }) => matchesType(type, mediaType)) ??
    content.find(({ mediaType }) => isJson(mediaType))
  const { mediaType, schema, validate, isSequence } = media ?? {}
  if (mediaType === undefined || !schema || !validate) return 'passed'
  if (isSequence) return hasItems(response, { schema, validate })
  if (isCheckedAsJson(type, mediaType, content)) return hasJson(response, { schema, validate })
  if (mediaType === 'text/plain' && typeOf(schema) === 'string') {
    return validate(response.text) ? 'passed' : invalidBody(response, { schema, validate })
  }
  return 'passed'
}

/** Whether a body is JSON by its own type and the documented one, which may be a range, or the document has nothing but JSON. */
function isCheckedAsJson(type: string, documented: string, content: readonly MediaType[]): boolean {
  if (isJson(type)) return isJson(documented) || documented.endsWith('*')
  return isJson(documented) && content.length === 1
}

/** What a body must match. */
interface Expected {
  readonly schema: Schema
  readonly validate: SchemaValidator
}

/** Whether the body is JSON that a validator accepts. */
export function hasJson(response: ProbeResponse, expected: Expected): Evaluation {
  const value = parseJson(response.text)
  if (value === undefined)
    return isSatisfiable(expected) ? failure(response, 'a JSON body') : NO_VALID_BODY
  return expected.validate(value) ? 'passed' : invalidBody(response, expected)
}

/** Whether each line of a sequence is valid: JSON Lines, NDJSON or a JSON text sequence (RFC 7464). */
function hasItems(response: ProbeResponse, expected: Expected): Evaluation {
  const lines = response.text
    .split('\n')
    .map(withoutSeparator)
    .filter((line) => /^\s*[[{"\d]/.test(line))
  for (const line of lines) {
    const value = parseJson(line)
    if (value === undefined) return failure(response, 'a JSON text on each line')
    if (!expected.validate(value)) return invalidBody(response, expected)
  }
  return 'passed'
}

/** Without the character that begins each text of a JSON text sequence. */
function withoutSeparator(line: string): string {
  return line.startsWith('\u{1e}') ? line.slice(1) : line
}

/** Nothing can be expected of a service by a schema that no value matches, such as a `oneOf` of equal branches. */
function invalidBody(response: ProbeResponse, expected: Expected): Evaluation {
  const { errors } = expected.validate
  return isSatisfiable(expected)
    ? failure(response, describeErrors('body', errors ?? []))
    : NO_VALID_BODY
}

const NO_VALID_BODY: LeftOut = {
  leftOut: 'no value was found that the schema of the body allows',
}

const satisfiable = new WeakMap<SchemaValidator, boolean>()

function isSatisfiable({ schema, validate }: Expected): boolean {
  const known = satisfiable.get(validate)
  if (known !== undefined) return known
  const request = { schema, validate, seed: 'verify', now: 0, place: 'body' }
  const { isValid } = generateValue(request, { makeHinted: withoutHints })
  satisfiable.set(validate, isValid)

  return isValid
}

/** Whether no response can have a body of the media type. */
function isImpossible({ schema, validate }: MediaType): boolean {
  return schema !== undefined && validate !== undefined && !isSatisfiable({ schema, validate })
}

/** Whether the media type is documented. Every JSON media type counts as JSON. */
export function hasDocumentedType(
  response: ProbeResponse,
  content: readonly MediaType[],
): Evaluation {
  if (isWithoutBody(response)) return 'passed'
  if (response.text === '' && content.every(isImpossible)) return NO_VALID_BODY
  const type = mediaTypeOf(response)
  const documented = content.map(({ mediaType }) => mediaType)
  // Some documents have other words there, which no response can have.
  if (documented.some((one) => one !== '*' && !one.includes('/'))) return 'passed'
  const isExpected = documented.some(
    (one) => matchesType(type, one) || (isJson(one) && isJson(type)),
  )
  return isExpected
    ? 'passed'
    : failure(response, `Content-Type: ${documented.join(' or ')}`, type || 'no Content-Type')
}

/** Whether HTTP allows no body, whatever the document says (RFC 9110, sections 6.4.1 and 15.3.6). */
function isWithoutBody({ status }: ProbeResponse): boolean {
  return status === 204 || status === 205 || status === 304
}

/** The media type of a response, in lower case and without parameters; empty when there is none. */
function mediaTypeOf({ headers }: ProbeResponse): string {
  const [type = ''] = (headers.get('Content-Type') ?? '').split(';')
  return type.trim().toLowerCase()
}

/** Whether a media type is that of the document, or in its range, such as `image/*`. */
function matchesType(type: string, documented: string): boolean {
  if (documented === '*/*' || documented === '*') return type !== ''
  return documented.endsWith('/*') ? type.startsWith(documented.slice(0, -1)) : type === documented
}

/** Whether a header is present and valid. */
export function hasHeader(
  response: ProbeResponse,
  { name, validate, schema }: ResponseHeader,
): Evaluation {
  const text = response.headers.get(name)
  if (text === null) return failure(response, `the header ${name}`, 'the header is missing')
  // Retry-After may be a date, too (RFC 9110, section 10.2.3).
  const isDate = /^retry-after$/i.test(name) && /[a-z]/i.test(text)
  if (isDate && !Number.isNaN(Date.parse(text))) return 'passed'
  // The texts of lists and objects can have several meanings.
  if (['array', 'object'].includes(typeOf(schema) ?? '')) return 'passed'

  return validate(parseText(text, schema)) || validate(text)
    ? 'passed'
    : failure(response, describeErrors(name, validate.errors ?? []), `${name}: ${text}`)
}
