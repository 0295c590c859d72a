import { BodyTooLongError, excessOf, MEBIBYTE, readBodyText } from '../../http/body-limits.ts'
import { describeNetworkError } from './network-errors.ts'
import type { ProbeRequest } from './probe-messages.ts'

/** The longest body that is read, in bytes after decompression. */
const MAX_BODY_BYTES = 8 * MEBIBYTE

/** The limits of a JSON body: as deep as the sandbox accepts, and as many values as can be checked in about a second. */
const JSON_LIMITS = { levels: 100, values: 100_000 } as const

const EXCESS_REASONS = {
  levels: `a response is nested more than ${JSON_LIMITS.levels} levels deep`,
  values: `a response has more than ${JSON_LIMITS.values} values`,
} as const

/** Thrown when there is no complete response; the message is the reason. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** The request without a response. */
  request: ProbeRequest | undefined
}

export interface CompleteResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request and reads the complete response within `timeout` milliseconds. Throws {@link NoResponse}. */
export async function sendAndRead(
  request: Request,
  send: (request: Request) => Promise<Response>,
  timeout: number,
): Promise<CompleteResponse> {
  const limit = new AbortController()
  let hasHeaders = false
  const timer = setTimeout(() => limit.abort(), timeout)
  try {
    const response = await orAborted(
      send(new Request(request, { signal: limit.signal })),
      limit.signal,
    )
    hasHeaders = true
    const text = await orAborted(bodyOf(response), limit.signal)

    return { status: response.status, headers: response.headers, text }
  } catch (error) {
    if (error instanceof NoResponse) throw error
    if (!limit.signal.aborted) throw new NoResponse(describeNetworkError(error), { cause: error })
    const seconds = timeout / 1000
    throw new NoResponse(
      hasHeaders
        ? `a response was not complete within ${seconds} s`
        : `the server did not respond within ${seconds} s`,
    )
  } finally {
    clearTimeout(timer)
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
  const text = await readBodyText(response, MAX_BODY_BYTES).catch((error: unknown) => {
    if (!(error instanceof BodyTooLongError)) throw error
    throw new NoResponse(`a response is larger than ${MAX_BODY_BYTES / MEBIBYTE} MiB`)
  })
  // Other text, such as HTML, is not parsed.
  const excess = /^\s*[[{]/.test(text) ? excessOf(text, JSON_LIMITS) : undefined
  if (excess) throw new NoResponse(EXCESS_REASONS[excess])
  return text
}
