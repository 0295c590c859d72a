import type { Entry } from './entry.ts'

/** What one client asked of one sandbox: the requests of a key in one recording, in the order in which they came. */
export type ClientTimeline = readonly Entry[]

/** A client needs so long, in milliseconds, to hear of an answer and to send again; what comes sooner was under way. */
const TRANSIT = 5
/** Requests that come within so many milliseconds of one another were not each sent after the answer of the one before. */
const BURST = 3
/** As many requests a client may have under way in that time. */
const MOST_UNDER_WAY = 6

/** The trails of merged recordings. What a browser asks by itself is not the client's doing. */
export function toTimelines(entries: readonly Entry[]): readonly ClientTimeline[] {
  const trails = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.method === 'OPTIONS') continue
    const name = `${entry.recording} ${entry.key}`
    const trail = trails.get(name) ?? []
    trail.push(entry)
    trails.set(name, trail)
  }
  return [...trails.values()]
}

/** Whether whoever sent `entry` could know how `earlier` ended: its answer was finished by then, not only begun. */
export function hadSeenResponse(entry: Entry, earlier: Entry, trail: ClientTimeline): boolean {
  const { number, follows } = entry
  if (number === undefined || follows === undefined || earlier.number === undefined) {
    return entry.time >= earlier.end
  }
  if (earlier.number > follows) return false

  return !(entry.remote && isUnderWay(entry, number, earlier, trail))
}

/**
 * On a network, the requests of a burst that were sent before the answer arrived come right after it. Only within a burst:
 * who sends one request at a time sends none before the answer arrived.
 */
function isUnderWay(entry: Entry, number: number, earlier: Entry, trail: ClientTimeline): boolean {
  const isClose = entry.time - earlier.end < TRANSIT
  const isFew = number - (earlier.number ?? 0) <= MOST_UNDER_WAY
  // A frozen clock tells nothing of what is close.
  if (!isClose || !isFew || entry.time < earlier.time) return false
  const before = justBefore(earlier, trail).filter(
    ({ time, number: one = 0 }) =>
      one < (earlier.number ?? 0) && earlier.time - time < BURST && earlier.time >= time,
  )
  const isFrozen = before.length > 20 && before.every(({ time }) => time === entry.time)

  return before.length >= 2 && !isFrozen
}

/** So many entries tell whether there was a burst, and whether the clock stands still. */
const LOOK_BACK = 40

const places = new WeakMap<ClientTimeline, ReadonlyMap<Entry, number>>()

function justBefore(earlier: Entry, trail: ClientTimeline): ClientTimeline {
  const known = places.get(trail) ?? new Map(trail.map((entry, at) => [entry, at]))
  places.set(trail, known)
  const at = known.get(earlier) ?? 0
  return trail.slice(Math.max(0, at - LOOK_BACK), at)
}

/** What makes two requests the same one. */
export function requestIdentity({ method, target, body = '' }: Entry): string {
  return `${method} ${target} ${body}`
}
