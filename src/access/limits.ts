import type { Bans } from './bans.ts'
import type { Caller } from './caller.ts'
import { DAY, MINUTE, type Quota, type Refusal, windowEnd } from './quota.ts'

/** Requests of one window. */
export interface Usage {
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

  /** Where `enforced` is false nothing is counted and nothing refused, but for bans of magic keys. */
  constructor(bans: Bans, enforced: boolean) {
    this.#bans = bans
    this.#enforced = enforced
  }

  /**
   * Takes `cost` requests, one or none, from the caller's quota, or says what stands against it. `now` is in epoch
   * milliseconds.
   */
  count(caller: Caller, now: number, cost: 0 | 1 = 1): Quota {
    const { minute, day } = this.#spent(caller, now)
    const minuteLeft = Math.max(0, caller.plan.minute - minute.used)
    const dayLeft = Math.max(0, caller.plan.day - day.used)
    const refusal = this.#refusal(caller, now, minuteLeft, dayLeft)
    const taken = refusal || !this.#enforced ? 0 : cost
    minute.used += taken
    day.used += taken

    const isDay = dayLeft <= minuteLeft
    const quota = {
      limit: isDay ? caller.plan.day : caller.plan.minute,
      remaining: Math.min(minuteLeft, dayLeft) - taken,
      reset: windowEnd(now, isDay ? DAY : MINUTE),
      before: { minute: minuteLeft, day: dayLeft },
      after: { minute: minuteLeft - taken, day: dayLeft - taken },
    }
    return refusal ? { ...quota, refusal } : quota
  }

  /** What each account has used. */
  snapshot(): readonly [account: string, used: Account][] {
    return structuredClone([...this.#accounts])
  }

  restore(accounts: readonly [account: string, used: Account][]): void {
    for (const [account, used] of structuredClone(accounts)) this.#accounts.set(account, used)
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

  #refusal(caller: Caller, now: number, minuteLeft: number, dayLeft: number): Refusal | undefined {
    const banned = this.#bans.until(caller, now)
    if (banned !== undefined) return { by: 'ban', until: banned }
    if (!this.#enforced && !caller.always) return undefined
    if (dayLeft === 0) return { by: 'day', until: windowEnd(now, DAY) }
    if (minuteLeft === 0) return { by: 'minute', until: windowEnd(now, MINUTE) }

    return undefined
  }
}

function roll(usage: Usage, window: number): void {
  if (usage.window === window) return
  usage.window = window
  usage.used = 0
}
