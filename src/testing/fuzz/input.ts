import type { ApiOperation } from './api.ts'
import { JsonNumber, readJson } from './json.ts'
import type { Id } from './record.ts'
import { type FuzzRequest, headerOf } from './request.ts'
import { acceptValue, type Schema, withDefaults } from './schema.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** The problem with which a request must be refused. */
export class ExpectedProblem {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** Whether a path matches a template. */
export function matchesTemplate(template: string, path: string): boolean {
  const segments = path.split('/')
  const expected = template.split('/')
  const isMatch = (segment: string, index: number): boolean =>
    segment.startsWith('{') ? segments[index] !== '' : segments[index] === segment

  return segments.length === expected.length && expected.every(isMatch)
}

/** The id in a path. An invalid id leads to 404. */
export function pathId(schema: Schema, path: string): Id {
  const sent = path.slice(path.lastIndexOf('/') + 1)
  const value = parameterValue(schema, decoded(sent))
  if (typeof value === 'number' || typeof value === 'string') return value
  throw new ExpectedProblem(404, 'not_found')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The value of a parameter; `undefined` for an invalid one. Integers have one valid spelling. */
export function parameterValue(schema: Schema, text: string): unknown {
  if (text === '') return undefined
  if (schema.type !== 'integer') return acceptValue(schema, text)
  return /^-?(?:0|[1-9]\d*)$/.test(text) ? acceptValue(schema, new JsonNumber(text)) : undefined
}

/** The body as the service stores it. */
export function readBody(
  { action }: ApiOperation,
  { types, schema }: NonNullable<ApiOperation['body']>,
  request: FuzzRequest,
): unknown {
  const { body = new Uint8Array() } = request
  const type = headerOf(request, 'content-type')
  const encoding = headerOf(request, 'content-encoding') ?? 'identity'
  const isMissing = type === undefined && body.length > 0
  if (encoding.toLowerCase() !== 'identity' || !isSupportedType(types, type)) {
    throw new ExpectedProblem(415, 'unsupported_media_type')
  }
  if (body.length > MAX_BODY_BYTES) throw new ExpectedProblem(413, 'payload_too_large')
  if (isMissing) throw new ExpectedProblem(415, 'unsupported_media_type')
  const json = body.length > 0 ? readJson(body) : undefined
  const value = json === undefined ? undefined : acceptValue(schema, json)
  if (value === undefined) throw new ExpectedProblem(400, 'invalid_request')

  return action === 'update' ? value : withDefaults(schema, value)
}

/** Media types are case-insensitive and may have spaces around semicolons (RFC 9110, section 8.3.1). Only UTF-8 is supported. */
function isSupportedType(types: readonly string[], sent: string | undefined): boolean {
  if (sent === undefined) return true
  const [type = '', ...parameters] = sent
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return types.includes(type) && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))
}
