import { type Problem, problems } from '../http/problem.ts'
import type { Bans } from './bans.ts'
import type { Caller } from './caller.ts'
import type { Quota, Refusal } from './quota.ts'

/** What a request must pass. */
export interface Gate {
  readonly bans: Bans
  /** Whether a valid key is asked for. */
  readonly auth: boolean
  /** Names the protection space in challenges (RFC 9110, section 11.5). */
  readonly realm: string
}

/** Lets the request pass, or throws what stands against it: the key, a ban, a spent quota, in this order. */
export function admit(
  caller: Caller,
  quota: Quota,
  now: number,
  gate: Gate,
  { secured }: { readonly secured: boolean },
): void {
  if (gate.auth && secured && caller.key !== 'valid') throw unauthorized(caller.key, gate.realm)
  if (quota.refusal) {
    const until = gate.bans.refused(caller, quota.refusal, now)
    throw refused(caller, { ...quota.refusal, until }, now, until > quota.refusal.until)
  }
  gate.bans.passed(caller)
}

/** RFC 6750, section 3: a bare challenge when no key was sent, `error` when a wrong one was. */
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
 * The 429 of a spent window or a ban. `Retry-After` is in whole seconds, rounded up, at least 1. `bringsBan`: this refusal
 * itself brings a ban, which outlasts the window.
 */
export function refused(
  caller: Caller,
  { by, until, outlastedBy }: Refusal,
  now: number,
  bringsBan = false,
): Problem {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000))
  const retry = `Retry in ${plural(seconds, 'second')}.`
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
  const consequence = bringsBan ? ' This key is now banned for not waiting.' : ''
  return problems.rateLimitExceeded(
    `The ${plan.name} plan allows ${plural(plan[by], 'request')} a ${by}, and they are spent.${consequence} ${retry}`,
    seconds,
    reason,
  )
}

const REASONS = { minute: 'minute-quota', day: 'day-quota', ban: 'ban' } as const

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
