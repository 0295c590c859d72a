import type { ValueLimit } from '../http/body-limits.ts'
import { MAX_BODY_DEPTH, sizeOfJson } from '../http/body-limits.ts'
import type { CoreRequest } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import { type InputError, problems } from '../http/problem.ts'
import type { MediaType, RequestBody } from './contract.ts'
import type { FoundNumber } from './json.ts'
import { invalidBody, isJson, parseExactJson } from './json.ts'
import { isObjectSchema } from './schema.ts'

/** The size limit of a body in bytes, where the document does not say another one. */
export const MAX_BODY_BYTES: number = 10 * 1024 * 1024

/** The range of the integers that JavaScript holds exactly, as text. */
export const EXACT_RANGE: string = `from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`

/** The error of a number that JavaScript cannot hold exactly, in the value at `root`. */
export function inexactError(root: string, { location, text }: FoundNumber): InputError {
  return {
    location: root + location,
    message: `must be a number that JavaScript holds exactly, integers ${EXACT_RANGE}; ${text.slice(0, 40)} would be altered`,
  }
}

/** The `Content-Type` of a request. */
export interface SentType {
  /** In lower case and without parameters. */
  readonly mediaType: string
  /** The parameters by their names in lower case, such as `charset`. */
  readonly parameters: ReadonlyMap<string, string>
}

/** A parameter of a media type (RFC 9110, section 5.6.6). */
const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g

export function parseContentType(text: string): SentType {
  const [mediaType = ''] = text.split(';')
  const parameters = new Map<string, string>()
  if (text.includes(';'))
    for (const [, name = '', quoted, plain = ''] of text.matchAll(PARAMETER))
      parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain)

  return { mediaType: mediaType.trim().toLowerCase(), parameters }
}

/** The content that a body accepts in each media type. */
export function contentOfBody({
  content,
  mediaTypes,
  schema,
  validate,
}: RequestBody): readonly MediaType[] {
  return content ?? mediaTypes.map((mediaType) => ({ mediaType, schema, validate }))
}

/**
 * The documented content for a media type: that of the same one (with the same parameters, if several differ only in these), else
 * that of a range, such as `image/*`. A service that documents `application/json` need not know `application/vnd.api+json`.
 */
export function chooseContent(
  contents: readonly MediaType[],
  { mediaType, parameters }: SentType,
): MediaType | undefined {
  const same = contents.filter((content) => content.mediaType === mediaType)
  if (same.length > 1) {
    const exact = same.find(({ contentType = '' }) => {
      const documented = parseContentType(contentType).parameters
      return (
        documented.size > 0 &&
        [...documented].every(([name, value]) => parameters.get(name) === value)
      )
    })
    if (exact) return exact
  }
  const [type = ''] = mediaType.split('/')

  return (
    same[0] ??
    contents.find((content) => content.mediaType === `${type}/*`) ??
    contents.find((content) => content.mediaType === '*/*' || content.mediaType === '*') ??
    (isJson(mediaType) ? contents.find(hasUnnamedForm) : undefined)
  )
}

/** Whether a document describes an object, but not the form in which it is sent: clients send it as JSON. */
function hasUnnamedForm({ mediaType, schema }: MediaType): boolean {
  const saysNoForm = mediaType === 'application/octet-stream' || mediaType === 'text/plain'
  return saysNoForm && schema !== undefined && isObjectSchema(schema)
}

/** The 415 of a body that the operation does not accept; `undefined` when it accepts it. */
export function mediaTypeProblem(
  { mediaTypes }: RequestBody,
  request: CoreRequest,
  type: SentType,
  content: MediaType | undefined,
): Problem | undefined {
  const coding = request.header('content-encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') {
    return problems.unsupportedMediaType(
      `The body must not have a content coding (got Content-Encoding: ${coding}).`,
    )
  }
  if (content && isDecodable(type)) return undefined
  const sent = request.header('content-type') ?? 'none'

  return problems.unsupportedMediaType(
    `The Content-Type of the body must be ${mediaTypes.join(' or ')} (got ${sent}).`,
  )
}

/** JSON and forms are UTF-8 (RFC 8259, section 8.1). Other texts may have any character encoding that is known here. */
function isDecodable({ mediaType, parameters }: SentType): boolean {
  const charset = parameters.get('charset') ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return true
  if (isJson(mediaType) || !/^text\/|[/+]xml$/.test(mediaType)) return false
  try {
    return new TextDecoder(charset).fatal === false
  } catch {
    return false
  }
}

/** The value of a JSON text, with exact numbers; `undefined` when it is not JSON or nested too deeply. Throws a 413 for too many values. */
export function parseJsonText(text: string, limit: ValueLimit): unknown {
  const { values, excess } = sizeOfJson(text, { levels: MAX_BODY_DEPTH, values: limit.left })
  if (excess === 'levels') return undefined
  limit.countJson(text, values)
  try {
    return parseExactJson(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** UTF-8 text as it is, other bytes as one character each. */
export function bytesToString(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return characters(bytes)
  }
}

/** A function takes a limited number of arguments. */
const CHUNK = 8192

function characters(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  }
  return text
}

/** Throws a 400 for bytes that are no text in this character encoding. */
export function decodeText(bytes: Uint8Array, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    throw invalidBody(`must be valid ${charset.toUpperCase()}`)
  }
}
