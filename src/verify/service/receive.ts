import { excessOf } from '../../http/json-limits.ts'
import { BodyTooLong, MEBIBYTE, readBody } from '../../http/read-body.ts'
import type { Question } from './answer.ts'

/** The longest body that is read, in bytes after decompression. */
const BODY_LIMIT = 8 * MEBIBYTE

/** What a JSON body has at most: levels as in the bodies that a sandbox takes, and values that are checked in a second or two. */
const JSON_LIMITS = { levels: 100, values: 100_000 } as const

const EXCESSES = {
  levels: `its answer is nested more than ${JSON_LIMITS.levels} levels deep`,
  values: `its answer has more than ${JSON_LIMITS.values} values`,
} as const

/** Why a target does not answer, in words for a user. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  /** What was asked; set by whoever knows. */
  question: Question | undefined
}

/** An answer, read to its end. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request and reads the whole answer within `timeout` milliseconds. Throws {@link Unanswered}. */
export async function receive(
  request: Request,
  send: (request: Request) => Promise<Response>,
  timeout: number,
): Promise<Received> {
  const limit = new AbortController()
  let headed = false
  const timer = setTimeout(() => limit.abort(), timeout)
  try {
    const response = await orAborted(
      send(new Request(request, { signal: limit.signal })),
      limit.signal,
    )
    headed = true
    const text = await orAborted(bodyOf(response), limit.signal)

    return { status: response.status, headers: response.headers, text }
  } catch (error) {
    if (error instanceof Unanswered) throw error
    if (!limit.signal.aborted) throw new Unanswered(reasonOf(error), { cause: error })
    const seconds = timeout / 1000
    throw new Unanswered(
      headed
        ? `it began to answer, and did not end within ${seconds} s`
        : `it did not answer within ${seconds} s`,
    )
  } finally {
    clearTimeout(timer)
    limit.abort()
  }
}

/** Not every `fetch` heeds the signal at every stage. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    promise.then(resolve, reject)
  })
}

async function bodyOf(response: Response): Promise<string> {
  if (response.type === 'error') throw new Unanswered('it closed the connection without an answer')
  const text = await readBody(response, BODY_LIMIT).catch((error: unknown) => {
    if (!(error instanceof BodyTooLong)) throw error
    throw new Unanswered(`its answer is longer than ${BODY_LIMIT / MEBIBYTE} MiB`)
  })
  // Other text, as a page of HTML, is not parsed.
  const excess = /^\s*[[{]/.test(text) ? excessOf(text, JSON_LIMITS) : undefined
  if (excess) throw new Unanswered(EXCESSES[excess])
  return text
}

const REASONS: readonly [codes: RegExp, reason: string][] = [
  [/ECONNREFUSED/, 'nothing listens there (connection refused)'],
  [/ENOTFOUND|EAI_AGAIN/, 'its name is not known (DNS)'],
  [/^bad port$/, 'no client may ask that port'],
  [/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT/, 'it cannot be reached'],
  [/CERT_HAS_EXPIRED/, 'its certificate has expired'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'its certificate is for another name'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_/,
    'its certificate is not trusted (NODE_EXTRA_CA_CERTS=ca.pem trusts one more)',
  ],
  [/ERR_SSL_\w+|EPROTO/, 'it does not speak TLS there (is it http:// rather than https://?)'],
  [
    /HPE_|ERR_HTTP_|HTTPParserError/,
    'it does not answer in HTTP (is it https:// rather than http://?)',
  ],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|terminated|aborted/,
    'it closed the connection before the answer was complete',
  ],
]

/** `fetch` says "fetch failed", and why in the causes below. */
function reasonOf(error: unknown): string {
  const words = causesOf(error)
  const known = REASONS.find(([codes]) => words.some((word) => codes.test(word)))
  return known?.[1] ?? `the request failed (${words.at(-1) ?? String(error)})`
}

function causesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const code = 'code' in error && typeof error.code === 'string' ? [error.code] : []
  const inner = error instanceof AggregateError ? error.errors.flatMap(causesOf) : []

  // Node 24 gives what is no HTTP a name in place of a code.
  return [...code, error.name, ...causesOf(error.cause), ...inner, error.message]
}
