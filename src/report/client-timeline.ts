import { DistinctKeys } from '../journal/client-id.ts'
import { groupBy, once } from '../validation/objects.ts'
import type { ReportEntry } from './report-entry.ts'

/**
 * The requests of one API key in one recording, in the order in which they arrived. Where several keys have the same last
 * characters, the `key` of an entry has the number of its key as well, such as `…test (2)`.
 */
export type ClientTimeline = readonly ReportEntry[]

/**
 * A client has seen a response so many milliseconds after the sandbox wrote it. Requests that come sooner may have been sent before: those
 * of a burst come one after the other.
 */
const TIME_TO_SEE = 250
/** A client that sends one request at a time uses at most so many connections: that of the latest response may not be free yet. */
const MAX_CONNECTIONS_IN_TURN = 2
/** How many requests before and after a request show over how many connections the client sends. */
const NEIGHBOURS = 40
/** How many show whether it opens one connection after the other. */
const NEIGHBOURS_IN_LOOP = 6
/** One in so many may look otherwise. */
const SHARE_OF_OTHERS = 5

/** One timeline for each recording and API key. CORS preflights are left out: the browser sends them, not the client. */
export function toTimelines(entries: readonly ReportEntry[]): readonly ClientTimeline[] {
  const keys = new DistinctKeys()
  const requests = entries.filter(({ method }) => method !== 'OPTIONS')
  const named = requests.map((entry) => {
    const key = keys.nameOf(entry.key, entry.client ?? '', entry.recording)
    return key === entry.key ? entry : { ...entry, key }
  })
  return [...groupBy(named, ({ recording, key }) => `${recording} ${key}`).values()]
}

/**
 * Whether the client had seen the complete response to `earlier` when it sent `entry`. In a recording of the client, the times tell it,
 * and in that of a sandbox in the same process, the order does. Over a network, it had seen the earlier responses on the connection of
 * the request, and a while later all others. When it opened a connection for the request, it had decided to send it by then.
 */
export function hadSeenResponse(
  entry: ReportEntry,
  earlier: ReportEntry,
  timeline: ClientTimeline,
): boolean {
  const { follows, delivery } = entry
  if (follows === undefined || earlier.number === undefined) return entry.time >= earlier.end
  if (earlier.number > follows) return false
  if (!delivery) return true
  const { received, connection, opened = received } = delivery
  if (connection !== undefined && connection === earlier.delivery?.connection) return true
  const pause = opened - writtenAt(earlier, received)
  if (pause >= TIME_TO_SEE) return true

  // The connections of requests that are sent at once are all opened before the first of these is written.
  const areFirst = delivery.opened !== undefined && earlier.delivery?.opened !== undefined
  if (!areFirst || pause <= 0) return false

  return isSentInTurn(entry, timeline) || areOpenedInTurn(entry, timeline)
}

/** Whether the client may have seen the response to `earlier` when it sent `entry` over a connection that was free. */
export function mayHaveSeenResponse(
  entry: ReportEntry,
  earlier: ReportEntry,
  timeline: ClientTimeline,
): boolean {
  const { follows = 0, delivery } = entry
  if (!delivery || (earlier.number ?? 0) > follows) return false
  const { received, opened = received } = delivery

  return opened >= writtenAt(earlier, received) && isSentInTurn(entry, timeline)
}

/** Whether the requests around a request came over so few connections that the client seems to have sent one after the other. */
function isSentInTurn(entry: ReportEntry, timeline: ClientTimeline): boolean {
  const around = requestsAround(entry, timeline, NEIGHBOURS)
  const connections = new Set(around.map((one) => one.delivery?.connection))

  return !connections.has(undefined) && connections.size <= MAX_CONNECTIONS_IN_TURN
}

/** Whether the requests around a request have connections of their own, each opened after the response before: as `curl` in a loop does. */
function areOpenedInTurn(entry: ReportEntry, timeline: ClientTimeline): boolean {
  const around = requestsAround(entry, timeline, NEIGHBOURS_IN_LOOP)
  const isOpenedAfter = ({ delivery }: ReportEntry, before: ReportEntry): boolean =>
    delivery?.opened !== undefined && delivery.opened > writtenAt(before, delivery.received)
  const others = around.filter((one, at) => {
    const before = around[at - 1]
    return before !== undefined && !isOpenedAfter(one, before)
  })
  // A busy server notes a connection too early.
  return others.length * SHARE_OF_OTHERS < around.length
}

/** The request, and those next to it within the time in which the client may not have seen a response. */
function requestsAround(
  entry: ReportEntry,
  timeline: ClientTimeline,
  neighbours: number,
): ClientTimeline {
  const { received = 0 } = entry.delivery ?? {}
  const at = positionsIn(timeline).get(entry) ?? 0

  return timeline
    .slice(Math.max(0, at - neighbours), at + neighbours + 1)
    .filter((one) => Math.abs((one.delivery?.received ?? received) - received) <= TIME_TO_SEE)
}

/** When a response was written. The time that it took is real time, whatever the clock of the sandbox says. */
function writtenAt({ delivery, time, end }: ReportEntry, otherwise: number): number {
  return (delivery?.received ?? otherwise) + (end - time)
}

const positionsIn = once(
  (timeline: ClientTimeline): ReadonlyMap<ReportEntry, number> =>
    new Map(timeline.map((entry, at) => [entry, at])),
)

/** Two requests with the same identity are the same request, sent twice. */
export function requestIdentity({ method, target, body = '' }: ReportEntry): string {
  return `${method} ${target} ${body}`
}
