import type { RemainingQuota } from '../journal/exchange.ts'

/** What stands against a request: a spent window or a ban. */
export interface Refusal {
  readonly by: 'minute' | 'day' | 'ban'
  /** When requests pass again, in epoch milliseconds: the latest of the ends of every spent window and of the ban. */
  readonly until: number
  /** The spent window that ends after the ban; absent when none does. */
  readonly outlastedBy?: 'minute' | 'day'
}

/**
 * Where a caller stands once its request is counted: what the `X-RateLimit-*` headers tell, of the window with the
 * fewest left.
 */
export interface Quota {
  /** How many requests the plan allows in the window. */
  readonly limit: number
  /** How many of them are left. */
  readonly remaining: number
  /** When the window ends, in epoch milliseconds. */
  readonly reset: number
  /** What was left before the request. */
  readonly before: RemainingQuota
  /** What is left after it. */
  readonly after: RemainingQuota
  /** Present when the request must not pass; then it was not counted. */
  readonly refusal?: Refusal
}

/** Lengths of the windows in milliseconds. */
export const MINUTE = 60_000
export const DAY = 86_400_000

/** The end of the window of `length` milliseconds that `now` is in; windows start on the UTC minute and day. */
export function windowEnd(now: number, length: number): number {
  return (Math.floor(now / length) + 1) * length
}
