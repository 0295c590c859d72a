import {
  type Suggestion,
  suggestionInBrackets,
  type UsageError,
} from '../validation/usage-error.ts'
import { type CoreResponse, json } from './message.ts'

/** The optional details of a problem. */
interface ProblemDetails {
  readonly errors?: readonly InputError[] | undefined
  readonly conflict?: string | undefined
  readonly usageError?: UsageError | undefined
  readonly members?: object | undefined
}

type Headers = Readonly<Record<string, string>>

/** The status in the journal of a request without a response. */
const NO_RESPONSE: number = 0

/**
 * Why the service refuses a request. Every layer throws it, and the response has it as an Error body (the schema `Error` of
 * openapi.yaml). It is not an `Error`, because capturing a stack that nobody needs takes half of the time of a refusal.
 */
export class Problem {
  readonly status: number
  /** Machine-readable, such as `rate_limit_exceeded`. */
  readonly code: string
  readonly message: string
  readonly headers: Headers
  /** The errors in the input of the request; empty for other problems. */
  readonly errors: readonly InputError[]
  /** Where the request has the value that conflicts with the records, such as `body.email`. The journal has it, the response does not. */
  readonly conflict: string | undefined
  /** The developer's mistake that caused this problem. */
  readonly usageError: UsageError | undefined
  /** Members that the control interface adds to the body. */
  readonly members: object | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Headers = {},
    { errors = [], conflict, usageError, members }: ProblemDetails = {},
  ) {
    this.status = status
    this.code = code
    this.message = printable(message)
    this.headers = headers
    this.errors = errors
    this.conflict = conflict
    this.usageError = usageError
    this.members = members
  }

  /** The same problem with additional headers. */
  with(headers: Headers): Problem {
    return new Problem(this.status, this.code, this.message, { ...this.headers, ...headers }, this)
  }

  /** The response. Its `X-Sandbox-Reason` is that of the headers, else the code. `members` are added to the body. */
  toResponse(members: object = {}): CoreResponse {
    const { status, code, message } = this
    const headers = { [REASON_HEADER]: code.replaceAll('_', '-'), ...this.headers }
    const fault = FAULTS[code]
    if (fault) return { status, headers, body: '', fault }

    return json(status, { code, message, status, ...members }, headers)
  }
}

/** An error that is a Problem. Throws any other error, because it is a bug. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

/** The header with the reason of a response, for developers. */
export const REASON_HEADER = 'X-Sandbox-Reason'

/** The problems that break the connection instead of sending a response. */
const FAULTS: Readonly<Record<string, CoreResponse['fault']>> = {
  connection_reset: 'reset',
  incomplete_body: 'reset',
  no_answer: 'timeout',
}

/** The code of an error of which only the status is forced. */
export const FORCED_CODE = 'forced_status'

/** The error for a body that is refused without being parsed. */
export const BODY_ERROR: ProblemDetails = { errors: [{ location: 'body', message: 'is refused' }] }

