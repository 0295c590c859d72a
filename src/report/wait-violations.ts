import { type ClientTimeline, hadSeenResponse, requestIdentity } from './client-timeline.ts'
import { type ReportEntry, TOO_MANY_REQUESTS } from './report-entry.ts'
import type { Violation } from './rules.ts'

/** The difference that timers and clocks of two machines may have, in milliseconds. */
const TOLERANCE = 30
/** A shorter pause, in milliseconds, does not count as a wait. */
const MIN_WAIT = 100
/** Retries within so many milliseconds count as simultaneous. */
const SAME_MOMENT = 10
/** The smallest number of simultaneous retries that is a finding. */
const MIN_SIMULTANEOUS = 3

/** The number of refusals that are remembered at once: more than a client has requests in flight. */
const MAX_OPEN_REFUSALS = 200

/** A request that did not wait for the `Retry-After` of an earlier response. */
export interface EarlyRequest {
  readonly entry: ReportEntry
  readonly refused: ReportEntry
  readonly wait: NonNullable<Violation['wait']>
}

/** The requests of a client that did not wait for `Retry-After`, each with the response that requested the wait. */
export function earlyRequests(timeline: ClientTimeline): readonly EarlyRequest[] {
  const early: EarlyRequest[] = []
  let open: ReportEntry[] = []
  for (const entry of timeline) {
    // When a test moves the clock past the wait, or back before the refusal, the wait is over.
    open = open.filter((refused) => entry.time < endOfWait(refused) && entry.time >= refused.time)
    const refused = open.findLast(
      (one) => appliesTo(one, entry) && hadSeenResponse(entry, one, timeline),
    )
    if (refused) {
      const requested = (refused.retryAt ?? refused.time) - refused.time
      const actual = Math.max(0, entry.time - refused.end)
      early.push({ entry, refused, wait: { requested, actual } })
      open = withoutCovered(open, refused)
    }
    if (entry.retryAt !== undefined && isRefusal(entry)) open.push(entry)
    if (open.length > MAX_OPEN_REFUSALS) open.shift()
  }
  return early
}

/** Removes earlier refusals that request the same wait as the latest one. Otherwise the search takes quadratic time. */
function withoutCovered(open: readonly ReportEntry[], latest: ReportEntry): ReportEntry[] {
  const at = open.indexOf(latest)
  return open.filter((one, index) => {
    const isCovered =
      appliesToWholeKey(latest) || (!appliesToWholeKey(one) && one.operation === latest.operation)
    return index >= at || !isCovered || endOfWait(one) > endOfWait(latest)
  })
}

/** Violations of the rules about retries: too early, during a ban, without back-off, without jitter. */
export function waitViolations(timeline: ClientTimeline): readonly Violation[] {
  const early = earlyRequests(timeline)
  const earlyEntries = new Set(early.map(({ entry }) => entry))
  const sequences = retrySequences(timeline)

  return [
    ...early.map(({ entry, refused, wait }): Violation => {
      if (refused.status !== TOO_MANY_REQUESTS) return { rule: 'retry-storm', entry, wait }
      return { rule: entry.refusal === 'ban' ? 'during-ban' : 'early-retry', entry, wait }
    }),
    ...sequences.flatMap((sequence) => missingBackOff(sequence, earlyEntries)),
    ...simultaneousRetries(sequences),
  ]
}

function isRefusal({ status }: ReportEntry): boolean {
  return status === TOO_MANY_REQUESTS || status === 503
}

/**
 * When the client may send again. `Retry-After` is rounded up to whole seconds, so it can be later than
 * `X-RateLimit-Reset`. Both are accepted.
 */
function endOfWait({ time, retryAt = time, window }: ReportEntry): number {
  // A window that has requests left is not the reason for the wait.
  const reset = window?.remaining === 0 ? window.reset : 0
  const until = reset <= retryAt && reset > retryAt - 1000 ? reset : retryAt
  return until - TOLERANCE
}

/** An exceeded quota applies to all requests of the key. An outage or a forced outcome applies to its operation only. */
function appliesTo(refused: ReportEntry, entry: ReportEntry): boolean {
  return appliesToWholeKey(refused) || refused.operation === entry.operation
}

function appliesToWholeKey({ status, forced }: ReportEntry): boolean {
  return status === TOO_MANY_REQUESTS && !forced
}

/** For each request that got a 429: that request and its retries, up to the first that got another status. */
function retrySequences(timeline: ClientTimeline): readonly (readonly ReportEntry[])[] {
  const sequences: ReportEntry[][] = []
  const open = new Map<string, ReportEntry[]>()
  for (const entry of timeline) {
    const identity = requestIdentity(entry)
    const sequence = open.get(identity)
    const last = sequence?.at(-1)
    if (sequence && last && hadSeenResponse(entry, last, timeline)) sequence.push(entry)
    else if (entry.status === TOO_MANY_REQUESTS) {
      const started = [entry]
      sequences.push(started)
      open.set(identity, started)
    }
    if (entry.status !== TOO_MANY_REQUESTS) open.delete(identity)
  }
  return sequences
}

/** Waits need not grow when each is as long as `Retry-After` requests. */
function missingBackOff(
  sequence: readonly ReportEntry[],
  earlyEntries: ReadonlySet<ReportEntry>,
): readonly Violation[] {
  const retries = sequence.slice(1)
  const waits = retries.map((entry, at) =>
    Math.max(0, entry.time - (sequence[at]?.end ?? entry.time)),
  )
  const half = Math.floor(waits.length / 2)
  const first = longest(waits.slice(0, half))
  const second = longest(waits.slice(half))
  const isGrowing = second >= MIN_WAIT && second >= 1.5 * first
  const [refused] = sequence
  const last = retries.at(-1)
  if (waits.length < 3 || isGrowing || !refused || !last) return []
  if (!retries.every((entry) => earlyEntries.has(entry))) return []
  const requested = (refused.retryAt ?? refused.time) - refused.time

  return [{ rule: 'no-back-off', entry: last, wait: { requested, actual: longest(waits) } }]
}

function longest(waits: readonly number[]): number {
  return waits.reduce((max, wait) => Math.max(max, wait), 0)
}

/** Requests that waited after a 429 and were then retried at the same moment. */
function simultaneousRetries(sequences: readonly (readonly ReportEntry[])[]): readonly Violation[] {
  const retries = sequences.flatMap(([refused, retry]) =>
    refused && retry && retry.time - refused.end >= MIN_WAIT ? [retry] : [],
  )
  const groups: ReportEntry[][] = []
  for (const retry of retries.toSorted((one, other) => one.time - other.time)) {
    const group = groups.at(-1)
    if (group?.[0] && retry.time - group[0].time <= SAME_MOMENT) group.push(retry)
    else groups.push([retry])
  }
  return groups
    .filter(({ length }) => length >= MIN_SIMULTANEOUS)
    .flatMap((group) => group.map((entry): Violation => ({ rule: 'no-jitter', entry })))
}
