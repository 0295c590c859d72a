import { CONTROL_PATH } from '../http/control-path.ts'
import { excessOf } from '../http/json-limits.ts'
import type { ListedExchange } from '../journal/wait-timeout.ts'
import type { ErrorCode } from '../validation/error-codes.ts'
import { UsageError, type UsageErrorDetails } from '../validation/usage-error.ts'
import { NoExchangeError, stranger, tooDeep, unauthorized } from './failure.ts'

/** What the control interface calls itself. */
const TITLE = 'Control interface of pet-sandbox'

/** What an answer has at most. The records of a snapshot have 100 levels each. */
export const LIMITS = { levels: 1000 } as const

/** The content of an answer. Throws a UsageError for a refusal, and for an answer that no sandbox gives. */
export function readAnswer<Answer>(
  site: string,
  { ok, status }: Pick<Response, 'ok' | 'status'>,
  text: string,
): Answer {
  if (excessOf(text, LIMITS)) throw tooDeep(site, LIMITS.levels)
  const body = fromJson<Answer>(text)
  if (ok && body) return body.value
  if (status === 401) throw unauthorized(site)
  if (!ok && isErrorBody(body?.value)) throw toError(site, status, body.value)
  throw stranger(site, status)
}

/** What a control interface says of itself. */
interface Index {
  /** As `GET /clock`. */
  readonly operations: ReadonlySet<string>
  /** The path of the API's base address. */
  readonly basePath: string
}

/**
 * What a control interface says of itself: its operations, and where the API is. Throws a UsageError for any other
 * answer.
 */
export function readIndex(
  site: string,
  response: Pick<Response, 'ok' | 'status'>,
  text: string,
): Index {
  // The API's own refusal: there is a sandbox, which cannot be steered.
  if (response.status === 404) throw stranger(site, response.status)
  const index: unknown = readAnswer(site, response, text)
  if (isIndex(index)) {
    // Another version may not tell it, and will do all the same.
    const { operations, basePath = '' } = index
    return { operations: new Set(operations.map(endpointOf)), basePath }
  }
  throw stranger(site, response.status)
}

/** `GET /clock` of a line as `GET /__sandbox/clock: Tell the time`. */
function endpointOf(line: string): string {
  const [endpoint = ''] = line.split(': ')
  return endpoint.replace(CONTROL_PATH, '')
}

/** What a body holds, typed as the control interface's document says; `undefined` for what is no JSON. */
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
  /** Where the client waited for an exchange. */
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

function toError(site: string, status: number, body: ErrorBody): Error {
  const { code, message, latest } = body
  if (status === 408) return new NoExchangeError(message, latest)
  const { task = `use the sandbox at ${site}`, reason = message } = body
  const { help, suggestion, allowed } = body
  // The location is one in the request, which the developer has not written.
  return new UsageError({ code, task, reason, help, suggestion, allowed })
}
