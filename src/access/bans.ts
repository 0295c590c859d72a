import { LATEST } from '../time/clock.ts'
import type { Caller } from './caller.ts'
import type { Refusal } from './quota.ts'

/** When a key that keeps sending is banned (SERVICE.md, Behaviour on exceeding, 3). */
export interface BanRules {
  /** How many refused requests in a row, none of which waited for `Retry-After`, bring a ban. */
  readonly refusals: number
  /** Length of the first ban, in seconds. */
  readonly seconds: number
  /** How many times longer each later ban of the same key is. */
  readonly factor: number
  /** The longest a ban can be, in seconds. */
  readonly maxSeconds: number
}

export const BAN_RULES: BanRules = { refusals: 10, seconds: 300, factor: 2, maxSeconds: 3600 }

/** How a key has taken being refused. */
export interface BanHistory {
  /** Refused requests in a row. */
  row: number
  /** When the last refusal asked to come back, in epoch milliseconds. */
  retryAt: number
  /** Bans until now, the present one included. */
  bans: number
  /** When the latest ban ends, in epoch milliseconds. */
  until: number
}

/** Keeps how each key takes being refused, and bans those that hammer. */
export class Bans {
  readonly #conducts = new Map<string, BanHistory>()
  readonly #rules: BanRules | undefined

  /** Without rules nobody is banned. */
  constructor(rules: BanRules | undefined) {
    this.#rules = rules
  }

  /** When the caller's ban ends; `undefined` when it is not banned. */
  until(caller: Caller, now: number): number | undefined {
    if (caller.always === 'banned') return this.firstEnd(now)
    const until = this.#conducts.get(caller.account)?.until ?? 0

    return until > now ? until : undefined
  }

  /** When a first ban would end that started now; by the default rules where bans are switched off. */
  firstEnd(now: number): number {
    return now + (this.#rules ?? BAN_RULES).seconds * 1000
  }

  /** Notes a request that passed, which ends a row of refused ones. */
  passed(caller: Caller): void {
    const conduct = this.#conducts.get(caller.account)
    if (conduct) conduct.row = 0
  }

  /**
   * Notes a refused request, and returns when the caller may come back: later than the window ends, if this brings a ban.
   */
  refused(caller: Caller, refusal: Refusal, now: number): number {
    if (!this.#rules || caller.always || refusal.by === 'ban') return refusal.until
    const conduct = this.#conductOf(caller)
    conduct.row = now < conduct.retryAt ? conduct.row + 1 : 1
    conduct.retryAt = refusal.until
    if (conduct.row < this.#rules.refusals) return refusal.until

    this.ban(caller, now + banSeconds(this.#rules, conduct.bans) * 1000)
    return Math.max(refusal.until, conduct.until)
  }

  /** Bans a caller from now on until the time given, whatever it did. */
  ban(caller: Caller, until: number): void {
    const conduct = this.#conductOf(caller)
    conduct.until = Math.min(until, LATEST)
    conduct.bans += 1
    conduct.row = 0
  }

  /** Forgets an account's history: a key that is added again starts without one. */
  forget(account: string): void {
    this.#conducts.delete(account)
  }

  /** How an account has behaved, to be put back. */
  conduct(account: string): BanHistory | undefined {
    return this.#conducts.get(account)
  }

  putConduct(account: string, conduct: BanHistory | undefined): void {
    if (conduct) this.#conducts.set(account, conduct)
    else this.#conducts.delete(account)
  }

  /** How each account has behaved. */
  snapshot(): readonly [account: string, conduct: BanHistory][] {
    return structuredClone([...this.#conducts])
  }

  restore(conducts: readonly [account: string, conduct: BanHistory][]): void {
    for (const [account, conduct] of structuredClone(conducts)) this.#conducts.set(account, conduct)
  }

  #conductOf(caller: Caller): BanHistory {
    const known = this.#conducts.get(caller.account)
    if (known) return known
    const conduct = { row: 0, retryAt: 0, bans: 0, until: 0 }
    this.#conducts.set(caller.account, conduct)

    return conduct
  }
}

function banSeconds(rules: BanRules, earlier: number): number {
  return Math.min(rules.seconds * rules.factor ** earlier, rules.maxSeconds)
}
