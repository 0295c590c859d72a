import type { JSX } from 'preact'
import { type ClientTimeline, toTimelines } from '../../report/client-timeline.ts'
import { formatNumber } from '../../report/format.ts'
import { Chart, Legend, momentsOf } from '../../report/html/chart.tsx'
import { earlyIds } from '../../report/html/lane.tsx'
import { useLoaded, usePage, useSandboxTime } from '../page.ts'
import { Empty, Pending } from '../parts/elements.tsx'
import { Select } from '../parts/field.tsx'

/** Milliseconds between two readings of the report. */
const POLL_INTERVAL = 2000
/** More charts would be hard to read. */
const MAX_LANES = 8

/** The requests of each key over time, against its quota. */
export function TimelineView(): JSX.Element {
  const { client, route, change } = usePage()
  const now = useSandboxTime(1000) ?? 0
  const { value, error } = useLoaded(() => client.report(), [], POLL_INTERVAL)
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
        <section class="scroll card" aria-label="Chart" tabIndex={0}>
          <Chart
            timelines={chosen.shown}
            early={earlyIds(value)}
            moments={momentsIn(period, chosen.shown, now)}
          />
        </section>
      )}
      {chosen.hiddenKeys > 0 && (
        <p class="quiet">
          The {MAX_LANES} keys with most requests are shown. {formatNumber(chosen.hiddenKeys)} more,
          with {formatNumber(chosen.hiddenRequests)} requests together, are not.
        </p>
      )}
    </div>
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

/** The times that the axis shows: those of the requests, and the ends of a chosen period. */
function momentsIn(
  { length }: Period,
  timelines: readonly ClientTimeline[],
  now: number,
): readonly number[] {
  const moments = momentsOf(timelines.flat())
  return Number.isFinite(length)
    ? [now - length, ...moments.filter((moment) => moment <= now), now]
    : moments
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
