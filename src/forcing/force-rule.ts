import type { DurationRange } from '../time/duration.ts'

/** Which requests an outcome is forced on: those that match every given field. */
export interface ForceRule<Operation extends string = string, Key extends string = string> {
  /** The operation's name. By default, every operation. */
  readonly operation?: Operation
  /** A method, such as `POST`. By default, every method. */
  readonly method?: string
  /**
   * A path with or without the base path, such as `/books/7`, `/books/*` or `/books/{bookId}`, with at most 2,000 characters.
   * By default, every path.
   */
  readonly path?: string
  /** The API key of the request. By default, every caller. */
  readonly key?: Key
  /** How many requests it is forced on, an integer ≥ 1. By default, all. */
  readonly times?: number
  /** How many matching requests are skipped first. By default, none. */
  readonly skip?: number
  /** The probability that it is forced on a request, > 0 and ≤ 1, by the sandbox's seed. By default, 1. */
  readonly probability?: number
  /** The `Retry-After` in seconds, at most a year, so that a client under test need not wait for a minute. */
  readonly retryAfter?: number
  /**
   * How long the response is delayed, such as `200ms`, or `100ms..2s` for a different time for each request. By default, one
   * second for `slow`, and no delay for other outcomes.
   */
  readonly latency?: DurationRange
}
