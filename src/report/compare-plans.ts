import {
  type BanHistory,
  type BanRules,
  bannedUntil,
  decideBan,
  endRefusals,
} from '../access/ban.ts'
import type { MeteredCaller, Plan } from '../access/callers.ts'
import { decideQuota, UNUSED } from '../access/quota.ts'
import { count } from '../validation/usage-error.ts'
import {
  type ClientTimeline,
  hadSeenResponse,
  requestIdentity,
  toTimelines,
} from './client-timeline.ts'
import { formatDuration } from './format.ts'
import { type ReportEntry, TOO_MANY_REQUESTS } from './report-entry.ts'

/** The result of the recorded traffic on one plan. */
export interface PlanResult {
  readonly plan: string
  /** Requests per minute. */
  readonly minute: number
  /** Requests per day. */
  readonly day: number
  /** Whether the plan is sufficient: no request is refused. */
  readonly enough: boolean
  /** The number of refused requests. */
  readonly refused: number
  /** The longest wait after a refused request, in milliseconds. */
  readonly longestWait: number
  /** The number of bans, if the client does not wait. */
  readonly bans: number
}

/** Which plan the recorded traffic needs. */
export interface PlanComparison {
  /** The number of replayed requests: those with a valid key, without retries after a 429. */
  readonly requests: number
  /** The smallest sufficient plan; absent when no plan is sufficient. */
  readonly needs?: string
  /** Smallest plan first. */
  readonly plans: readonly PlanResult[]
}

/** Replays the recorded traffic on every plan, with the recorded times and the rules of the sandbox. */
export function comparePlans(
  entries: readonly ReportEntry[],
  plans: readonly Plan[],
  banRules: BanRules | undefined,
): PlanComparison {
  const timelines = toTimelines(entries).map(withoutRetries)
  const results = plans
    .toSorted((one, other) => one.minute - other.minute || one.day - other.day)
    .map((plan) => replayOnPlan(plan, timelines, banRules))
  const smallest = results.find(({ enough }) => enough)

  return {
    requests: timelines.flat().length,
    ...(smallest && { needs: smallest.plan }),
    plans: results,
  }
}

/** The number of refusals of one request that are remembered: more than a client has in flight. */
const MAX_OPEN_REFUSALS = 200

/** The requests without retries after a 429: with a sufficient plan, the client would not have to retry. */
function withoutRetries(timeline: ClientTimeline): ClientTimeline {
  const refused = new Map<string, ReportEntry[]>()
  return timeline.filter((entry) => {
    if (entry.caller !== 'valid') return false
    const open = refused.get(requestIdentity(entry)) ?? []
    const at = open.findIndex((earlier) => hadSeenResponse(entry, earlier, timeline))
    if (at !== -1) open.splice(at, 1)
    if (entry.status === TOO_MANY_REQUESTS) open.push(entry)
    if (open.length > MAX_OPEN_REFUSALS) open.shift()
    refused.set(requestIdentity(entry), open)

    return at === -1
  })
}

/** Every request counts as one. */
const COUNTED = { cost: 1, isEnforced: true } as const

function replayOnPlan(
  plan: Plan,
  timelines: readonly ClientTimeline[],
  banRules: BanRules | undefined,
): PlanResult {
  const { name, minute, day } = plan
  const waits = timelines.flatMap((timeline) => replay(timeline, plan, undefined).waits)
  const refused = waits.length
  const longestWait = waits.reduce((longest, wait) => Math.max(longest, wait), 0)
  const bans = timelines.reduce((sum, one) => sum + replay(one, plan, banRules).bans, 0)

  return { plan: name, minute, day, enough: refused === 0, refused, longestWait, bans }
}

/** The waits after the refused requests, and the number of bans; without `rules`, nothing is banned. */
function replay(
  timeline: ClientTimeline,
  plan: Plan,
  rules: BanRules | undefined,
): { readonly waits: readonly number[]; readonly bans: number } {
  const caller: MeteredCaller = { account: 'replayed', plan, key: 'valid' }
  const waits: number[] = []
  let usage = UNUSED
  let history: BanHistory | undefined
  for (const { time: now } of timeline) {
    const until = bannedUntil(history, caller, rules, now)
    const counted = decideQuota(usage, { caller, ...COUNTED, now, bannedUntil: until })
    usage = counted.usage
    const { refusal } = counted.quota
    if (refusal) waits.push(refusal.until - now)
    if (!rules) continue
    if (!refusal) history = endRefusals(history)
    else if (refusal.by !== 'ban') history = decideBan(history, refusal, rules, now).history
  }
  return { waits, bans: history?.bans ?? 0 }
}

/** Which plan the traffic needs: `This traffic needs pro; on free, 14 requests are refused and the longest wait is 41 s.` */
export function planSentence({ needs, plans, requests }: PlanComparison): string {
  if (requests === 0) return 'No requests with a valid API key were recorded.'
  if (plans.length === 0) return 'There are no plans to compare.'
  const smallest = plans[0]?.plan
  const verb = needs === smallest ? 'fits' : 'needs'
  const head =
    needs === undefined ? 'No plan is sufficient for this traffic' : `This traffic ${verb} ${needs}`
  const insufficient = plans.filter(({ enough }) => !enough).map(describeShortage)

  return `${[head, ...insufficient].join('; ')}.`
}

function describeShortage({ plan, refused, longestWait, bans }: PlanResult): string {
  const requests = `${count(refused, 'request')} ${refused === 1 ? 'is' : 'are'} refused`
  const ban = bans > 0 ? ', and a client that does not wait is banned' : ''
  return `on ${plan}, ${requests} and the longest wait is ${formatDuration(longestWait)}${ban}`
}
