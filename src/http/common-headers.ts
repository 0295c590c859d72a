import { httpDate } from '../time/clock.ts'
import { withBrowserPolicy } from './browser-policy.ts'
import type { CoreResponse } from './message.ts'

/** The values of the `X-RateLimit-*` headers, which describe one quota window. */
export interface RateLimit {
  /** How many requests the plan allows in the window. */
  readonly limit: number
  /** How many of them are left. */
  readonly remaining: number
  /** When the window ends, in epoch milliseconds. */
  readonly reset: number
}

/** The headers with the figures of a quota. `now` is in epoch milliseconds. */
export type WriteQuota = (rateLimit: RateLimit, now: number) => CoreResponse['headers']

/**
 * A response with the headers that every response has: date, quota where there is one, CORS, and the policy for browsers unless it is JSON. `now` is in epoch
 * milliseconds; `crossOrigin` are the headers of CORS. `writeQuota` is for a document that has headers of its own for quotas.
 */
export function withCommonHeaders(
  response: CoreResponse,
  rateLimit: RateLimit | undefined,
  now: number,
  crossOrigin: CoreResponse['headers'],
  writeQuota: WriteQuota = quotaHeaders,
): CoreResponse {
  return withBrowserPolicy({
    ...response,
    headers: {
      Date: httpDate(now),
      ...response.headers,
      ...(rateLimit && writeQuota(rateLimit, now)),
      ...crossOrigin,
    },
  })
}

function quotaHeaders({ limit, remaining, reset }: RateLimit): CoreResponse['headers'] {
  return {
    'X-RateLimit-Limit': String(limit),
    // Engines cache the text that `String` makes of a number. A cache is wasted on a count that rarely repeats.
    'X-RateLimit-Remaining': remaining.toFixed(),
    'X-RateLimit-Reset': String(reset / 1000),
  }
}
