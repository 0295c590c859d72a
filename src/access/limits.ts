import type { RemainingQuota } from '../journal/exchange.ts'
import type { Bans } from './bans.ts'
import type { Caller } from './caller.ts'
import { DAY, MINUTE, type Quota, type Refusal, windowEnd } from './quota.ts'

/** How many requests were made in the latest window. */
export interface Usage {
  /** The window's number, counted from 1970. */
  window: number
  used: number
}

/** What an account has used. */
export interface Account {
  readonly minute: Usage
  readonly day: Usage
}

/** Counts requests by account in fixed windows: the UTC minute and the UTC day (SERVICE.md, Limits). */
export class Limits {
  readonly #accounts = new Map<string, Account>()
  readonly #bans: Bans
  readonly #enforced: boolean

  /** Unless `enforced`, nothing is counted, and only bans and magic keys are refused. */
  constructor(bans: Bans, enforced: boolean) {
    this.#bans = bans
    this.#enforced = enforced
  }

  /**
   * Takes `cost` requests, one or none, from the caller's quota, or says what stands against that. `now` is in epoch
   * milliseconds.
   */
  count(caller: Caller, now: number, cost: 0 | 1 = 1): Quota {
    const { minute, day } = this.#spent(caller, now)
    const before = left(caller, minute, day)
    const refusal = this.#refusal(caller, now, before)
    const taken = refusal || !this.#enforced ? 0 : cost
    minute.used += taken
    day.used += taken
    const after = taken === 0 ? before : left(caller, minute, day)
    const shown = after.day <= after.minute ? DAY_WINDOW : MINUTE_WINDOW

    return {
      limit: caller.plan[shown.name],
      remaining: after[shown.name],
      reset: windowEnd(now, shown.length),
      before,
      after,
      ...(refusal && { refusal }),
    }
  }

  /** Counts requests as if the caller had made them already. */
  spend(caller: Caller, now: number, requests: Partial<RemainingQuota>): void {
    const { minute, day } = this.#spent(caller, now)
    minute.used += requests.minute ?? 0
    day.used += requests.day ?? 0
  }

  /** What each account has used. */
  snapshot(): readonly [account: string, used: Account][] {
    return structuredClone([...this.#accounts])
  }

  restore(accounts: readonly [account: string, used: Account][]): void {
    for (const [account, used] of structuredClone(accounts)) this.#accounts.set(account, used)
  }

  /** What an account has used, to be put back. */
  account(name: string): Account | undefined {
    return this.#accounts.get(name)
  }

  putAccount(name: string, account: Account | undefined): void {
    if (account) this.#accounts.set(name, account)
    else this.#accounts.delete(name)
  }

  #spent(caller: Caller, now: number): Account {
    let account = this.#accounts.get(caller.account)
    if (!account) {
      account = { minute: { window: 0, used: 0 }, day: { window: 0, used: 0 } }
      this.#accounts.set(caller.account, account)
    }
    roll(account.minute, Math.floor(now / MINUTE))
    roll(account.day, Math.floor(now / DAY))
    if (caller.always === 'rate-limited') account.minute.used = caller.plan.minute
    if (caller.always === 'day-exhausted') account.day.used = caller.plan.day

    return account
  }

  #refusal(caller: Caller, now: number, remaining: RemainingQuota): Refusal | undefined {
    const spent = this.#enforced || caller.always ? spentWindow(remaining) : undefined
    const windowOver = spent ? windowEnd(now, spent.length) : 0
    const banOver = this.#bans.until(caller, now)
    if (banOver === undefined) return spent && { by: spent.name, until: windowOver }
    if (!spent || windowOver <= banOver) return { by: 'ban', until: banOver }

    return { by: 'ban', until: windowOver, outlastedBy: spent.name }
  }
}

const MINUTE_WINDOW = { name: 'minute', length: MINUTE } as const
const DAY_WINDOW = { name: 'day', length: DAY } as const

/** The window without requests left; the day when it is both, because a day never ends before its minutes. */
function spentWindow({
  minute,
  day,
}: RemainingQuota): typeof MINUTE_WINDOW | typeof DAY_WINDOW | undefined {
  if (day === 0) return DAY_WINDOW
  return minute === 0 ? MINUTE_WINDOW : undefined
}

function left({ plan }: Caller, minute: Usage, day: Usage): RemainingQuota {
  return { minute: Math.max(0, plan.minute - minute.used), day: Math.max(0, plan.day - day.used) }
}

function roll(usage: Usage, window: number): void {
  if (usage.window === window) return
  usage.window = window
  usage.used = 0
}
