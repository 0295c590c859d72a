import type { ValueLimit } from '../http/body-limits.ts'
import type { CoreRequest } from '../http/message.ts'
import { type InputError, problems } from '../http/problem.ts'
import type { RequestBody, ValidationTime } from './contract.ts'
import { type FoundNumber, findInexactNumber } from './inexact-number.ts'
import { type NormalizeOptions, normalize } from './normalize.ts'
import { parseJson } from './parse-json.ts'
import { isValidIn } from './schema.ts'
import { toInputErrors } from './validation-errors.ts'

/** The size limit of a body in bytes, where the document does not say another one. */
export const MAX_BODY_BYTES: number = 10 * 1024 * 1024

/** The range of the integers that JavaScript holds exactly, as text. */
export const EXACT_RANGE: string = `from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`

/** Checks the body and returns its value. Throws a 400, 413 or 415. */
export async function parseBody(
  { schema, validate, required, mediaTypes }: RequestBody,
  bytes: Uint8Array,
  request: CoreRequest,
  {
    limit,
    time,
    ...options
  }: NormalizeOptions & { readonly limit: ValueLimit; readonly time: ValidationTime },
): Promise<unknown> {
  if (bytes.length === 0) {
    if (required)
      throw problems.invalidInput([
        { location: 'body', keyword: 'required', message: 'is required' },
      ])
    return undefined
  }
  if (request.header('content-type') === undefined) {
    throw problems.unsupportedMediaType(expected(mediaTypes, 'none'))
  }
  const value = normalize(schema, await parseJson(bytes, limit), 'body', options)
  const inexact = findInexactNumber(value)
  if (inexact) throw problems.invalidInput([inexactError('body', inexact)])
  if (!isValidIn(time, validate, value))
    throw problems.invalidInput(toInputErrors('body', validate.errors ?? []))

  return value
}

/** Throws a 415 for a media type that the operation does not accept, and for a body with a content coding. */
export function checkMediaType({ mediaTypes }: RequestBody, request: CoreRequest): void {
  const encoding = request.header('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw problems.unsupportedMediaType(
      `The body must not have a content coding (got Content-Encoding: ${encoding}).`,
    )
  }
  const type = request.header('content-type')
  if (type === undefined || mediaTypes.includes(type)) return
  const [mediaType = '', ...parameters] = type.toLowerCase().split(';')
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (!mediaTypes.includes(mediaType.trim()) || !isUtf8) {
    throw problems.unsupportedMediaType(expected(mediaTypes, type))
  }
}

/** The error of a number that JavaScript cannot hold exactly, in the value at `root`. */
export function inexactError(root: string, { location, text }: FoundNumber): InputError {
  return {
    location: root + location,
    message: `must be a number that JavaScript holds exactly, integers ${EXACT_RANGE}; ${text.slice(0, 40)} would be altered`,
  }
}

function expected(mediaTypes: readonly string[], given: string): string {
  return `The Content-Type of the body must be ${mediaTypes.join(' or ')} (got ${given}).`
}
