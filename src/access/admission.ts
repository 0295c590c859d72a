import { type Problem, problems } from '../http/problem.ts'
import { count } from '../validation/plural.ts'
import { type BanHistory, type BanRules, decideBan, endRefusals } from './ban.ts'
import type { Caller } from './caller.ts'
import type { Quota, QuotaRefusal } from './quota.ts'

/** The settings that decide whether requests are admitted. */
export interface AdmissionRules {
  /** Whether a valid API key is required. */
  readonly auth: boolean
  /** Names the protection space in challenges (RFC 9110, section 11.5). */
  readonly realm: string
  /** `undefined` when bans are switched off. */
  readonly ban: BanRules | undefined
}

/** A request that was counted, to be admitted. */
export interface CountedCall {
  readonly caller: Caller
  readonly quota: Quota
  /** Epoch milliseconds. */
  readonly now: number
  /** Whether the operation requires an API key. */
  readonly secured: boolean
}

/** The result of admitting a request, which is refused if `problem` is present. */
export interface Admission {
  readonly history: BanHistory | undefined
  readonly problem?: Problem
}

/** Admits a request, or refuses it because of the key, a ban or a spent quota, in this order. */
export function decideAdmission(
  history: BanHistory | undefined,
  { caller, quota, now, secured }: CountedCall,
  { auth, realm, ban }: AdmissionRules,
): Admission {
  if (auth && secured && caller.key !== 'valid') {
    return { history, problem: unauthorized(caller.key, realm) }
  }
  const { refusal } = quota
  if (!refusal) return { history: endRefusals(history) }
  if (!ban || caller.always || refusal.by === 'ban') {
    return { history, problem: tooManyRequests(caller, refusal, now) }
  }
  const decided = decideBan(history, refusal, ban, now)
  const { until } = decided
  const problem = tooManyRequests(caller, { ...refusal, until }, now, until > refusal.until)

  return { history: decided.history, problem }
}

/** The 401: a bare challenge when no key was sent, with `error` when a wrong one was sent (RFC 6750, section 3). */
export function unauthorized(key: 'missing' | 'invalid', realm: string): Problem {
  const challenge = `Bearer realm="${realm.replace(/["\\]/g, '\\$&')}"`
  if (key === 'missing') {
    return problems.unauthorized(
      'No API key was sent. Send one in the header "Authorization: Bearer <API_KEY>".',
      challenge,
      'no-key',
    )
  }
  return problems.unauthorized(
    'The API key is not valid. Send one that the sandbox knows: the server prints them when it starts.',
    `${challenge}, error="invalid_token", error_description="The API key is not valid"`,
    'wrong-key',
  )
}

/**
 * The 429 of a spent window or a ban. `Retry-After` is in seconds, rounded up, at least 1. `causesBan` is `true` when this
 * refusal causes a ban that ends after the window.
 */
export function tooManyRequests(
  caller: Caller,
  { by, until, outlastedBy }: QuotaRefusal,
  now: number,
  causesBan = false,
): Problem {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000))
  const retry = `Retry in ${count(seconds, 'second')}.`
  // A magic key is another way to force an outcome.
  const reason = caller.always ? `forced:${caller.always}` : REASONS[by]
  const { plan } = caller
  if (by === 'ban') {
    const spent = outlastedBy
      ? ` The ${plan.name} plan's requests of this ${outlastedBy} are spent, too.`
      : ''
    return problems.keyBanned(
      `This API key is banned, because it kept sending requests without waiting for Retry-After.${spent} ${retry}`,
      seconds,
      reason,
    )
  }
  const consequence = causesBan ? ' This key is now banned for not waiting.' : ''
  return problems.rateLimitExceeded(
    `The ${plan.name} plan allows ${count(plan[by], 'request')} a ${by}, and they are spent.${consequence} ${retry}`,
    seconds,
    reason,
  )
}

const REASONS = { minute: 'minute-quota', day: 'day-quota', ban: 'ban' } as const
