import type { JSX } from 'preact'
import { groupBy } from '../../validation/objects.ts'
import { type ClientTimeline, toTimelines } from '../client-timeline.ts'
import { toOneLine } from '../format.ts'
import type { Report } from '../report.ts'
import type { ReportEntry } from '../report-entry.ts'
import { Chart, momentsOf } from './chart.tsx'
import { earlyIds } from './lane.tsx'
import { endsOf } from './scale.ts'

/** More charts would be hard to read; a sentence states how many are left out. */
const MAX_LANES = 6
const MAX_RECORDINGS = 8

/** The length of the section that is drawn separately, in milliseconds. */
const SECTION = 120_000
/** A recording that is longer than so many sections gets a second chart. */
const MANY_SECTIONS = 8

/** A chart for each recording, with a lane for each API key. The recordings with most early requests come first. */
export function Timelines({ report }: { readonly report: Report }): JSX.Element {
  const early = earlyIds(report)
  const weight = (timeline: ClientTimeline): number =>
    timeline.length + 1000 * timeline.filter(({ id }) => early.has(id)).length
  const recordings = groupBy(toTimelines(report.entries), ([first]) => first?.recording)
  const total = (timelines: readonly ClientTimeline[]): number =>
    timelines.reduce((sum, timeline) => sum + weight(timeline), 0)
  const sorted = [...recordings.values()].sort((one, other) => total(other) - total(one))
  const hidden = sorted.length - MAX_RECORDINGS

  return (
    <>
      {sorted.slice(0, MAX_RECORDINGS).map((timelines) => (
        <Recording
          key={timelines[0]?.[0]?.recording}
          timelines={timelines.toSorted((one, other) => weight(other) - weight(one))}
          early={early}
          isOneOfSeveral={recordings.size > 1}
        />
      ))}
      {hidden > 0 && (
        <p class="quiet">{hidden} more recordings, with fewer early requests, are not shown.</p>
      )}
    </>
  )
}

interface RecordingProps {
  readonly timelines: readonly ClientTimeline[]
  readonly early: ReadonlySet<string>
  readonly isOneOfSeveral: boolean
}

/** A chart of the whole recording. A long one gets a second chart: the section with most early requests. */
function Recording({ timelines, early, isOneOfSeveral }: RecordingProps): JSX.Element {
  const shown = timelines.slice(0, MAX_LANES)
  const hidden = timelines.length - shown.length
  const entries = shown.flat()
  const moments = momentsOf(entries)
  const section = worstSection(entries.filter(({ id }) => early.has(id)))
  const { world, recording } = entries[0] ?? {}
  const [start, end] = endsOf(moments)
  const [first] = section
  const inSection = new Set(section)

  return (
    <>
      <figure>
        {isOneOfSeveral && <figcaption>{toOneLine(world ?? `Recording ${recording}`)}</figcaption>}
        <ScrollingChart timelines={shown} early={early} moments={moments} />
      </figure>
      {end - start > MANY_SECTIONS * SECTION && first && (
        <figure>
          <figcaption>The two minutes with most early requests</figcaption>
          <ScrollingChart
            timelines={shown.filter((timeline) => timeline.some((one) => inSection.has(one)))}
            early={early}
            moments={[first.time - SECTION / 6, first.time + SECTION]}
          />
        </figure>
      )}
      {hidden > 0 && (
        <p class="quiet">{hidden} more keys, with fewer early requests, are not shown.</p>
      )}
    </>
  )
}

function ScrollingChart(props: Omit<Parameters<typeof Chart>[0], 'hasSmallLanes'>): JSX.Element {
  return (
    <div class="scroll">
      <Chart {...props} hasSmallLanes />
    </div>
  )
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
