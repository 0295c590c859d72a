import { DistinctKeys } from '../journal/client-id.ts'
import { groupBy, once } from '../validation/objects.ts'
import type { ReportEntry } from './report-entry.ts'

/**
 * The requests of one API key in one recording, in the order in which they arrived. Where several keys have the same last
 * characters, the `key` of an entry has the number of its key as well, such as `…test (2)`.
 */
export type ClientTimeline = readonly ReportEntry[]

/** The time, in milliseconds, that a client needs to receive a response and to send the next request. */
const ROUND_TRIP = 5
/** Requests within so many milliseconds of each other are sent at the same time, not one after the other. */
const BURST = 3
/** The largest number of requests that a client has in flight during a round trip. */
const MAX_IN_FLIGHT = 6
/** The number of earlier requests that show whether there was a burst, and whether the clock is frozen. */
const LOOK_BACK = 40

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

/** Whether the client had received the complete response to `earlier` when it sent `entry`. */
export function hadSeenResponse(
  entry: ReportEntry,
  earlier: ReportEntry,
  timeline: ClientTimeline,
): boolean {
  const { number, follows } = entry
  if (number === undefined || follows === undefined || earlier.number === undefined) {
    return entry.time >= earlier.end
  }
  if (earlier.number > follows) return false

  return !(entry.remote && wasInFlight(entry, number, earlier, timeline))
}

/**
 * Whether a request was already on the network when the sandbox finished the earlier response. This happens in bursts only:
 * a client that sends one request at a time waits for each response.
 */
function wasInFlight(
  entry: ReportEntry,
  number: number,
  earlier: ReportEntry,
  timeline: ClientTimeline,
): boolean {
  const isWithinRoundTrip = entry.time - earlier.end < ROUND_TRIP
  const isWithinWindow = number - (earlier.number ?? 0) <= MAX_IN_FLIGHT
  // When the clock was moved back, times cannot be compared.
  if (!isWithinRoundTrip || !isWithinWindow || entry.time < earlier.time) return false
  const burst = justBefore(earlier, timeline).filter(
    (one) =>
      (one.number ?? 0) < (earlier.number ?? 0) &&
      earlier.time - one.time < BURST &&
      earlier.time >= one.time,
  )
  const isClockFrozen = burst.length > 20 && burst.every(({ time }) => time === entry.time)

  return burst.length >= 2 && !isClockFrozen
}

const positionsIn = once(
  (timeline: ClientTimeline): ReadonlyMap<ReportEntry, number> =>
    new Map(timeline.map((entry, at) => [entry, at])),
)

function justBefore(earlier: ReportEntry, timeline: ClientTimeline): ClientTimeline {
  const at = positionsIn(timeline).get(earlier) ?? 0
  return timeline.slice(Math.max(0, at - LOOK_BACK), at)
}

/** Two requests with the same identity are the same request, sent twice. */
export function requestIdentity({ method, target, body = '' }: ReportEntry): string {
  return `${method} ${target} ${body}`
}
