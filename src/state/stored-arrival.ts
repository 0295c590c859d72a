import type { StoredAccount, StoredRule, WorldConfig } from './stored-state.ts'

/** A request that arrives. */
export interface StoredArrival {
  /** The configuration that the caller and the rules were found with. */
  readonly epoch: string
  readonly version: number
  /** Absent for a caller without a plan, whose requests are not counted. */
  readonly count?: {
    readonly account: string
    readonly plan: { readonly minute: number; readonly day: number }
    readonly always?: 'rate-limited' | 'day-exhausted' | 'banned'
    readonly cost: 0 | 1
    readonly isEnforced: boolean
    readonly isUnlisted: boolean
    /** Absent when bans are switched off. */
    readonly ban?: {
      readonly refusals: number
      readonly seconds: number
      readonly factor: number
      readonly maxSeconds: number
    }
    /** Whether the request reaches admission, so that a refusal counts for a ban. */
    readonly isAdmitted: boolean
  }
  /** The account whose state is loaded; that of `count` when it is there. */
  readonly account: string
  /** The rules that match the request. */
  readonly rules: readonly number[]
}

/**
 * What a request depends on. `stale`: the configuration is another one, and nothing was counted. `missing`: there is no such
 * world; `storeTime` is the time of the store, in epoch milliseconds.
 */
export type ArrivalResult =
  | { readonly kind: 'arrived'; readonly arrived: Arrived }
  | { readonly kind: 'stale'; readonly config: WorldConfig }
  | { readonly kind: 'missing'; readonly storeTime: number }

export interface Arrived {
  /** The time of the world, in epoch milliseconds. */
  readonly now: number
  /** The id of the latest exchange. */
  readonly last: number
  /** The account before the request was counted, and after it. */
  readonly before: StoredAccount
  readonly after: StoredAccount
  /** The rules, in the order of the arrival; `undefined` for one that is removed. */
  readonly rules: readonly (StoredRule | undefined)[]
  /** The state of the random numbers for latencies. */
  readonly random: number
}
