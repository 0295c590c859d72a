import type { DurationRange } from '../time/duration.ts'

/** Which requests an outcome is forced on: those that fit every field given. */
export interface ForceRule<Operation extends string = string, Key extends string = string> {
  /** The operation's name; every operation when left out. */
  readonly operation?: Operation
  /** As `POST`; every method when left out. */
  readonly method?: string
  /**
   * With or without the base path, as `/books/7`, `/books/*` or `/books/{bookId}`, in at most 2,000 characters; every path
   * when left out.
   */
  readonly path?: string
  /** The API key of the request; every caller when left out. */
  readonly key?: Key
  /** How many requests it is forced on, from 1 up; all of them when left out. */
  readonly times?: number
  /** How many requests are left alone first; none when left out. */
  readonly skip?: number
  /** How likely it is forced on each request, above 0 and up to 1, by the sandbox's seed; always when left out. */
  readonly probability?: number
  /** The `Retry-After`, in seconds and up to a year, so that a client under test need not wait out a minute. */
  readonly retryAfter?: number
  /**
   * How long the answer is held back, as `200ms`, or `100ms..2s` for a different time each time. When left out, a second for
   * `slow`, else not at all.
   */
  readonly latency?: DurationRange
}
