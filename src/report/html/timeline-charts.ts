import { type ClientTimeline, toTimelines } from '../client-timeline.ts'
import type { Entry } from '../entry.ts'
import { escapeXml } from '../junit.ts'
import type { Report } from '../report.ts'
import { toOneLine } from '../rules.ts'
import { drawLane, LANE } from './lane.ts'
import { createScale, type Scale } from './scale.ts'

const WIDTH = 1000
const LEFT = 52
const RIGHT = 14
const AXIS = 40
/** More are hard to read, and told of in words. */
const MOST_LANES = 6
const MOST_RECORDINGS = 8

/** The requests of each recording against its windows, a lane for each key. */
export function timelineCharts(report: Report): string {
  const early = earlyIds(report)
  const weight = (trail: ClientTimeline): number =>
    trail.length + 1000 * trail.filter(({ id }) => early.has(id)).length
  const recordings = new Map<number, ClientTimeline[]>()
  for (const trail of toTimelines(report.entries)) {
    const { recording = 0 } = trail[0] ?? {}
    const trails = recordings.get(recording) ?? []
    trails.push(trail)
    recordings.set(recording, trails)
  }
  const sum = (trails: readonly ClientTimeline[]): number =>
    trails.reduce((all, trail) => all + weight(trail), 0)
  const worst = [...recordings.values()].sort((one, other) => sum(other) - sum(one))
  const left = worst.length - MOST_RECORDINGS

  return [
    ...worst.slice(0, MOST_RECORDINGS).map((trails) => {
      const lanes = trails.toSorted((one, other) => weight(other) - weight(one))
      return figures(lanes, early, recordings.size > 1)
    }),
    left > 0
      ? `<p class="quiet">${left} more recordings, with less to see, are not drawn.</p>`
      : '',
  ].join('')
}

/** All of a recording, and what in that is too small to be seen: where most was sent too early. */
function figures(
  lanes: readonly ClientTimeline[],
  early: ReadonlySet<string>,
  isOneOfSeveral: boolean,
): string {
  const drawn = lanes.slice(0, MOST_LANES)
  const left = lanes.length - drawn.length
  const entries = drawn.flat()
  const moments = momentsOf(entries)
  const worst = new Set(worstMinutes(entries.filter(({ id }) => early.has(id))))
  const { world, recording } = entries[0] ?? {}
  const name = isOneOfSeveral ? (world ?? `Recording ${recording}`) : undefined
  const [start, end] = ends(moments)
  const [hasty] = worst

  return [
    figure(drawn, early, moments, name),
    end - start > 8 * WORST && hasty
      ? figure(
          drawn.filter((trail) => trail.some((entry) => worst.has(entry))),
          early,
          [hasty.time - WORST / 6, hasty.time + WORST],
          'The worst two minutes',
        )
      : '',
    left > 0 ? `<p class="quiet">${left} more keys, with less to see, are not drawn.</p>` : '',
  ].join('')
}

/** Milliseconds. */
const WORST = 120_000

/** Of requests, those of the two minutes that have most of them. */
function worstMinutes(hasty: readonly Entry[]): readonly Entry[] {
  const sorted = hasty.toSorted((one, other) => one.time - other.time)
  let [from, most, first] = [0, 0, 0]
  for (const [at, { time }] of sorted.entries()) {
    while (time - (sorted[from]?.time ?? time) > WORST) from += 1
    if (at - from >= most) [most, first] = [at - from + 1, from]
  }
  return sorted.slice(first, first + most)
}

function ends(moments: readonly number[]): readonly [number, number] {
  return moments.reduce<[number, number]>(
    ([first, last], time) => [Math.min(first, time), Math.max(last, time)],
    [Number.POSITIVE_INFINITY, 0],
  )
}

/** The requests that were sent when nothing was to be sent. */
function earlyIds({ findings }: Report): ReadonlySet<string> {
  const rules = new Set(['early-retry', 'during-ban'])
  return new Set(findings.filter(({ rule }) => rules.has(rule)).flatMap(({ entries }) => entries))
}

function figure(
  trails: readonly ClientTimeline[],
  early: ReadonlySet<string>,
  moments: readonly number[],
  name: string | undefined,
): string {
  const scale = createScale(moments, WIDTH - LEFT - RIGHT)
  const height = trails.length * LANE + AXIS
  const lanes = trails.map(
    (trail, at) => `<g transform="translate(0 ${at * LANE})">${drawLane(trail, scale, early)}</g>`,
  )

  return `<figure>${name === undefined ? '' : `<figcaption>${escapeXml(toOneLine(name))}</figcaption>`}
<div class="scroll"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Requests over time, a lane for each API key">
<defs><pattern id="banned" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7"/></pattern></defs>
<g transform="translate(${LEFT} 0)">${axis(scale, height)}
${lanes.join('\n')}
</g></svg></div></figure>`
}

/** All requests, and of a wait that nobody sat through a part. */
function momentsOf(entries: readonly Entry[]): readonly number[] {
  const times = entries.map(({ time }) => time)
  const [first, last] = ends(times)
  const until = entries.reduce((end, { retryAt = 0 }) => Math.max(end, retryAt), 0)
  const more = last + Math.max((last - first) * 0.15, 2000)

  return until > last ? [...times, Math.min(until, more)] : times
}

function axis({ ticks, breaks, width }: Scale, height: number): string {
  const ground = height - AXIS + 4
  const isFree = (x: number): boolean => breaks.every((one) => Math.abs(one.x - x) > 64)
  const lines = ticks
    .map(({ x }) => `<path class="grid" d="M${x.toFixed(1)} 20V${ground}"/>`)
    .join('')
  const labels = ticks
    .filter(({ x }) => isFree(x) && x < width - 20)
    .map(
      ({ x, label }) => `<text class="tick" x="${x.toFixed(1)}" y="${ground + 16}">${label}</text>`,
    )
    .join('')
  const gaps = breaks
    .map(
      ({ x, label }) =>
        `<path class="gap" d="M${x} 20V${ground}"/><text class="gap-label" x="${x}" y="${ground + 16}">+ ${label}</text>`,
    )
    .join('')

  return `${lines}${gaps}<path class="axis" d="M0 ${ground}H${width}"/>${labels}`
}
