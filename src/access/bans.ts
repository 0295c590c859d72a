import type { Problem } from '../http/problem.ts'
import { type CountedCall, decideAdmission } from './admission.ts'
import { addBan, type BanHistory, type BanRules, bannedUntil } from './ban.ts'
import type { Caller } from './caller.ts'

/** Keeps the refusals and bans of each account. */
export class Bans {
  readonly #histories = new Map<string, BanHistory>()
  readonly #rules: BanRules | undefined

  /** Without rules, nobody is banned. */
  constructor(rules: BanRules | undefined) {
    this.#rules = rules
  }

  /** Admits a counted request, or returns the problem that refuses it. */
  admit(call: CountedCall): Problem | undefined {
    const { account } = call.caller
    const before = this.#histories.get(account)
    const { history, problem } = decideAdmission(before, call, this.#rules)
    if (history !== before) this.put(account, history)

    return problem
  }

  /** When the caller's ban ends; `undefined` when the caller is not banned. */
  until(caller: Caller, now: number): number | undefined {
    return bannedUntil(this.#histories.get(caller.account), caller, this.#rules, now)
  }

  /** Bans a caller until the time given, whatever it did. */
  ban({ account }: Caller, until: number): void {
    this.put(account, addBan(this.#histories.get(account), until))
  }

  /** The history of each account. */
  read(): ReadonlyMap<string, BanHistory> {
    return new Map(this.#histories)
  }

  put(account: string, history: BanHistory | undefined): void {
    if (history) this.#histories.set(account, history)
    else this.#histories.delete(account)
  }
}
