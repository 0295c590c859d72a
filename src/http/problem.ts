import { type CoreResponse, json } from './message.ts'

type Headers = Readonly<Record<string, string>>

/** Stands for the status where a client gets no answer. */
const UNANSWERED = 0

/**
 * Why the service refuses a request: thrown wherever that is noticed, and answered as an Error body (SERVICE.md, Errors). It
 * is no `Error`: nobody needs its stack, and capturing one takes half of the time of a refusal.
 */
export class Problem {
  readonly status: number
  /** Machine-readable, as `rate_limit_exceeded`. */
  readonly code: string
  readonly message: string
  readonly headers: Headers

  constructor(status: number, code: string, message: string, headers: Headers = {}) {
    this.status = status
    this.code = code
    this.message = printable(message)
    this.headers = headers
  }

  /** The same problem, told with further headers. */
  with(headers: Headers): Problem {
    return new Problem(this.status, this.code, this.message, { ...this.headers, ...headers })
  }

  /** The answer, with an `X-Sandbox-Reason`: the one among its headers, or else its code. */
  toResponse(): CoreResponse {
    const { status, code, message } = this
    const headers = { [REASON]: code.replaceAll('_', '-'), ...this.headers }
    const fault = FAULTS[code]
    if (fault) return { status, headers, body: '', fault }

    return json(status, { code, message, status }, headers)
  }
}

/** The header in which the sandbox says why it answers as it does, so that nobody has to ask. */
export const REASON = 'X-Sandbox-Reason'

/** The problems that are met on the connection, in place of an answer. */
const FAULTS: Readonly<Record<string, CoreResponse['fault']>> = {
  connection_reset: 'reset',
  incomplete_body: 'reset',
  no_answer: 'timeout',
}

/** Every problem the service has. No status number of an error is spelt anywhere else. */
export const problems = {
  /** The body or a query parameter is not valid; `message` names the place. */
  invalidRequest: (message: string, code?: string): Problem =>
    new Problem(400, code ?? 'invalid_request', message),

  /** `challenge` goes to `WWW-Authenticate` (RFC 6750, section 3). */
  unauthorized: (message: string, challenge: string, reason: string): Problem =>
    new Problem(401, 'unauthorized', message, { 'WWW-Authenticate': challenge, [REASON]: reason }),

  forbidden: (message: string): Problem => new Problem(403, 'forbidden', message),

  notFound: (message: string): Problem => new Problem(404, 'not_found', message),

  /** The operation is past its sunset. */
  operationRemoved: (message: string): Problem => new Problem(404, 'operation_removed', message),

  /** `allow` lists the methods that the path has (RFC 9110, section 15.5.6). */
  methodNotAllowed: (message: string, allow: string): Problem =>
    new Problem(405, 'method_not_allowed', message, { Allow: allow }),

  /** The request did not arrive in time (RFC 9110, section 15.5.9). */
  requestTimeout: (message: string, code?: string): Problem =>
    new Problem(408, code ?? 'request_timeout', message),

  payloadTooLarge: (limit: number): Problem =>
    new Problem(413, 'payload_too_large', `The body is larger than ${limit} bytes.`),

  unsupportedMediaType: (message: string): Problem =>
    new Problem(415, 'unsupported_media_type', message),

  /** `seconds` goes to `Retry-After`; nothing may cache the answer (RFC 6585, section 4). */
  rateLimitExceeded: (message: string, seconds: number, reason: string): Problem =>
    new Problem(429, 'rate_limit_exceeded', message, { ...wait(seconds), [REASON]: reason }),

  keyBanned: (message: string, seconds: number, reason: string): Problem =>
    new Problem(429, 'api_key_banned', message, { ...wait(seconds), [REASON]: reason }),

  /** The request's head is larger than the server reads (RFC 6585, section 5). */
  headersTooLarge: (message: string): Problem => new Problem(431, 'invalid_request', message),

  internalError: (message: string): Problem => new Problem(500, 'internal_error', message),

  /** The service is down for a while (RFC 9110, section 15.6.4). */
  unavailable: (message: string, seconds: number): Problem =>
    new Problem(503, 'service_unavailable', message, wait(seconds)),

  /** Seen by the journal alone: the client gets no answer. */
  connectionReset: (): Problem =>
    new Problem(UNANSWERED, 'connection_reset', 'The connection was closed without an answer.'),

  /** Seen by the journal alone: the client left, or was cut off. */
  incompleteBody: (): Problem =>
    new Problem(
      UNANSWERED,
      'incomplete_body',
      'The connection ended before all of the body was there.',
    ),

  /** Seen by the journal alone: the client waits for an answer that never comes. */
  noAnswer: (): Problem => new Problem(UNANSWERED, 'no_answer', 'The request was never answered.'),

  /** The document says too little about the operation for it to be answered. */
  notImplemented: (message: string): Problem => new Problem(501, 'not_implemented', message),
} as const

/** A message may quote what a client sent: a megabyte, or control characters. Its end is kept, for it names the place. */
function printable(message: string): string {
  const short = message.length > 600 ? `${message.slice(0, 400)} … ${message.slice(-150)}` : message
  return short.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
}

function wait(seconds: number): Headers {
  return { 'Retry-After': String(seconds), 'Cache-Control': 'no-store' }
}
