import { type ClientTimeline, hadSeenResponse, requestIdentity } from './client-timeline.ts'
import { type Entry, TOO_MANY_REQUESTS } from './entry.ts'
import type { Violation } from './rules.ts'

/** Timers and the machines' clocks differ by as much, in milliseconds. */
const TOLERANCE = 30
/** Shorter waits are none, in milliseconds. */
const NO_WAIT = 100
/** Retries that come within so many milliseconds come at the same moment. */
const SAME_MOMENT = 10

/** So many refusals at once are looked at: no client has more requests under way. */
const MOST_OPEN = 200

/** A request that a refusal had asked to wait with. */
export interface EarlyRequest {
  readonly entry: Entry
  readonly refused: Entry
  readonly wait: { readonly asked: number; readonly passed: number }
}

/** The requests of a trail that did not wait for `Retry-After`, each with the refusal that told it to. */
export function earlyRequests(trail: ClientTimeline): readonly EarlyRequest[] {
  const early: EarlyRequest[] = []
  let open: Entry[] = []
  for (const entry of trail) {
    // A clock that was moved past the wait, or back before the refusal, ends it.
    open = open.filter((refused) => entry.time < endOfWait(refused) && entry.time >= refused.time)
    const refused = open.findLast(
      (one) => appliesTo(one, entry) && hadSeenResponse(entry, one, trail),
    )
    if (refused) {
      const asked = (refused.retryAt ?? refused.time) - refused.time
      const passed = Math.max(0, entry.time - refused.end)
      early.push({ entry, refused, wait: { asked, passed } })
      open = withoutOlder(open, refused)
    }
    if (entry.retryAt !== undefined && isRefusal(entry)) open.push(entry)
    if (open.length > MOST_OPEN) open.shift()
  }
  return early
}

/** Of refusals that say the same, whoever knows the latest needs none before it: thousands would be gone through each time. */
function withoutOlder(open: readonly Entry[], latest: Entry): Entry[] {
  const at = open.indexOf(latest)
  return open.filter((one, place) => {
    const isCovered =
      appliesToWholeKey(latest) || (!appliesToWholeKey(one) && one.operation === latest.operation)
    return place >= at || !isCovered || endOfWait(one) > endOfWait(latest)
  })
}

/** What was seen of retries: too early, during a ban, without back-off. */
export function waitViolations(trail: ClientTimeline): readonly Violation[] {
  const early = earlyRequests(trail)
  const hasty = new Set(early.map(({ entry }) => entry))

  return [
    ...early.map(({ entry, refused, wait }): Violation => {
      if (refused.status !== TOO_MANY_REQUESTS) return { rule: 'retry-storm', entry, wait }
      return { rule: entry.refusal === 'ban' ? 'during-ban' : 'early-retry', entry, wait }
    }),
    ...retrySequences(trail).flatMap((row) => missingBackOff(row, hasty)),
    ...simultaneousRetries(trail),
  ]
}

function isRefusal({ status }: Entry): boolean {
  return status === TOO_MANY_REQUESTS || status === 503
}

/**
 * Rounded up to whole seconds, `Retry-After` is later than the reset that `X-RateLimit-Reset` tells to the second. Whoever
 * waits for that is in time, too.
 */
function endOfWait({ time, retryAt = time, window }: Entry): number {
  // Where requests are left, the window is not what the wait is for.
  const reset = window?.remaining === 0 ? window.reset : 0
  const until = reset <= retryAt && reset > retryAt - 1000 ? reset : retryAt
  return until - TOLERANCE
}

/** A spent quota concerns all that the key sends; an outage, and what a test forced, the operation that met it. */
function appliesTo(refused: Entry, entry: Entry): boolean {
  return appliesToWholeKey(refused) || refused.operation === entry.operation
}

function appliesToWholeKey({ status, forced }: Entry): boolean {
  return status === TOO_MANY_REQUESTS && !forced
}

/** The same request, refused and sent again, in a row. */
function retrySequences(trail: ClientTimeline): readonly (readonly Entry[])[] {
  const rows: Entry[][] = []
  const open = new Map<string, Entry[]>()
  for (const entry of trail) {
    const name = requestIdentity(entry)
    const row = open.get(name)
    const last = row?.at(-1)
    if (row && last && hadSeenResponse(entry, last, trail)) row.push(entry)
    else if (entry.status === TOO_MANY_REQUESTS) {
      const fresh = [entry]
      rows.push(fresh)
      open.set(name, fresh)
    }
    if (entry.status !== TOO_MANY_REQUESTS) open.delete(name)
  }
  return rows
}

/** Of waits that are as long as they were asked to be, nobody asks that they grow. */
function missingBackOff(row: readonly Entry[], hasty: ReadonlySet<Entry>): readonly Violation[] {
  const retries = row.slice(1)
  const waits = retries.map((entry, at) => Math.max(0, entry.time - (row[at]?.end ?? entry.time)))
  const half = Math.floor(waits.length / 2)
  const [early, late] = [waits.slice(0, half), waits.slice(half)].map(longest)
  const isGrowing = (late ?? 0) >= NO_WAIT && (late ?? 0) >= 1.5 * (early ?? 0)
  const [first] = row
  const last = retries.at(-1)
  if (waits.length < 3 || isGrowing || !first || !last) return []
  if (!retries.every((entry) => hasty.has(entry))) return []
  const asked = (first.retryAt ?? first.time) - first.time

  return [{ rule: 'no-back-off', entry: last, wait: { asked, passed: longest(waits) } }]
}

/** Of no waits it is 0. */
function longest(waits: readonly number[]): number {
  return waits.reduce((most, wait) => Math.max(most, wait), 0)
}

/** Three and more requests that waited out a refusal, and all came back at once. */
function simultaneousRetries(trail: ClientTimeline): readonly Violation[] {
  const retries = retrySequences(trail).flatMap(([refused, retry]) =>
    refused && retry && retry.time - refused.end >= NO_WAIT ? [retry] : [],
  )
  const herds: Entry[][] = []
  for (const retry of retries.toSorted((one, other) => one.time - other.time)) {
    const herd = herds.at(-1)
    if (herd?.[0] && retry.time - herd[0].time <= SAME_MOMENT) herd.push(retry)
    else herds.push([retry])
  }
  return herds
    .filter(({ length }) => length >= 3)
    .flatMap((herd) => herd.map((entry): Violation => ({ rule: 'no-jitter', entry })))
}
