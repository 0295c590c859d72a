import type { RateLimit } from '../http/response-headers.ts'
import type { RemainingQuota } from '../journal/exchange.ts'
import type { MeteredCaller } from './callers.ts'

/** The requests of an account in the latest window. */
export interface WindowUsage {
  /** The window's number, counted from 1970. */
  readonly window: number
  readonly used: number
}

/** How many requests an account has used: in the latest UTC minute and in the latest UTC day. */
export interface Usage {
  readonly minute: WindowUsage
  readonly day: WindowUsage
}

export const UNUSED: Usage = { minute: { window: 0, used: 0 }, day: { window: 0, used: 0 } }

/** Why a request is refused: a spent window or a ban. */
export interface QuotaRefusal {
  readonly by: 'minute' | 'day' | 'ban'
  /** When requests pass again, in epoch milliseconds: the latest of the ends of every spent window and of the ban. */
  readonly until: number
  /** The spent window that ends after the ban; absent when no window does. */
  readonly outlastedBy?: 'minute' | 'day'
}

/**
 * The caller's quota once its request is counted. `limit`, `remaining` and `reset` are of the window with the fewest
 * requests left, and go to the `X-RateLimit-*` headers.
 */
export interface Quota extends RateLimit {
  /** What was left before the request. */
  readonly before: RemainingQuota
  /** What is left after it. */
  readonly after: RemainingQuota
  /** Present when the request must be refused; then it was not counted. */
  readonly refusal?: QuotaRefusal
}

/** A request to be counted. */
export interface CountedRequest {
  readonly caller: MeteredCaller
  /** Epoch milliseconds. */
  readonly now: number
  /** How many requests it counts as. */
  readonly cost: 0 | 1
  /** When the caller's ban ends; `undefined` when the caller is not banned. */
  readonly bannedUntil: number | undefined
  /** Unless enforced, nothing is counted, and only bans and magic keys are refused. */
  readonly isEnforced: boolean
}

/** Lengths of the windows in milliseconds. */
export const MINUTE = 60_000
export const DAY = 86_400_000

const MINUTE_WINDOW = { name: 'minute', length: MINUTE } as const
const DAY_WINDOW = { name: 'day', length: DAY } as const

/** Counts a request by the account's usage until now, unless a spent window or a ban refuses it. */
export function decideQuota(
  usage: Usage,
  { caller, now, cost, bannedUntil, isEnforced }: CountedRequest,
): { readonly usage: Usage; readonly quota: Quota } {
  const present = usageAt(usage, caller, now)
  const before = remainingOf(caller, present)
  const spent = isEnforced || caller.always ? spentWindow(before) : undefined
  const refusal = refusalBy(spent, bannedUntil, now)
  const isCounted = isEnforced && cost > 0 && !refusal
  const counted = isCounted ? addUsage(present, { minute: cost, day: cost }) : present
  const after = isCounted ? remainingOf(caller, counted) : before
  const shown = after.day <= after.minute ? DAY_WINDOW : MINUTE_WINDOW

  return {
    usage: counted,
    quota: {
      limit: caller.plan[shown.name],
      remaining: after[shown.name],
      reset: windowEnd(now, shown.length),
      before,
      after,
      ...(refusal && { refusal }),
    },
  }
}

/** The usage in the windows that `now` is in. A magic key has always spent its window. */
export function usageAt(usage: Usage, { plan, always }: MeteredCaller, now: number): Usage {
  const minute = windowAt(usage.minute, Math.floor(now / MINUTE))
  const day = windowAt(usage.day, Math.floor(now / DAY))
  if (always === 'rate-limited') return { minute: { ...minute, used: plan.minute }, day }
  if (always === 'day-exhausted') return { minute, day: { ...day, used: plan.day } }
  return minute === usage.minute && day === usage.day ? usage : { minute, day }
}

/** The usage with further requests. */
export function addUsage({ minute, day }: Usage, requests: Partial<RemainingQuota>): Usage {
  return {
    minute: { window: minute.window, used: minute.used + (requests.minute ?? 0) },
    day: { window: day.window, used: day.used + (requests.day ?? 0) },
  }
}

/** The end of the window of `length` milliseconds that `now` is in; windows start on the UTC minute and day. */
export function windowEnd(now: number, length: number): number {
  return (Math.floor(now / length) + 1) * length
}

function windowAt(usage: WindowUsage, window: number): WindowUsage {
  return usage.window === window ? usage : { window, used: 0 }
}

function remainingOf({ plan }: MeteredCaller, { minute, day }: Usage): RemainingQuota {
  return { minute: Math.max(0, plan.minute - minute.used), day: Math.max(0, plan.day - day.used) }
}

/** The window without requests left; the day when it is both, because a day never ends before its minutes. */
function spentWindow({
  minute,
  day,
}: RemainingQuota): typeof MINUTE_WINDOW | typeof DAY_WINDOW | undefined {
  if (day === 0) return DAY_WINDOW
  return minute === 0 ? MINUTE_WINDOW : undefined
}

function refusalBy(
  spent: ReturnType<typeof spentWindow>,
  bannedUntil: number | undefined,
  now: number,
): QuotaRefusal | undefined {
  const windowOver = spent ? windowEnd(now, spent.length) : 0
  if (bannedUntil === undefined) return spent && { by: spent.name, until: windowOver }
  if (!spent || windowOver <= bannedUntil) return { by: 'ban', until: bannedUntil }

  return { by: 'ban', until: windowOver, outlastedBy: spent.name }
}

/** The figures of quota headers that a document declares although no quota applies: the window never has fewer requests left. */
export function unlimitedRate(now: number): RateLimit {
  return { limit: UNLIMITED, remaining: UNLIMITED, reset: windowEnd(now, MINUTE) }
}

const UNLIMITED = 1_000_000
