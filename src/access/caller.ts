import type { Plan } from './plan.ts'

/** How every request of a magic key ends, whatever came before. */
export type MagicOutcome = 'rate-limited' | 'day-exhausted' | 'banned'

/** Who sends a request. */
export interface Caller {
  /** What requests are counted under: the API key, or `(anonymous)` for all callers without a valid one. */
  readonly account: string
  readonly plan: Plan
  /** `missing`: the request had no bearer token; `invalid`: its token is no key. */
  readonly key: 'valid' | 'missing' | 'invalid'
  /** Present for a magic key. */
  readonly always?: MagicOutcome
}
