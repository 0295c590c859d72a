import type { ApiOperation } from './api.ts'
import { JsonNumber, readJson } from './json.ts'
import type { Id } from './record.ts'
import { type FuzzRequest, headerOf } from './request.ts'
import { acceptValue, type Schema, withDefaults } from './schema.ts'

const BODY_LIMIT = 1024 * 1024

/** Why a request is refused. */
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

/** Whether a path is one of a template's. */
export function isPathOf(template: string, path: string): boolean {
  const steps = path.split('/')
  const wanted = template.split('/')
  const isStep = (step: string, at: number): boolean =>
    step.startsWith('{') ? steps[at] !== '' : steps[at] === step

  return steps.length === wanted.length && wanted.every(isStep)
}

/** A path parameter that cannot be names no resource. */
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

/** A parameter's value. Integers have one spelling; `undefined` for what the schema does not have. */
export function parameterValue(schema: Schema, text: string): unknown {
  if (text === '') return undefined
  if (schema.type !== 'integer') return acceptValue(schema, text)
  return /^-?(?:0|[1-9]\d*)$/.test(text) ? acceptValue(schema, new JsonNumber(text)) : undefined
}

/** The body as the service keeps it. */
export function readBody(
  { action }: ApiOperation,
  { types, schema }: NonNullable<ApiOperation['body']>,
  request: FuzzRequest,
): unknown {
  const { body = new Uint8Array() } = request
  const type = headerOf(request, 'content-type')
  const encoding = headerOf(request, 'content-encoding') ?? 'identity'
  const isMissing = type === undefined && body.length > 0
  if (encoding.toLowerCase() !== 'identity' || !isOneOf(types, type)) {
    throw new ExpectedProblem(415, 'unsupported_media_type')
  }
  if (body.length > BODY_LIMIT) throw new ExpectedProblem(413, 'payload_too_large')
  if (isMissing) throw new ExpectedProblem(415, 'unsupported_media_type')
  const json = body.length > 0 ? readJson(body) : undefined
  const value = json === undefined ? undefined : acceptValue(schema, json)
  if (value === undefined) throw new ExpectedProblem(400, 'invalid_request')

  return action === 'update' ? value : withDefaults(schema, value)
}

/** RFC 9110, section 8.3.1: names in any case, spaces around the semicolon; text in another charset than UTF-8 is none of ours. */
function isOneOf(types: readonly string[], sent: string | undefined): boolean {
  if (sent === undefined) return true
  const [type = '', ...parameters] = sent
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return types.includes(type) && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))
}
