import type { JSX } from 'preact'
import { type ClientTimeline, toTimelines } from '../../report/client-timeline.ts'
import { REQUEST_RESULTS, RESULT_LABELS } from '../../report/html/request-results.ts'
import { createScale } from '../../report/html/scale.ts'
import { earlyIds, momentsOf } from '../../report/html/timelines.ts'
import type { Report } from '../../report/report.ts'
import { useLoaded, usePage, useSandboxTime, useSettings } from '../page.ts'
import { Empty, Pending } from '../parts/elements.tsx'
import { Select } from '../parts/field.tsx'
import { LANE_HEIGHT, Lane, RESULT_CLASSES } from './timeline/lane.tsx'
import { TimeAxis } from './timeline/time-axis.tsx'

/** Milliseconds between two readings of the report. */
const POLL_INTERVAL = 2000
/** More charts would be hard to read. */
const MAX_LANES = 8

/** In pixels. */
const WIDTH = 1000
const LEFT = 52
const RIGHT = 14
const AXIS_HEIGHT = 34

/** The requests of each key over time, against its quota. */
export function TimelineView(): JSX.Element {
  const { client, route } = usePage()
  const change = useSettings()
  const now = useSandboxTime(1000) ?? 0
  const { value, error } = useLoaded(() => client.report(), [client], { every: POLL_INTERVAL })
  if (!value) return <Pending error={error} />
  const all = toTimelines(value.entries)
  if (all.length === 0) {
    return (
      <Empty title="No requests yet">
        <p>The requests of each key are drawn here against its quota.</p>
      </Empty>
    )
  }
  const period = periodOf(route.query.period)
  const chosen = chooseTimelines(withinPeriod(all, period, now), MAX_LANES)

  return (
    <div class="view timeline">
      <div class="toolbar">
        <Legend />
        <Select
          label="Period"
          value={period.value}
          choices={PERIODS}
          onChange={(value) => change({ period: value })}
        />
      </div>
      {chosen.shown.length === 0 ? (
        <Empty title="No requests in this period" />
      ) : (
        <Chart report={value} lanes={chosen.shown} period={period} now={now} />
      )}
      {chosen.hiddenKeys > 0 && (
        <p class="quiet">
          The {MAX_LANES} keys with most requests are shown.{' '}
          {chosen.hiddenKeys.toLocaleString('en')} more, with{' '}
          {chosen.hiddenRequests.toLocaleString('en')} requests together, are not.
        </p>
      )}
    </div>
  )
}

function Legend(): JSX.Element {
  return (
    <ul class="legend">
      {REQUEST_RESULTS.map((result) => (
        <li key={result}>
          <i class={RESULT_CLASSES[result]} />
          {RESULT_LABELS[result]}
        </li>
      ))}
      <li>
        <i class="wait" />
        time of Retry-After
      </li>
      <li>
        <i class="ban" />
        ban
      </li>
    </ul>
  )
}

interface ChartProps {
  readonly report: Report
  readonly lanes: readonly ClientTimeline[]
  readonly period: Period
  /** The sandbox's time. */
  readonly now: number
}

function Chart({ report, lanes, period, now }: ChartProps): JSX.Element {
  const early = earlyIds(report)
  const moments = momentsOf(lanes.flat())
  const within = moments.filter((moment) => moment <= now)
  const axis = Number.isFinite(period.length) ? [now - period.length, ...within, now] : moments
  const scale = createScale(axis, WIDTH - LEFT - RIGHT)
  const ground = lanes.length * LANE_HEIGHT

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <section class="scroll card" aria-label="Chart" tabIndex={0}>
      <svg
        viewBox={`0 0 ${WIDTH} ${ground + AXIS_HEIGHT}`}
        role="img"
        aria-label="Requests over time, one lane for each API key"
      >
        <g transform={`translate(${LEFT} 0)`}>
          <TimeAxis scale={scale} ground={ground} />
          {lanes.map((timeline, at) => (
            <g key={timeline[0]?.key} transform={`translate(0 ${at * LANE_HEIGHT})`}>
              <Lane timeline={timeline} scale={scale} early={early} />
            </g>
          ))}
        </g>
      </svg>
    </section>
  )
}

/** A period that can be chosen. */
interface Period {
  /** The setting in the address. */
  readonly value: string
  readonly label: string
  /** In milliseconds. */
  readonly length: number
}

const ALL: Period = { value: '', label: 'All', length: Number.POSITIVE_INFINITY }

const PERIODS: readonly Period[] = [
  { value: 'minute', label: 'Last minute', length: 60_000 },
  { value: '10-minutes', label: 'Last 10 minutes', length: 600_000 },
  ALL,
]

/** The period of a setting in the address. Unknown ones are all time. */
export function periodOf(setting = ''): Period {
  return PERIODS.find(({ value }) => value === setting) ?? ALL
}

/** The requests of the period that ends at `now`. Timelines without such a request are left out. */
export function withinPeriod(
  timelines: readonly ClientTimeline[],
  { length }: Period,
  now: number,
): readonly ClientTimeline[] {
  if (length === Number.POSITIVE_INFINITY) return timelines
  return timelines
    .map((timeline) => timeline.filter(({ time }) => time > now - length && time <= now))
    .filter((timeline) => timeline.length > 0)
}

/** The timelines that are drawn, and what is left out. */
interface Chosen {
  readonly shown: readonly ClientTimeline[]
  readonly hiddenKeys: number
  readonly hiddenRequests: number
}

/** The timelines with most requests, in the order of their keys, so that lanes do not move while requests are sent. */
export function chooseTimelines(timelines: readonly ClientTimeline[], most: number): Chosen {
  const sorted = timelines.toSorted((one, other) => other.length - one.length)
  const hidden = sorted.slice(most)

  return {
    shown: sorted.slice(0, most).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    hiddenKeys: hidden.length,
    hiddenRequests: hidden.reduce((sum, { length }) => sum + length, 0),
  }
}

function keyOf([first]: ClientTimeline): string {
  return first?.key ?? ''
}
