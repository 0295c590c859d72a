import { type ClientTimeline, toTimelines } from '../client-timeline.ts'
import type { Report } from '../report.ts'
import type { ReportEntry } from '../report-entry.ts'
import { drawChart } from './chart.ts'

/** More charts would be hard to read; a sentence states how many are left out. */
const MAX_LANES = 6
const MAX_RECORDINGS = 8

/** The length of the section that is drawn separately, in milliseconds. */
const SECTION = 120_000
/** A recording that is longer than so many sections gets a second chart. */
const MANY_SECTIONS = 8

/** A chart for each recording, with a lane for each API key. The recordings with most early requests come first. */
export function timelineCharts(report: Report): string {
  const early = earlyIds(report)
  const weight = (timeline: ClientTimeline): number =>
    timeline.length + 1000 * timeline.filter(({ id }) => early.has(id)).length
  const recordings = new Map<number, ClientTimeline[]>()
  for (const timeline of toTimelines(report.entries)) {
    const { recording = 0 } = timeline[0] ?? {}
    const timelines = recordings.get(recording) ?? []
    timelines.push(timeline)
    recordings.set(recording, timelines)
  }
  const total = (timelines: readonly ClientTimeline[]): number =>
    timelines.reduce((sum, timeline) => sum + weight(timeline), 0)
  const sorted = [...recordings.values()].sort((one, other) => total(other) - total(one))
  const hidden = sorted.length - MAX_RECORDINGS

  return [
    ...sorted.slice(0, MAX_RECORDINGS).map((timelines) => {
      const lanes = timelines.toSorted((one, other) => weight(other) - weight(one))
      return recordingCharts(lanes, early, recordings.size > 1)
    }),
    hidden > 0
      ? `<p class="quiet">${hidden} more recordings, with fewer early requests, are not shown.</p>`
      : '',
  ].join('')
}

/** A chart of the whole recording. A long one gets a second chart: the section with most early requests. */
function recordingCharts(
  lanes: readonly ClientTimeline[],
  early: ReadonlySet<string>,
  isOneOfSeveral: boolean,
): string {
  const shown = lanes.slice(0, MAX_LANES)
  const hidden = lanes.length - shown.length
  const entries = shown.flat()
  const moments = momentsOf(entries)
  const section = worstSection(entries.filter(({ id }) => early.has(id)))
  const { world, recording } = entries[0] ?? {}
  const [start, end] = ends(moments)
  const inSection = new Set(section)
  const [first] = section

  return [
    drawChart(
      shown,
      early,
      moments,
      isOneOfSeveral ? (world ?? `Recording ${recording}`) : undefined,
    ),
    end - start > MANY_SECTIONS * SECTION && first
      ? drawChart(
          shown.filter((timeline) => timeline.some((entry) => inSection.has(entry))),
          early,
          [first.time - SECTION / 6, first.time + SECTION],
          'The two minutes with most early requests',
        )
      : '',
    hidden > 0
      ? `<p class="quiet">${hidden} more keys, with fewer early requests, are not shown.</p>`
      : '',
  ].join('')
}

/** The longest run of early requests within one section. */
function worstSection(early: readonly ReportEntry[]): readonly ReportEntry[] {
  const sorted = early.toSorted((one, other) => one.time - other.time)
  let [from, most, first] = [0, 0, 0]
  for (const [at, { time }] of sorted.entries()) {
    while (time - (sorted[from]?.time ?? time) > SECTION) from += 1
    if (at - from >= most) [most, first] = [at - from + 1, from]
  }
  return sorted.slice(first, first + most)
}

function ends(moments: readonly number[]): readonly [first: number, last: number] {
  return moments.reduce<[number, number]>(
    ([first, last], time) => [Math.min(first, time), Math.max(last, time)],
    [Number.POSITIVE_INFINITY, 0],
  )
}

/** The ids of the requests that were sent before `Retry-After` had passed, or during a ban. */
export function earlyIds({ findings }: Report): ReadonlySet<string> {
  const rules = new Set(['early-retry', 'during-ban'])
  return new Set(findings.filter(({ rule }) => rules.has(rule)).flatMap(({ entries }) => entries))
}

/** The times of all requests. When a wait ends after the last request, the chart shows the start of that wait. */
export function momentsOf(entries: readonly ReportEntry[]): readonly number[] {
  const times = entries.map(({ time }) => time)
  const [first, last] = ends(times)
  const until = entries.reduce((end, { retryAt = 0 }) => Math.max(end, retryAt), 0)
  const extended = last + Math.max((last - first) * 0.15, 2000)

  return until > last ? [...times, Math.min(until, extended)] : times
}
