import type { RemainingQuota } from '../journal/exchange.ts'
import type { Bans } from './ban.ts'
import { type Caller, isMetered, type MeteredCaller } from './callers.ts'
import { addUsage, decideQuota, type Quota, UNUSED, type Usage, usageAt } from './quota.ts'

/** The number of accounts of unlisted credentials that are kept: a client may send a new token with each request. */
const MAX_UNLISTED = 10_000

/** Keeps the usage of each account, in fixed windows: the UTC minute and the UTC day. */
export class Limits {
  readonly #usage = new Map<string, Usage>()
  /** The accounts of unlisted credentials, oldest first. */
  readonly #unlisted = new Set<string>()
  readonly #bans: Bans
  readonly #isEnforced: boolean

  /** Unless enforced, nothing is counted, and only bans and magic keys are refused. */
  constructor(bans: Bans, isEnforced: boolean) {
    this.#bans = bans
    this.#isEnforced = isEnforced
  }

  /**
   * Counts a request, unless it is refused. `now` is in epoch milliseconds. A `cost` of 0 counts nothing. Returns `undefined`
   * for a caller without a plan, who has no quota.
   */
  count(caller: MeteredCaller, now: number, cost?: 0 | 1): Quota
  count(caller: Caller, now: number, cost?: 0 | 1): Quota | undefined
  count(caller: Caller, now: number, cost: 0 | 1 = 1): Quota | undefined {
    if (!isMetered(caller)) return undefined
    const bannedUntil = this.#bans.until(caller, now)
    const before = this.#usageOf(caller)
    const request = { caller, now, cost, bannedUntil, isEnforced: this.#isEnforced }
    const { usage, quota } = decideQuota(before, request)
    this.#usage.set(caller.account, usage)
    if (caller.isUnlisted) this.#keep(caller.account)

    return quota
  }

  /** Counts requests as if the caller had sent them already. */
  spend(caller: Caller, now: number, requests: Partial<RemainingQuota>): void {
    if (!isMetered(caller)) return
    const usage = addUsage(usageAt(this.#usageOf(caller), caller, now), requests)
    this.#usage.set(caller.account, usage)
  }

  /** Forgets what an account has used: a key that is added again starts unused. */
  clear(account: string): void {
    this.#usage.set(account, { ...UNUSED })
  }

  /** The usage of each account. */
  read(): ReadonlyMap<string, Usage> {
    return new Map(this.#usage)
  }

  put(account: string, usage: Usage | undefined): void {
    if (usage) this.#usage.set(account, usage)
    else this.#usage.delete(account)
  }

  /** Forgets the oldest unlisted account when there are too many. */
  #keep(account: string): void {
    this.#unlisted.add(account)
    if (this.#unlisted.size <= MAX_UNLISTED) return
    const [oldest = account] = this.#unlisted
    this.#unlisted.delete(oldest)
    this.#usage.delete(oldest)
  }

  #usageOf({ account }: Caller): Usage {
    return this.#usage.get(account) ?? UNUSED
  }
}
