import type { Contract, Operation } from '../contract/contract.ts'
import { getOwn, groupBy } from '../validation/objects.ts'
import {
  type ClientTimeline,
  hadSeenResponse,
  mayHaveSeenResponse,
  requestIdentity,
} from './client-timeline.ts'
import { type ReportEntry, TOO_MANY_REQUESTS } from './report-entry.ts'
import { RULE_OF_NOTE, ruleOfSignIn, type Violation } from './rules.ts'

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
interface EarlyRequest {
  readonly entry: ReportEntry
  readonly refused: ReportEntry
  readonly wait: NonNullable<Violation['wait']>
}

/** The requests of a client that did not wait for `Retry-After`, each with the response that requested the wait. */
function earlyRequests(timeline: ClientTimeline): readonly EarlyRequest[] {
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
    ...repeatedAtOnce(timeline),
    ...sequences.flatMap((sequence) => missingBackOff(sequence, earlyEntries)),
    ...simultaneousRetries(sequences),
  ]
}

/** Requests that came so soon after the 429 of the same request that the client may not have seen it, but seems to have. */
function repeatedAtOnce(timeline: ClientTimeline): readonly Violation[] {
  const latest = new Map<string, ReportEntry>()
  return timeline.flatMap((entry): readonly Violation[] => {
    const identity = requestIdentity(entry)
    const refused = latest.get(identity)
    latest.set(identity, entry)
    if (refused?.status !== TOO_MANY_REQUESTS || refused.retryAt === undefined) return []
    const isOver = entry.time >= endOfWait(refused) || entry.time < refused.time
    if (isOver || hadSeenResponse(entry, refused, timeline)) return []

    return mayHaveSeenResponse(entry, refused, timeline)
      ? [{ rule: 'repeated-at-once', entry }]
      : []
  })
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

/** The same request gets these statuses each time. */
const INVALID_STATUSES: ReadonlySet<number> = new Set([400, 405, 413, 415, 422])
/** A retry after a server error that comes sooner gives the service no time to recover. */
const MIN_RETRY_MILLISECONDS = 100
/** So many immediate retries are allowed: the connection may have failed. */
const MAX_IMMEDIATE_RETRIES = 2

/**
 * Violations in the way a client uses the API: keys, deprecation, ignored input, repeated requests. `isAuthorized`: some request of
 * the report had a valid key.
 */
export function usageViolations(
  timeline: ClientTimeline,
  contract: Contract,
  isAuthorized: boolean,
): readonly Violation[] {
  return [
    ...timeline.flatMap((entry) => violationsFromNotes(entry, contract)),
    ...timeline.flatMap(unknownOperation),
    ...timeline.flatMap((entry) => unauthorized(entry, isAuthorized)),
    ...repeatedInvalid(timeline),
    ...retryStorms(timeline),
    ...pagesFetchedTwice(timeline),
  ]
}

function violationsFromNotes(entry: ReportEntry, { operations }: Contract): readonly Violation[] {
  return entry.notes.flatMap((note): readonly Violation[] => {
    const { kind, place } = note
    const ofSignIn = ruleOfSignIn(note)
    if (ofSignIn) return [{ rule: ofSignIn, entry }]
    const rule = getOwn(RULE_OF_NOTE, kind)
    if (!rule) return []
    if (rule !== 'deprecated') return [{ rule, entry, detail: place }]
    const operation = operations.find(({ id }) => id === entry.operation)
    return [{ rule, entry, detail: place + describeDeprecation(operation) }]
  })
}

/** The scopes of issued tokens that no request needed, although operations of the document do. */
export function unusedScopes(
  requests: readonly ReportEntry[],
  { operations }: Contract,
): readonly Violation[] {
  const granted = requests.flatMap((entry) =>
    entry.notes.flatMap(({ kind, place }) => (kind === 'granted-scopes' ? [{ entry, place }] : [])),
  )
  if (granted.length === 0) return []
  const called = new Set(requests.map(({ operation }) => operation))
  const needed = (all: readonly Operation[]): ReadonlySet<string> =>
    new Set(all.flatMap(({ scopes = [] }) => scopes.flat()))
  const known = needed(operations)
  const used = needed(operations.filter(({ id }) => called.has(id)))
  const unused = new Map<string, ReportEntry>()
  for (const { entry, place } of granted) {
    for (const scope of place.split(' ')) {
      if (known.has(scope) && !used.has(scope) && !unused.has(scope)) unused.set(scope, entry)
    }
  }
  return [...unused].map(([scope, entry]) => ({ rule: 'unused-scopes', entry, detail: scope }))
}

/** ` (removal on 2030-12-05; use /pets?status=available instead)`. */
function describeDeprecation(operation: Operation | undefined): string {
  const { sunset, successor } = operation?.deprecation ?? {}
  const parts = [
    ...(sunset === undefined ? [] : [`removal on ${new Date(sunset).toISOString().slice(0, 10)}`]),
    ...(successor === undefined ? [] : [`use ${successor} instead`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}

/** A request for a path or a method that the document does not have. */
function unknownOperation(entry: ReportEntry): readonly Violation[] {
  const { operation, status, forced } = entry
  const isUnknown = operation === undefined && !forced && (status === 404 || status === 405)
  return isUnknown ? [{ rule: 'unknown-operation', entry, detail: lineOf(entry) }] : []
}

/** The beginning of a request, such as `GET /pets/7`. */
function lineOf({ method, target }: ReportEntry): string {
  return `${method} ${target}`.slice(0, 80)
}

/** `isAuthorized`: some request had a valid key. Then a 401 may be a test of it. */
function unauthorized(entry: ReportEntry, isAuthorized: boolean): readonly Violation[] {
  if (entry.status !== 401 || entry.forced || entry.caller === 'valid') return []
  // The client had a valid token, which has ended.
  if (entry.notes.some(({ place }) => place === 'token-after-end')) return []
  const detail = entry.caller === 'missing' ? 'without an API key' : 'with an invalid API key'
  return [{ rule: isAuthorized ? 'unauthorized' : 'never-authorized', entry, detail }]
}

function repeatedInvalid(timeline: ClientTimeline): readonly Violation[] {
  const firstRejected = new Map<string, ReportEntry>()
  const violations: Violation[] = []
  for (const entry of timeline) {
    const identity = requestIdentity(entry)
    const earlier = firstRejected.get(identity)
    const isInvalid = INVALID_STATUSES.has(entry.status) && !entry.forced && isComplete(entry)
    if (earlier && isInvalid && hadSeenResponse(entry, earlier, timeline)) {
      const detail = entry.faults.join(', ') || lineOf(entry)
      violations.push({ rule: 'repeated-invalid', entry, detail })
    }
    if (isInvalid) firstRejected.set(identity, earlier ?? entry)
  }
  return violations
}

/** Whether no part of the body was masked, as the codes and tokens of sign-in are: different bodies look the same then. */
function isComplete({ body = '' }: ReportEntry): boolean {
  return !/=…(&|$)|"…"/.test(body)
}

/** Fast retries of a request that fails with a server error. On a frozen clock, waits cannot be measured. */
function retryStorms(timeline: ClientTimeline): readonly Violation[] {
  const sequences = new Map<string, ReportEntry[]>()
  const violations: Violation[] = []
  for (const entry of timeline) {
    const identity = requestIdentity(entry)
    const sequence = sequences.get(identity) ?? []
    const last = sequence.at(-1)
    const isRetry = last && hadSeenResponse(entry, last, timeline) && entry.time >= last.time
    const isTooSoon = isRetry && entry.time - last.end < MIN_RETRY_MILLISECONDS
    if (!isTooSoon) sequence.length = 0
    sequence.push(entry)
    sequences.set(identity, sequence)
    const isClockRunning = entry.time > (sequence[0]?.time ?? entry.time)
    if (sequence.length > MAX_IMMEDIATE_RETRIES + 1 && isClockRunning) {
      violations.push({ rule: 'retry-storm', entry })
    }
    if (!isServerError(entry)) sequences.delete(identity)
  }
  return violations
}

/**
 * Whether the service failed. A response with `Retry-After` is checked by that time instead. When the client aborted its
 * own request body, the service did not fail.
 */
function isServerError({ status, code, retryAt }: ReportEntry): boolean {
  if (status === 0) return code !== 'incomplete_body'
  return status >= 500 && retryAt === undefined
}

/** A page may be fetched once for each response that linked to it: a client that starts again reads all pages again. */
function pagesFetchedTwice(timeline: ClientTimeline): readonly Violation[] {
  const unusedLinks = new Map<string, number>()
  const violations: Violation[] = []
  for (const entry of timeline) {
    if (entry.status < 200 || entry.status > 299) continue
    const page = pageOf(entry.target)
    const links = unusedLinks.get(page)
    if (links !== undefined) unusedLinks.set(page, Math.max(0, links - 1))
    if (links === 0) violations.push({ rule: 'page-twice', entry, detail: entry.target })
    if (entry.next === undefined) continue
    const next = pageOf(entry.next)
    unusedLinks.set(next, (unusedLinks.get(next) ?? 0) + 1)
  }
  return violations
}

/** A page by its last path segment and its query: a link contains the base path, a request target does not. */
function pageOf(target: string): string {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  return `${path.slice(path.lastIndexOf('/'))}?${query}`
}

/** How a client used one operation with one API key. */
export interface OperationUsage {
  readonly recording: number
  readonly key: string
  /** Absent for requests that match no operation. */
  readonly operation?: string
  readonly requests: number
  /** The number of responses with status 429. */
  readonly refused: number
  /** The number of requests that were sent before `Retry-After` had passed. */
  readonly early: number
  /** For each 429 whose request was retried: the requested wait and the actual wait, in milliseconds. */
  readonly waits: readonly { readonly asked: number; readonly waited: number }[]
}

/** How a client used each operation. */
export function usageByOperation(timeline: ClientTimeline): readonly OperationUsage[] {
  const early = new Set(earlyRequests(timeline).map(({ entry }) => entry))

  return [...groupBy(timeline, ({ operation }) => operation)].map(([operation, entries]) => {
    const [{ recording, key }] = entries
    return {
      recording,
      key,
      ...(operation !== undefined && { operation }),
      requests: entries.length,
      refused: entries.filter(({ status }) => status === TOO_MANY_REQUESTS).length,
      early: entries.filter((entry) => early.has(entry)).length,
      waits: waitsOf(entries, timeline),
    }
  })
}

/** Those first with the most requests that were too early or refused. */
export function byRefusals(conduct: readonly OperationUsage[]): readonly OperationUsage[] {
  return conduct.toSorted((one, two) => two.early - one.early || two.refused - one.refused)
}

function waitsOf(
  entries: readonly ReportEntry[],
  timeline: ClientTimeline,
): OperationUsage['waits'] {
  const retries = retriesOf(entries, timeline)
  return entries.flatMap((refused) => {
    if (refused.status !== TOO_MANY_REQUESTS || refused.retryAt === undefined) return []
    const retry = retries.get(refused)
    if (!retry || retry.time < refused.time) return []
    const waited = Math.max(0, Math.round(retry.time - refused.end))
    return [{ asked: refused.retryAt - refused.time, waited }]
  })
}

/** For each request: the next same one that the client sent when it had seen the response. */
function retriesOf(
  entries: readonly ReportEntry[],
  timeline: ClientTimeline,
): ReadonlyMap<ReportEntry, ReportEntry> {
  const unretried = new Map<string, readonly ReportEntry[]>()
  const retries = new Map<ReportEntry, ReportEntry>()
  for (const entry of entries) {
    const identity = requestIdentity(entry)
    const earlier = unretried.get(identity) ?? []
    const unseen = earlier.filter((one) => !hadSeenResponse(entry, one, timeline))
    for (const one of earlier) if (!unseen.includes(one)) retries.set(one, entry)
    unretried.set(identity, [...unseen, entry].slice(-MAX_OPEN_REFUSALS))
  }
  return retries
}
