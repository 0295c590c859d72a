import type { UsageError } from '../validation/usage-error.ts'
import { NO_RESPONSE, Problem } from './problem.ts'

/**
 * The problems of the control interface, of Node's server and of requests that are forced to fail. They are apart from `problems`,
 * because a page with the ready handlers does not load them.
 */
export const furtherProblems = {
  /** A mistake of the developer who sent the request. */
  invalidUsage: (error: UsageError): Problem =>
    new Problem(400, error.code, error.message, {}, { usageError: error }),

  /** The developer who sent the request used a name that does not exist. */
  unknownName: (error: UsageError): Problem =>
    new Problem(404, 'not_found', error.message, {}, { usageError: error }),

  forbidden: (message: string): Problem => new Problem(403, 'forbidden', message),

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
    new Problem(status, 'forced_status', message),

  /** Only the journal has this problem: the client gets no response. */
  connectionReset: (): Problem =>
    new Problem(NO_RESPONSE, 'connection_reset', 'The connection was closed without a response.'),

  /** Only the journal has this problem: the client waits for a response that is never sent. */
  noAnswer: (): Problem => new Problem(NO_RESPONSE, 'no_answer', 'The request was never answered.'),
} as const
