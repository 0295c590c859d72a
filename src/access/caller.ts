import type { Plan } from './plan.ts'

/** The outcome of every request with a magic key. */
export type MagicOutcome = 'rate-limited' | 'day-exhausted' | 'banned'

/** The sender of a request, by its credential. */
export interface Caller {
  /** The name that requests are counted under: the credential, or `(anonymous)` for all callers without a valid one. */
  readonly account: string
  /** Absent in a sandbox without plans: then there is no quota. */
  readonly plan?: Plan | undefined
  /** `missing`: the request has no credential in a documented form. `invalid`: its credential is not a known key. */
  readonly key: 'valid' | 'missing' | 'invalid'
  /** Present for a magic key. */
  readonly always?: MagicOutcome
  /** The complete credential; absent when none was sent. */
  readonly credential?: string
  /** Present for a credential that is accepted although it is not a configured key. */
  readonly isUnlisted?: true
}

/** A caller whose requests are counted. */
export type MeteredCaller = Caller & { readonly plan: Plan }

export function isMetered(caller: Caller): caller is MeteredCaller {
  return caller.plan !== undefined
}
