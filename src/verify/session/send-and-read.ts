import { EVENT_STREAM } from '../../contract/event-stream.ts'
import { BodyTooLongError, excessOf, MEBIBYTE, readBodyText } from '../../http/body-limits.ts'
import { isSafeMethod, type ProbeRequest, type ProbeResponse } from '../messages.ts'

/** The longest body that is read, in bytes after decompression. */
const MAX_BODY_BYTES = 8 * MEBIBYTE

/** The limits of a JSON body: as deep as the sandbox accepts, and as many values as can be checked in about a second. */
const JSON_LIMITS = { levels: 100, values: 100_000 } as const

const EXCESS_REASONS = {
  levels: `a response is nested more than ${JSON_LIMITS.levels} levels deep`,
  values: `a response has more than ${JSON_LIMITS.values} values`,
} as const

/** How long a change that was sent may still take after an interruption, in milliseconds. */
const GRACE = 2000

/** Why a request failed whose connection ended before the response. A service may have ended one that it kept open. */
export const RESET = 'the server closed the connection before the response was complete'

/** Thrown when there is no complete response; the message is the reason. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** The request without a response. */
  request: ProbeRequest | undefined
}

export type CompleteResponse = Pick<ProbeResponse, 'status' | 'headers' | 'text'>

/**
 * Sends a request and reads the complete response within `timeout` milliseconds, but not a stream of events. `interruption` ends it earlier.
 * Throws {@link NoResponse}.
 */
export async function sendAndRead(
  request: Request,
  send: (request: Request) => Promise<Response>,
  timeout: number,
  interruption?: AbortSignal,
): Promise<CompleteResponse> {
  const limit = new AbortController()
  let timer = setTimeout(() => limit.abort(), timeout)
  const stop = (): void => {
    clearTimeout(timer)
    // The response to a change says what there is to clean up.
    timer = setTimeout(() => limit.abort(), isSafeMethod(request.method) ? 0 : GRACE)
  }
  interruption?.addEventListener('abort', stop, { once: true })
  let hasHeaders = false
  try {
    const { signal } = limit
    const response = await orAborted(send(new Request(request, { signal })), signal)
    hasHeaders = true
    const text = await orAborted(bodyOf(response), signal)

    return { status: response.status, headers: response.headers, text }
  } catch (error) {
    if (error instanceof NoResponse) throw error
    if (!limit.signal.aborted) throw new NoResponse(describeNetworkError(error), { cause: error })
    if (interruption?.aborted) throw new NoResponse('the run was interrupted')
    const what = hasHeaders ? 'a response was not complete' : 'the server did not respond'
    throw new NoResponse(`${what} within ${timeout / 1000} s`)
  } finally {
    clearTimeout(timer)
    interruption?.removeEventListener('abort', stop)
    limit.abort()
  }
}

/** Rejects as soon as the signal is aborted, because some `fetch` implementations ignore the signal. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    promise.then(resolve, reject)
  })
}

async function bodyOf(response: Response): Promise<string> {
  if (response.type === 'error') {
    throw new NoResponse('the server closed the connection without a response')
  }
  // It may never end.
  if (response.headers.get('Content-Type')?.startsWith(EVENT_STREAM)) return ''
  const text = await readBodyText(response, MAX_BODY_BYTES).catch((error: unknown) => {
    if (!(error instanceof BodyTooLongError)) throw error
    throw new NoResponse(`a response is larger than ${MAX_BODY_BYTES / MEBIBYTE} MiB`)
  })
  // Other text, such as HTML, is not parsed.
  const excess = /^\s*[[{]/.test(text) ? excessOf(text, JSON_LIMITS) : undefined
  if (excess) throw new NoResponse(EXCESS_REASONS[excess])
  return text
}

/** What `fetch` errors mean, by the codes and names of the error and its causes. */
const REASONS: readonly [codes: RegExp, reason: string][] = [
  [/ECONNREFUSED/, 'no server listens at this address (connection refused)'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name cannot be resolved (DNS)'],
  [/^bad port$/, 'fetch and browsers block this port; start the server on another port'],
  [
    /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT/,
    'the server cannot be reached (network)',
  ],
  [/CERT_HAS_EXPIRED/, 'the TLS certificate of the server has expired'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'the TLS certificate of the server is for another host name'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_/,
    'the TLS certificate of the server is not trusted (set NODE_EXTRA_CA_CERTS=ca.pem to trust it)',
  ],
  [
    /ERR_SSL_\w+|EPROTO/,
    'the server does not use TLS at this port (use http:// instead of https://)',
  ],
  [
    /HPE_|ERR_HTTP_|HTTPParserError/,
    'the server does not use HTTP at this port (use https:// instead of http://)',
  ],
  [/ECONNRESET|EPIPE|UND_ERR_SOCKET|terminated|aborted/, RESET],
]

/** Why a request failed. The message of `fetch` is always "fetch failed"; the reason is in its causes. */
function describeNetworkError(error: unknown): string {
  const words = wordsOf(error)
  const known = REASONS.find(([codes]) => words.some((word) => codes.test(word)))
  return known?.[1] ?? `the request failed (${words.at(-1) ?? String(error)})`
}

function wordsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const code = 'code' in error && typeof error.code === 'string' ? [error.code] : []
  const inner = error instanceof AggregateError ? error.errors.flatMap(wordsOf) : []

  // In Node 24, an error about invalid HTTP has a name instead of a code.
  return [...code, error.name, ...wordsOf(error.cause), ...inner, error.message]
}
