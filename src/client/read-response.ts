import { excessOf } from '../http/body-limits.ts'
import { CONTROL_PATH } from '../http/paths.ts'
import type { ListedExchange } from '../journal/exchange-query.ts'
import type { ErrorCode } from '../validation/error-codes.ts'
import { UsageError, type UsageErrorDetails } from '../validation/usage-error.ts'
import { NoExchangeError, notASandbox, responseTooDeep, unauthorized } from './errors.ts'

/** The title in the index of the control interface. */
const TITLE = 'Control interface of pet-sandbox'

/** The deepest nesting of a response. The records of a snapshot have at most 100 levels each. */
export const LIMITS = { levels: 1000 } as const

/** The content of a response. Throws a UsageError for an error response, and for a response that is not from a sandbox. */
export function readResponse<Content>(
  site: string,
  { ok, status }: Pick<Response, 'ok' | 'status'>,
  text: string,
): Content {
  if (excessOf(text, LIMITS)) throw responseTooDeep(site, LIMITS.levels)
  const body = fromJson<Content>(text)
  if (ok && body) return body.value
  if (status === 401) throw unauthorized(site)
  if (!ok && isErrorBody(body?.value)) throw toError(site, status, body.value)
  throw notASandbox(site, status)
}

/** The index of a control interface. */
interface Index {
  /** Such as `GET /clock`. */
  readonly operations: ReadonlySet<string>
  /** The path of the API's base address. */
  readonly basePath: string
}

/**
 * The index of a control interface: its operations and the base path of the API. Throws a UsageError for any other
 * response.
 */
export function readIndex(
  site: string,
  response: Pick<Response, 'ok' | 'status'>,
  text: string,
): Index {
  // A sandbox without a control interface answers with the 404 of its API.
  if (response.status === 404) throw notASandbox(site, response.status)
  const index: unknown = readResponse(site, response, text)
  if (isIndex(index)) {
    // Other versions may not have the base path.
    const { operations, basePath = '' } = index
    return { operations: new Set(operations.map(endpointOf)), basePath }
  }
  throw notASandbox(site, response.status)
}

/** `GET /clock` for the index entry `GET /__sandbox/clock: Get the time`. */
function endpointOf(entry: string): string {
  const [endpoint = ''] = entry.split(': ')
  return endpoint.replace(CONTROL_PATH, '')
}

/** The content of a body, typed as the document of the control interface says; `undefined` for invalid JSON. */
function fromJson<Value>(text: string): { readonly value: Value } | undefined {
  try {
    return { value: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return undefined
  }
}

function isIndex(
  body: unknown,
): body is { readonly operations: readonly string[]; readonly basePath?: string } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'title' in body &&
    body.title === TITLE &&
    'operations' in body &&
    Array.isArray(body.operations)
  )
}

/** An Error body. The control interface adds the fields of a UsageError. */
interface ErrorBody extends Partial<UsageErrorDetails> {
  readonly code: ErrorCode
  readonly message: string
  /** The latest exchanges. Present when a wait for an exchange timed out. */
  readonly latest?: readonly ListedExchange[]
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    typeof body.code === 'string' &&
    'message' in body &&
    typeof body.message === 'string'
  )
}

/** The codes of errors about a property of what the developer gave: a record, a rule, or another body. */
const HAS_LOCATION: ReadonlySet<ErrorCode> = new Set([
  'invalid_record',
  'invalid_rule',
  'invalid_request',
])

function toError(site: string, status: number, body: ErrorBody): Error {
  const { code, message, latest } = body
  if (status === 408) return new NoExchangeError(message, latest)
  const { task = `use the sandbox at ${site}`, reason = message } = body
  // The reason of an invalid request has the suggestion in brackets.
  const { help = code === 'invalid_request' ? '' : undefined } = body
  const { suggestion, allowed, location, errors } = body
  // Other locations are parts of the request that the developer did not write.
  const ofProperty = HAS_LOCATION.has(code) ? { location, errors } : {}
  return new UsageError({ code, task, reason, help, suggestion, allowed, ...ofProperty })
}
