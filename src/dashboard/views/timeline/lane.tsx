import type { JSX } from 'preact'
import type { ClientTimeline } from '../../../report/client-timeline.ts'
import { quotaLine } from '../../../report/html/quota-line.ts'
import { BAR, type Bar, niceCeiling, toBars } from '../../../report/html/request-bars.ts'
import {
  REQUEST_RESULTS,
  RESULT_LABELS,
  type RequestResult,
  waitPeriods,
} from '../../../report/html/request-results.ts'
import type { Scale } from '../../../report/html/scale.ts'
import { NO_KEY } from '../../../report/report-entry.ts'

/** In pixels. */
const TITLE_HEIGHT = 32
const QUOTA_HEIGHT = 56
const BARS_HEIGHT = 64
const BARS_TOP: number = TITLE_HEIGHT + QUOTA_HEIGHT + 16
const GROUND: number = BARS_TOP + BARS_HEIGHT
export const LANE_HEIGHT: number = GROUND + 16

/** The most characters of a plan's name above its lane. */
const MAX_PLAN_NAME = 40

/** The classes of the bars, which decide their colors. */
export const RESULT_CLASSES: Readonly<Record<RequestResult, string>> = {
  served: 'served',
  failed: 'failed-requests',
  refused: 'refused',
  early: 'early',
}

interface LaneProps {
  readonly timeline: ClientTimeline
  readonly scale: Scale
  readonly early: ReadonlySet<string>
}

/** The requests of one key: the used part of the quota, and below it the number of requests. */
export function Lane({ timeline, scale, early }: LaneProps): JSX.Element {
  const { key = NO_KEY, plan } = timeline[0] ?? {}
  const bars = toBars(timeline, scale, early)
  const most = niceCeiling(Math.max(...[...bars.values()].map(({ count }) => count)))

  return (
    <>
      <text class="lane-title" x={0} y={18}>
        {key === NO_KEY ? 'no key' : `key ${key}`}
        {plan !== undefined && ` (${shorten(plan)} plan)`}: {timeline.length.toLocaleString('en')}{' '}
        {timeline.length === 1 ? 'request' : 'requests'}
      </text>
      {waitPeriods(timeline).map(({ kind, start, end }) => (
        <rect
          key={`${kind} ${start}`}
          class={`zone-${kind}`}
          x={scale.at(start)}
          y={TITLE_HEIGHT}
          width={Math.max(1.5, scale.at(end) - scale.at(start))}
          height={GROUND - TITLE_HEIGHT}
        />
      ))}
      <Quota timeline={timeline} scale={scale} />
      <text class="side" x={-8} y={BARS_TOP + 8}>
        {most}
      </text>
      <text class="side" x={-8} y={GROUND}>
        0
      </text>
      <path class="axis" d={`M0 ${GROUND}H${scale.width}`} />
      {[...bars].map(([at, bar]) => (
        <RequestBar key={at} at={at} bar={bar} unit={BARS_HEIGHT / most} />
      ))}
    </>
  )
}

function Quota({ timeline, scale }: Omit<LaneProps, 'early'>): JSX.Element | null {
  const quota = quotaLine(timeline, scale, QUOTA_HEIGHT)
  if (!quota) return null
  return (
    <g transform={`translate(0 ${TITLE_HEIGHT})`}>
      <path class="spent" d={`M0 0H${scale.width}`} />
      <text class="side" x={scale.width} y={-5}>
        limit: {quota.limit}
      </text>
      {quota.resets.slice(-60).map((x) => (
        <path key={x} class="reset" d={`M${x} 0V${QUOTA_HEIGHT}`} />
      ))}
      <path class="quota" d={quota.path} />
      <path class="axis" d={`M0 ${QUOTA_HEIGHT}H${scale.width}`} />
      <text class="side" x={-8} y={8}>
        100 %
      </text>
      <text class="side" x={-8} y={QUOTA_HEIGHT}>
        0
      </text>
    </g>
  )
}

interface RequestBarProps {
  readonly at: number
  readonly bar: Bar
  /** The height of one request, in pixels. */
  readonly unit: number
}

function RequestBar({ at, bar, unit }: RequestBarProps): JSX.Element {
  const { results, count, first, last } = bar
  const present = REQUEST_RESULTS.filter((result) => results[result] > 0)
  const counts = present.map((result) => `${results[result]} ${RESULT_LABELS[result]}`)
  const ids = count === 1 ? `#${first}` : `#${first} to #${last}`
  const below = (result: RequestResult): number =>
    present.slice(0, present.indexOf(result) + 1).reduce((sum, one) => sum + results[one], 0)

  return (
    <g>
      <title>{`${ids}: ${counts.join(', ')}`}</title>
      {present.map((result) => (
        <rect
          key={result}
          class={RESULT_CLASSES[result]}
          x={at * BAR + 0.5}
          y={GROUND - below(result) * unit}
          width={BAR - 1}
          height={results[result] * unit}
        />
      ))}
    </g>
  )
}

function shorten(name: string): string {
  return name.length > MAX_PLAN_NAME ? `${name.slice(0, MAX_PLAN_NAME)}…` : name
}
