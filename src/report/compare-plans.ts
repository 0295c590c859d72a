import {
  type BanHistory,
  type BanRules,
  bannedUntil,
  decideBan,
  endRefusals,
} from '../access/ban.ts'
import type { Caller } from '../access/caller.ts'
import type { Plan } from '../access/plan.ts'
import { decideQuota, UNUSED } from '../access/quota.ts'
import {
  type ClientTimeline,
  hadSeenResponse,
  requestIdentity,
  toTimelines,
} from './client-timeline.ts'
import { type Entry, TOO_MANY_REQUESTS } from './entry.ts'

/** How recorded traffic would fare on a plan. */
export interface PlanResult {
  readonly plan: string
  /** Requests a minute and a day that it allows. */
  readonly minute: number
  readonly day: number
  /** Whether nothing is refused. */
  readonly enough: boolean
  /** How many requests a spent window refuses. */
  readonly refused: number
  /** The longest that a refused request has to wait, in milliseconds. */
  readonly longestWait: number
  /** How often a key is banned, if its client goes on as if nothing had been refused. */
  readonly bans: number
}

/** Which plan recorded traffic needs. */
export interface PlanComparison {
  /** How many requests were replayed: those with a valid key, retries of refused ones left out. */
  readonly requests: number
  /** The least plan that is enough; absent when none is. */
  readonly needs?: string
  /** The least first. */
  readonly plans: readonly PlanResult[]
}

/** Replays the recorded traffic on every plan, by the rules of the sandbox and at the times at which it was sent. */
export function comparePlans(
  entries: readonly Entry[],
  plans: readonly Plan[],
  banRules: BanRules | undefined,
): PlanComparison {
  const demands = toTimelines(entries).map(withoutRetries)
  const fits = plans
    .toSorted((one, other) => one.minute - other.minute || one.day - other.day)
    .map((plan) => replayOnPlan(plan, demands, banRules))
  const needs = fits.find(({ enough }) => enough)

  return {
    requests: demands.flat().length,
    ...(needs && { needs: needs.plan }),
    plans: fits,
  }
}

/** So many refusals of one request are looked at: no client has more under way. */
const MOST_OPEN = 200

/** What the client wanted to send: a retry of what was refused is the same wish, which a larger plan serves at once. */
function withoutRetries(trail: ClientTimeline): ClientTimeline {
  const refused = new Map<string, Entry[]>()
  return trail.filter((entry) => {
    if (entry.caller !== 'valid') return false
    const open = refused.get(requestIdentity(entry)) ?? []
    const at = open.findIndex((earlier) => hadSeenResponse(entry, earlier, trail))
    if (at !== -1) open.splice(at, 1)
    if (entry.status === TOO_MANY_REQUESTS) open.push(entry)
    if (open.length > MOST_OPEN) open.shift()
    refused.set(requestIdentity(entry), open)

    return at === -1
  })
}

/** Every request counts as one. */
const COUNTED = { cost: 1, isEnforced: true } as const

function replayOnPlan(
  plan: Plan,
  demands: readonly ClientTimeline[],
  banRules: BanRules | undefined,
): PlanResult {
  let refused = 0
  let longestWait = 0
  let bans = 0
  for (const demand of demands) {
    const caller: Caller = { account: 'replayed', plan, key: 'valid' }
    let usage = UNUSED
    for (const { time } of demand) {
      const counted = decideQuota(usage, { caller, ...COUNTED, now: time, bannedUntil: undefined })
      usage = counted.usage
      const { refusal } = counted.quota
      if (!refusal) continue
      refused += 1
      longestWait = Math.max(longestWait, refusal.until - time)
    }
    bans += countBans(caller, demand, banRules)
  }
  const { name, minute, day } = plan

  return { plan: name, minute, day, enough: refused === 0, refused, longestWait, bans }
}

function countBans(caller: Caller, demand: ClientTimeline, rules: BanRules | undefined): number {
  if (!rules) return 0
  let usage = UNUSED
  let history: BanHistory | undefined
  for (const { time: now } of demand) {
    const until = bannedUntil(history, caller, rules, now)
    const counted = decideQuota(usage, { caller, ...COUNTED, now, bannedUntil: until })
    usage = counted.usage
    const { refusal } = counted.quota
    if (!refusal) history = endRefusals(history)
    else if (refusal.by !== 'ban') history = decideBan(history, refusal, rules, now).history
  }
  return history?.bans ?? 0
}
