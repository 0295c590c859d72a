import type { Plan } from './plan.ts'

/** The outcome of every request with a magic key. */
export type MagicOutcome = 'rate-limited' | 'day-exhausted' | 'banned'

/** The sender of a request, by its API key. */
export interface Caller {
  /** The name that requests are counted under: the API key, or `(anonymous)` for all callers without a valid one. */
  readonly account: string
  readonly plan: Plan
  /** `missing`: the request has no bearer token. `invalid`: its token is not a known key. */
  readonly key: 'valid' | 'missing' | 'invalid'
  /** Present for a magic key. */
  readonly always?: MagicOutcome
}