/** All problems. No status of an error is anywhere else. */
export const problems = {
  /** The body or a query parameter is not valid. `message` names the location. */
  invalidRequest: (message: string, code?: string): Problem =>
    new Problem(400, code ?? 'invalid_request', message),

  /** Parts of the request are not valid. */
  invalidInput: (errors: readonly InputError[]): Problem =>
    new Problem(400, 'invalid_request', describeInputErrors(errors), {}, { errors }),

  /** `challenge` goes to `WWW-Authenticate` (RFC 6750, section 3). */
  unauthorized: (message: string, challenge: string, reason: string): Problem =>
    new Problem(401, 'unauthorized', message, {
      // Titles and names of a document may have characters that a header cannot have (RFC 9110, section 5.5).
      'WWW-Authenticate': challenge.replace(/[^\t\x20-\x7e]+/g, '?'),
      [REASON_HEADER]: reason,
    }),

  notFound: (message: string): Problem => new Problem(404, 'not_found', message),

  /** What does not exist, where the document has no 404. */
  gone: (message: string): Problem => new Problem(410, 'gone', message),

  /** The operation is past its sunset. */
  operationRemoved: (message: string): Problem => new Problem(404, 'operation_removed', message),

  /** `allow` lists the methods that the path has (RFC 9110, section 15.5.6). */
  methodNotAllowed: (message: string, allow: string): Problem =>
    new Problem(405, 'method_not_allowed', message, { Allow: allow }),

  payloadTooLarge: (limit: number): Problem => tooLarge(`The body is larger than ${limit} bytes.`),

  /** A body with few bytes may have many values, which take memory and time. */
  tooManyValues: (limit: number, noun: string): Problem =>
    tooLarge(`The body has more than ${limit} ${noun}.`),

  /** Each step of a request copies an object, which takes longer for each of its members the more it has. */
  tooManyMembers: (limit: number): Problem =>
    tooLarge(`An object of the body has more than ${limit} members.`),

  unsupportedMediaType: (message: string): Problem =>
    new Problem(415, 'unsupported_media_type', message, {}, BODY_ERROR),

  /** `seconds` goes to `Retry-After`. The response must not be cached (RFC 6585, section 4). */
  rateLimitExceeded: (message: string, seconds: number, reason: string): Problem =>
    new Problem(429, 'rate_limit_exceeded', message, retryIn(seconds, reason)),

  keyBanned: (message: string, seconds: number, reason: string): Problem =>
    new Problem(429, 'api_key_banned', message, retryIn(seconds, reason)),

  internalError: (message: string): Problem => new Problem(500, 'internal_error', message),

  /** The service is down for a while (RFC 9110, section 15.6.4). */
  unavailable: (message: string, seconds: number): Problem =>
    new Problem(503, 'service_unavailable', message, retryIn(seconds)),

  /** Only the journal has this problem: the client closed the connection, or lost it. */
  incompleteBody: (): Problem =>
    new Problem(NO_RESPONSE, 'incomplete_body', 'The body of the request is incomplete.'),

  /** A mistake of the developer who sent the request. */
  invalidUsage: (error: UsageError): Problem =>
    new Problem(400, error.code, inOneLine(error), {}, { usageError: error }),

  /** The developer who sent the request used a name that does not exist. */
  unknownName: (error: UsageError): Problem =>
    new Problem(404, 'not_found', error.message, {}, { usageError: error }),

  forbidden: (message: string, code?: string): Problem =>
    new Problem(403, code ?? 'forbidden', message),

  /** The dashboard was loaded from another server, or before the server was started. */
  outdatedPage: (message: string): Problem => new Problem(403, 'outdated_page', message),

  /** The client accepts no media type of the response (RFC 9110, section 15.5.7). */
  notAcceptable: (message: string): Problem => new Problem(406, 'not_acceptable', message),

  /** The state of the record does not allow the change (RFC 9110, section 15.5.10). */
  conflict: (message: string): Problem => new Problem(409, 'conflict', message),

  /** What the request names in a precondition does not exist (RFC 9110, section 15.5.13). */
  preconditionFailed: (error: UsageError): Problem =>
    new Problem(412, error.code, error.message, {}, { usageError: error }),

  /** The request did not arrive in time (RFC 9110, section 15.5.9). */
  requestTimeout: (message: string): Problem => new Problem(408, 'request_timeout', message),

  /** No matching exchange ended while a client waited for one. */
  noExchange: (message: string, latest: readonly object[]): Problem =>
    new Problem(408, 'no_exchange', message, {}, { members: { latest } }),

  /** The request's head is larger than the server reads (RFC 6585, section 5). */
  headersTooLarge: (message: string): Problem => new Problem(431, 'invalid_request', message),

  /** A developer forced a documented status of which nothing more is known. */
  forcedStatus: (status: number, message: string): Problem =>
    new Problem(status, FORCED_CODE, message),

  /** Only the journal has this problem: the client gets no response. */
  connectionReset: (): Problem =>
    new Problem(NO_RESPONSE, 'connection_reset', 'The connection was closed without a response.'),

  /** Only the journal has this problem: the client waits for a response that is never sent. */
  noAnswer: (): Problem => new Problem(NO_RESPONSE, 'no_answer', 'The request was never answered.'),
} as const

/** Several mistakes are lines of a message. */
export function inOneLine({ message }: Pick<Error, 'message'>): string {
  return message.replace(/\n */g, ' ')
}

/** A message may quote a client's input, which can be long or have control characters. The end of the message names the place. */
function printable(message: string): string {
  const short = message.length > 600 ? `${message.slice(0, 400)} … ${message.slice(-150)}` : message
  return short.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
}

function tooLarge(message: string): Problem {
  return new Problem(413, 'payload_too_large', message, {}, BODY_ERROR)
}

function retryIn(seconds: number, reason?: string): Headers {
  const retry = { 'Retry-After': String(seconds), 'Cache-Control': 'no-store' }
  return reason === undefined ? retry : { ...retry, [REASON_HEADER]: reason }
}

/** The response to a request whose response cannot be written. It has no header that a document or a client decides. */
export function unwritable(reason = 'the cause is in its log'): CoreResponse {
  return problems.internalError(`The sandbox cannot write the response: ${reason}.`).toResponse()
}

/** One thing that is wrong with a request. */
export interface InputError extends Suggestion {
  /** Such as `query.limit`, `body.tags[0]` or `header.Prefer`. */
  readonly location: string
  /** The keyword of JSON Schema that the value violates, such as `required`; absent for rules outside the schema. */
  readonly keyword?: string
  /** A clause that follows the location, such as `must be >= 1`. */
  readonly message: string
}

/** How many errors a message lists. It counts the others. */
const MAX_ERRORS = 5

/** The errors in one line, such as `body.author.born must be integer; body.title is required`. */
export function describeInputErrors(errors: readonly InputError[]): string {
  const clauses = new Set(errors.map(describeInputError))
  const shown = [...clauses].slice(0, MAX_ERRORS)
  const left = clauses.size - shown.length

  return shown.join('; ') + (left > 0 ? `; and ${left} more` : '')
}

function describeInputError(error: InputError): string {
  return `${error.location} ${error.message}${suggestionInBrackets(error)}`.trimStart()
}

/** The phrases of the registered statuses for errors (RFC 9110, section 15, and the registry of IANA). */
const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a Teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
}

/** The usual phrase of an error's status, such as `Not Found`. */
export function reasonPhrase(status: number): string {
  return PHRASES[status] ?? (status < 500 ? 'Client Error' : 'Server Error')
}
