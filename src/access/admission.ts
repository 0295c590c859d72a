import { type Problem, problems } from '../http/problem.ts'
import { count } from '../validation/usage-error.ts'
import { type BanHistory, type BanRules, decideBan, endRefusals } from './ban.ts'
import type { Caller } from './caller.ts'
import type { Quota, QuotaRefusal } from './quota.ts'

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
