import type { JSX } from 'preact'
import { type ClientTimeline, toTimelines } from '../../../report/client-timeline.ts'
import { REQUEST_RESULTS, RESULT_LABELS } from '../../../report/html/request-results.ts'
import { createScale } from '../../../report/html/scale.ts'
import { earlyIds, momentsOf } from '../../../report/html/timelines.ts'
import type { Report } from '../../../report/report.ts'
import { usePage, useSettings } from '../../page.ts'
import { Empty, Pending } from '../../parts/empty.tsx'
import { Select } from '../../parts/field.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useSandboxTime } from '../../parts/use-sandbox-time.ts'
import { LANE_HEIGHT, Lane, RESULT_CLASSES } from './lane.tsx'
import { chooseTimelines, PERIODS, type Period, periodOf, withinPeriod } from './period.ts'
import { TimeAxis } from './time-axis.tsx'

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
