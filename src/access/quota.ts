import type { Left } from '../exchange.ts'

/** What stands against a request: a spent window or a ban. */
export interface Refusal {
  readonly by: 'minute' | 'day' | 'ban'
  /** Epoch milliseconds from which on requests pass again. */
  readonly until: number
}

/** How a caller stands after its request was counted: what the `X-RateLimit-*` headers tell. */
export interface Quota {
  /** Requests a window. */
  readonly limit: number
  readonly remaining: number
  /** Epoch milliseconds at which the window ends. */
  readonly reset: number
  /** What was left before the request, and what is left after it. */
  readonly before: Left
  readonly after: Left
  /** Present when the request must not pass; it was not counted then. */
  readonly refusal?: Refusal
}

/** Lengths of the windows in milliseconds. */
export const MINUTE = 60_000
export const DAY = 86_400_000

/** The end of the window of `length` milliseconds that `now` is in; windows start on the UTC minute and day. */
export function windowEnd(now: number, length: number): number {
  return (Math.floor(now / length) + 1) * length
}
