import type { ComponentChildren, JSX } from 'preact'
import type { ClientTimeline } from '../client-timeline.ts'
import { type ReportEntry, TOO_MANY_REQUESTS } from '../report-entry.ts'
import { Ground, Lane, laneHeight, px, RESULT_NAMES, RESULTS } from './lane.tsx'
import { createScale, endsOf, type Scale } from './scale.ts'

/** In pixels, as all numbers here. */
const WIDTH = 1000
const LEFT = 68
const RIGHT = 14
const AXIS_HEIGHT = 34

interface ChartProps {
  /** A lane for each. */
  readonly timelines: readonly ClientTimeline[]
  /** The ids of the requests that were sent too early. */
  readonly early: ReadonlySet<string>
  /** The times that the axis shows. */
  readonly moments: readonly number[]
  /** Whether lanes of few requests, all of them without a 429, are smaller, and show no quota. */
  readonly hasSmallLanes?: boolean
}

/** A lane for each timeline, above a common time axis. Its colors are custom properties of the page. */
export function Chart(props: ChartProps): JSX.Element {
  const { timelines, early, moments, hasSmallLanes = false } = props
  const scale = createScale(moments, WIDTH - LEFT - RIGHT)
  let bottom = 0
  const lanes = timelines.map((timeline) => {
    const top = bottom
    const hasQuota = isLimited(timeline, scale) && !(hasSmallLanes && isSmall(timeline))
    bottom += laneHeight(hasQuota)
    return { timeline, top, hasQuota }
  })

  return (
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${bottom + AXIS_HEIGHT}`}
      font-size="11"
      fill="var(--quiet)"
      role="img"
      aria-label="Requests over time, one lane for each API key"
    >
      <BannedPattern />
      <g transform={`translate(${LEFT} 0)`}>
        <TimeAxis scale={scale} ground={bottom + 4} />
        {lanes.map(({ timeline, top, hasQuota }) => (
          <g key={timeline[0]?.key} transform={`translate(0 ${top})`}>
            <Lane timeline={timeline} scale={scale} early={early} hasQuota={hasQuota} />
          </g>
        ))}
      </g>
    </svg>
  )
}

/** Whether the responses of the shown period state a quota. */
function isLimited(timeline: ClientTimeline, { start, end }: Scale): boolean {
  return timeline.some(({ time, window }) => window && time >= start && time <= end)
}

/** A timeline with fewer requests, all of them without a 429, is small. */
const FEW_REQUESTS = 6

function isSmall(timeline: ClientTimeline): boolean {
  return (
    timeline.length < FEW_REQUESTS && timeline.every(({ status }) => status !== TOO_MANY_REQUESTS)
  )
}

/** Stripes, so that a ban differs from a wait also without its color. */
function BannedPattern(): JSX.Element {
  return (
    <pattern
      id="banned"
      width="7"
      height="7"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <path d="M0 0V7" stroke="var(--ban)" stroke-width="2" />
    </pattern>
  )
}

/** The distance at which a label does not overlap the label of a break. */
const LABEL_DISTANCE = 64

/** The time axis below all lanes, with a vertical line for each label. */
function TimeAxis({ scale, ground }: Readonly<{ scale: Scale; ground: number }>): JSX.Element {
  const { ticks, breaks, width } = scale
  const labelled = ticks.filter(
    ({ x }) => x < width - 20 && breaks.every((one) => Math.abs(one.x - x) > LABEL_DISTANCE),
  )

  return (
    <g text-anchor="middle">
      {ticks.map(({ x }) => (
        <path key={x} d={`M${px(x)} 20V${ground}`} stroke="var(--line)" />
      ))}
      {breaks.map(({ x, label }) => (
        <g key={x}>
          <path
            d={`M${px(x)} 20V${ground}`}
            stroke="var(--quiet)"
            stroke-width="2"
            stroke-dasharray="2 4"
          />
          <text x={px(x)} y={ground + 16} font-style="italic">
            + {label}
          </text>
        </g>
      ))}
      <Ground y={ground} width={width} />
      {labelled.map(({ x, label }) => (
        <text key={x} x={px(x)} y={ground + 16}>
          {label}
        </text>
      ))}
    </g>
  )
}

/** The meaning of the colors and lines of a chart. */
export function Legend(): JSX.Element {
  const drawings: readonly (readonly [name: string, drawing: ComponentChildren])[] = [
    ...RESULTS.map(
      (result) => [RESULT_NAMES[result], <Swatch fill={`var(--${result})`} />] as const,
    ),
    ['wait requested by Retry-After', <Swatch fill="var(--wait)" />],
    ['key banned', [<BannedPattern key="pattern" />, <Swatch key="swatch" fill="url(#banned)" />]],
    ['quota used', <path d="M0 6H12" stroke="var(--served)" stroke-width="2" />],
    [
      'quota reset',
      <path d="M6 0V12" stroke="var(--quiet)" stroke-width="2" stroke-dasharray="2 2" />,
    ],
  ]

  return (
    <ul class="legend">
      {drawings.map(([name, drawing]) => (
        <li key={name}>
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            {drawing}
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

function Swatch({ fill }: { readonly fill: string }): JSX.Element {
  return <rect width="12" height="12" rx="2" fill={fill} />
}

/** The times of all requests. When a wait ends after the last request, the chart shows the start of that wait. */
export function momentsOf(entries: readonly ReportEntry[]): readonly number[] {
  const times = entries.map(({ time }) => time)
  const [first, last] = endsOf(times)
  const until = entries.reduce((end, { retryAt = 0 }) => Math.max(end, retryAt), 0)
  const extended = last + Math.max((last - first) * 0.15, 2000)

  return until > last ? [...times, Math.min(until, extended)] : times
}
