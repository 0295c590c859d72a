import { type Problem, problems } from '../http/problem.ts'
import { MAX_TIME } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'
import {
  count,
  kindOf,
  refuseUnknown,
  requireInteger,
  UsageError,
} from '../validation/usage-error.ts'
import type { Caller } from './callers.ts'
import type { Quota, QuotaRefusal } from './quota.ts'

/** When a key that does not wait after a 429 is banned. */
export interface BanRules {
  /** How many refused requests in a row, none of which waited for `Retry-After`, cause a ban. */
  readonly refusals: number
  /** Length of the first ban, in seconds. */
  readonly seconds: number
  /** How many times longer each later ban of the same key is. */
  readonly factor: number
  /** The maximum length of a ban, in seconds. */
  readonly maxSeconds: number
}

/** The rules of a ban that is switched on without rules of its own. */
export const BAN_RULES: BanRules = { refusals: 10, seconds: 300, factor: 2, maxSeconds: 3600 }

/**
 * The rules of an option, or those of the document. Without either, and with `false`, nobody is banned. Throws a UsageError for
 * an unknown rule, and for a number that is not an integer ≥ 1.
 */
export function resolveBanRules(
  given: unknown,
  documented: false | Partial<BanRules> | undefined,
): BanRules | undefined {
  const rules = given === undefined ? documented : given
  if (rules === undefined || rules === false) return undefined
  if (!isObject(rules)) {
    throw new UsageError({
      code: 'invalid_option',
      task: 'use the option ban',
      reason: `the value must be an object or false (got ${rules === true ? rules : kindOf(rules)})`,
      help: 'Give {} for the default rules, or false to switch bans off.',
    })
  }
  refuseUnknown('ban', rules, Object.keys(BAN_RULES))
  const { refusals, seconds, factor, maxSeconds } = { ...BAN_RULES, ...documented, ...rules }

  return {
    refusals: requireInteger('ban.refusals', refusals, 1),
    seconds: requireInteger('ban.seconds', seconds, 1),
    factor: requireInteger('ban.factor', factor, 1),
    maxSeconds: requireInteger('ban.maxSeconds', maxSeconds, 1),
  }
}

/** The refusals and bans of an account. */
export interface BanHistory {
  /** Refused requests in a row. */
  readonly row: number
  /** When the last refusal allows the next request, in epoch milliseconds. */
  readonly retryAt: number
  /** Number of bans, the present one included. */
  readonly bans: number
  /** When the latest ban ends, in epoch milliseconds. */
  readonly until: number
}

const NO_HISTORY: BanHistory = { row: 0, retryAt: 0, bans: 0, until: 0 }

/** When the caller's ban ends; `undefined` when the caller is not banned. */
export function bannedUntil(
  history: BanHistory | undefined,
  caller: Caller,
  rules: BanRules | undefined,
  now: number,
): number | undefined {
  if (caller.always === 'banned') return firstBanEnd(rules, now)
  const until = history?.until ?? 0

  return until > now ? until : undefined
}

/** When a first ban that starts now ends; by the default rules where bans are switched off. */
export function firstBanEnd(rules: BanRules | undefined, now: number): number {
  return now + (rules ?? BAN_RULES).seconds * 1000
}

/**
 * Adds a refused request to the history, which may cause a ban. `until` is when the caller may send the next request. Without
 * rules nobody is banned.
 */
export function decideBan(
  history: BanHistory | undefined,
  refusal: QuotaRefusal,
  rules: BanRules,
  now: number,
): { readonly history: BanHistory; readonly until: number } {
  const earlier = history ?? NO_HISTORY
  const row = now < earlier.retryAt ? earlier.row + 1 : 1
  const refused = { ...earlier, row, retryAt: refusal.until }
  if (row < rules.refusals) return { history: refused, until: refusal.until }
  const banned = addBan(refused, now + banSeconds(rules, earlier.bans) * 1000)

  return { history: banned, until: Math.max(refusal.until, banned.until) }
}

/** The history with a ban until the time given, whatever the caller did. */
export function addBan(history: BanHistory | undefined, until: number): BanHistory {
  const earlier = history ?? NO_HISTORY
  return { ...earlier, row: 0, bans: earlier.bans + 1, until: Math.min(until, MAX_TIME) }
}

/** The history after a request that passed, which ends a row of refused ones. */
export function endRefusals(history: BanHistory | undefined): BanHistory | undefined {
  return history && history.row > 0 ? { ...history, row: 0 } : history
}

function banSeconds(rules: BanRules, earlierBans: number): number {
  return Math.min(rules.seconds * rules.factor ** earlierBans, rules.maxSeconds)
}

/** A request that was counted, to be admitted. */
export interface CountedCall {
  readonly caller: Caller
  /** Absent when no quota applies. */
  readonly quota: Quota | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** The result of admitting a request, which is refused if `problem` is present. */
export interface Admission {
  readonly history: BanHistory | undefined
  readonly problem?: Problem
}

/** Admits a request, or refuses it because of a ban or a spent quota, in this order. Without rules, nobody is banned. */
export function decideAdmission(
  history: BanHistory | undefined,
  { caller, quota, now }: CountedCall,
  ban: BanRules | undefined,
): Admission {
  const refusal = quota?.refusal
  if (!refusal) return { history: endRefusals(history) }
  if (!ban || caller.always || refusal.by === 'ban') {
    return { history, problem: tooManyRequests(caller, refusal, now) }
  }
  const decided = decideBan(history, refusal, ban, now)
  const { until } = decided
  const problem = tooManyRequests(caller, { ...refusal, until }, now, until > refusal.until)

  return { history: decided.history, problem }
}

/**
 * The 429 of a spent window or a ban. `Retry-After` is in seconds, rounded up, at least 1. `causesBan` is `true` when this
 * refusal causes a ban that ends after the window.
 */
export function tooManyRequests(
  { plan, always }: Caller,
  { by, until, outlastedBy }: QuotaRefusal,
  now: number,
  causesBan = false,
): Problem {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000))
  const retry = `Retry in ${count(seconds, 'second')}.`
  // A magic key is another way to force an outcome.
  const reason = always ? `forced:${always}` : REASONS[by]
  if (by === 'ban') {
    const spent =
      outlastedBy && plan
        ? ` The ${plan.name} plan's requests of this ${outlastedBy} are spent, too.`
        : ''
    return problems.keyBanned(
      `This API key is banned, because it kept sending requests without waiting for Retry-After.${spent} ${retry}`,
      seconds,
      reason,
    )
  }
  const consequence = causesBan ? ' This key is now banned for not waiting.' : ''
  const spent = plan
    ? `The ${plan.name} plan allows ${count(plan[by], 'request')} a ${by}, and they are spent.`
    : `The requests of this ${by} are spent.`
  return problems.rateLimitExceeded(`${spent}${consequence} ${retry}`, seconds, reason)
}

const REASONS = { minute: 'minute-quota', day: 'day-quota', ban: 'ban' } as const

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
