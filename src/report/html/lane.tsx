import type { JSX } from 'preact'
import { count } from '../../validation/usage-error.ts'
import type { ClientTimeline } from '../client-timeline.ts'
import { toOneLine } from '../format.ts'
import type { Report } from '../report.ts'
import { NO_KEY, type ReportEntry, TOO_MANY_REQUESTS } from '../report-entry.ts'
import type { Scale } from './scale.ts'

/** The result of a request. The page has a color for each, `--served` and so on. */
export const RESULTS = ['served', 'failed', 'refused', 'early'] as const

type RequestResult = (typeof RESULTS)[number]

/** The names of the results for readers. */
export const RESULT_NAMES: Readonly<Record<RequestResult, string>> = {
  served: 'successful',
  failed: 'other error',
  refused: '429',
  early: 'sent too early',
}

/** The ids of the requests that were sent before `Retry-After` had passed, or during a ban. */
export function earlyIds({ findings }: Pick<Report, 'findings'>): ReadonlySet<string> {
  const rules = new Set(['early-retry', 'during-ban'])
  return new Set(findings.filter(({ rule }) => rules.has(rule)).flatMap(({ entries }) => entries))
}

/** In pixels. */
const TITLE_HEIGHT = 32
const QUOTA_HEIGHT = 64
const BARS_HEIGHT = 72
const SMALL_BARS_HEIGHT = 36
const GAP = 16
const MARGIN = 22

/** The height of a lane with its margin, in pixels. */
export function laneHeight(hasQuota: boolean): number {
  return hasQuota
    ? TITLE_HEIGHT + QUOTA_HEIGHT + GAP + BARS_HEIGHT + MARGIN
    : TITLE_HEIGHT + SMALL_BARS_HEIGHT + MARGIN
}

interface LaneProps {
  readonly timeline: ClientTimeline
  readonly scale: Scale
  /** The ids of the requests that were sent too early. */
  readonly early: ReadonlySet<string>
  /** Without it, the lane is smaller. */
  readonly hasQuota: boolean
}

/** The part of a chart that shows one API key: the used part of its quota, and below it the number of its requests. */
export function Lane({ timeline, scale, early, hasQuota }: LaneProps): JSX.Element {
  const shown = timeline.filter(({ time }) => time >= scale.start && time <= scale.end)
  const bottom = laneHeight(hasQuota) - MARGIN
  const height = hasQuota ? BARS_HEIGHT : SMALL_BARS_HEIGHT

  return (
    <>
      <Title timeline={shown} early={early} />
      {waitPeriods(timeline)
        .filter(({ start, end }) => start < scale.end && end > scale.start)
        .map(({ kind, start, end }) => (
          <rect
            key={`${kind} ${start}`}
            fill={kind === 'ban' ? 'url(#banned)' : 'var(--wait)'}
            x={px(scale.at(start))}
            y={TITLE_HEIGHT}
            width={px(Math.max(1.5, scale.at(end) - scale.at(start)))}
            height={bottom - TITLE_HEIGHT}
          />
        ))}
      {hasQuota && <Quota timeline={shown} scale={scale} />}
      <RequestBars timeline={shown} scale={scale} early={early} ground={bottom} height={height} />
      {hasQuota && <Caption text="requests" middle={bottom - height / 2} />}
    </>
  )
}

/** Positions with more digits would make a page of many requests larger. */
export function px(position: number): string {
  return position.toFixed(1)
}

/** `key …free (free plan)  154 requests, 34 × 429, 32 sent too early`. */
function Title({ timeline, early }: Pick<LaneProps, 'timeline' | 'early'>): JSX.Element {
  const { key = NO_KEY, plan } = timeline[0] ?? {}
  const refused = timeline.filter(({ status }) => status === TOO_MANY_REQUESTS).length
  const tooEarly = timeline.filter(({ id }) => early.has(id)).length
  const name = `${key === NO_KEY ? key : `key ${key}`}${plan ? ` (${plan} plan)` : ''}`
  const counts = [
    count(timeline.length, 'request'),
    ...(refused > 0 ? [`${refused} × 429`] : []),
    ...(tooEarly > 0 ? [`${tooEarly} sent too early`] : []),
  ]

  return (
    <text x="0" y="16" font-size="13">
      <tspan font-weight="600" fill="var(--ink)">
        {toOneLine(name)}
      </tspan>
      <tspan dx="8">{counts.join(', ')}</tspan>
    </text>
  )
}

/** A caption beside a part of a lane, written upwards. */
function Caption({ text, middle }: Readonly<{ text: string; middle: number }>): JSX.Element {
  return (
    <text text-anchor="middle" transform={`translate(-52 ${middle}) rotate(-90)`}>
      {text}
    </text>
  )
}

type EndsProps = Readonly<{ top: number; ground: number; most: string }>

/** The figures at the upper and the lower end of a part of a lane. */
function Ends({ top, ground, most }: EndsProps): JSX.Element {
  return (
    <g text-anchor="end">
      <text x="-8" y={top + 8}>
        {most}
      </text>
      <text x="-8" y={ground}>
        0
      </text>
    </g>
  )
}

/** The line at the lower end of a part of a lane, and of the chart. */
export function Ground({ y, width }: Readonly<{ y: number; width: number }>): JSX.Element {
  return <path d={`M0 ${y}H${width}`} stroke="var(--failed)" opacity=".6" />
}

/** More ends of windows are not drawn. */
const MAX_RESETS = 60

function Quota({ timeline, scale }: Pick<LaneProps, 'timeline' | 'scale'>): JSX.Element | null {
  const quota = quotaLine(timeline, scale, QUOTA_HEIGHT)
  if (!quota) return null
  const resets = quota.resets.filter((x) => x > 0 && x < scale.width)

  return (
    <g transform={`translate(0 ${TITLE_HEIGHT})`}>
      <path d={`M0 0H${scale.width}`} stroke="var(--early)" stroke-dasharray="5 4" opacity=".8" />
      <text x={scale.width} y="-5" text-anchor="end">
        limit: {quota.limit}
      </text>
      {quota.resets.length <= MAX_RESETS &&
        resets.map((x) => (
          <path
            key={x}
            d={`M${px(x)} 0V${QUOTA_HEIGHT}`}
            stroke="var(--quiet)"
            stroke-dasharray="1 3"
          />
        ))}
      <path
        d={quota.path}
        fill="var(--served)"
        fill-opacity=".16"
        stroke="var(--served)"
        stroke-width="1.5"
        stroke-linejoin="round"
      />
      <Ground y={QUOTA_HEIGHT} width={scale.width} />
      <Ends top={0} ground={QUOTA_HEIGHT} most="100 %" />
      <Caption text="quota used" middle={QUOTA_HEIGHT / 2} />
    </g>
  )
}

/** The used part of the quota over time, by the `X-RateLimit` headers. */
interface QuotaLine {
  /** An SVG path; at the top, the quota is used up. */
  readonly path: string
  /** The x positions at which windows end. */
  readonly resets: readonly number[]
  /** For instance `60 per minute`. */
  readonly limit: string
}

/** `undefined` when no response has the headers. */
function quotaLine(timeline: ClientTimeline, scale: Scale, height: number): QuotaLine | undefined {
  const steps: string[] = []
  // Repeated points are left out: thousands of requests share a few hundred pixels.
  const to = (x: number, used: number): void => {
    const step = `${px(x)} ${px(height * (1 - used))}`
    if (steps.at(-1) !== step) steps.push(step)
  }
  const windows = timeline.flatMap(({ time, window }) => (window ? [{ time, ...window }] : []))
  const [first] = windows
  if (!first) return undefined
  let last: { readonly reset: number; readonly used: number } | undefined
  for (const { time, limit, remaining, reset } of windows) {
    const used = limit === 0 ? 1 : Math.min(1, 1 - remaining / limit)
    if (last && last.reset <= time) {
      to(scale.at(last.reset), last.used)
      to(scale.at(last.reset), 0)
      last = { reset, used: 0 }
    }
    to(scale.at(time), last?.used ?? 0)
    to(scale.at(time), used)
    last = { reset, used }
  }
  const end = Math.min(scale.at(last?.reset ?? first.reset), scale.width)
  to(end, last?.used ?? 0)
  // Both ends are on the ground, so that the path encloses an area.
  const path = `M${px(scale.at(first.time))} ${px(height)}L${steps.join('L')}L${px(end)} ${px(height)}`
  const resets = [...new Set(windows.map(({ reset }) => reset))].map(scale.at)

  return {
    path,
    resets,
    limit: `${first.limit} per ${first.reset - first.time > 60_000 ? 'day' : 'minute'}`,
  }
}

interface BarsProps extends Pick<LaneProps, 'timeline' | 'scale' | 'early'> {
  /** The y position of the lower end, in pixels. */
  readonly ground: number
  readonly height: number
}

/** A bar chart: the number of requests over time, colored by their results. */
function RequestBars({ timeline, scale, early, ground, height }: BarsProps): JSX.Element {
  const bars = toBars(timeline, scale, early)
  const most = niceCeiling(Math.max(...[...bars.values()].map((bar) => bar.count)))

  return (
    <>
      <Ends top={ground - height} ground={ground} most={String(most)} />
      <Ground y={ground} width={scale.width} />
      {[...bars].map(([at, bar]) => (
        <RequestBar key={at} at={at} bar={bar} ground={ground} unit={height / most} />
      ))}
    </>
  )
}

/** The width of a bar, with the gap to the next one, in pixels. */
const BAR = 6

/** The requests within the width of one bar. */
interface Bar {
  count: number
  readonly results: Record<RequestResult, number>
  readonly first: string
  last: string
}

/** The bars by their position, counted in bars from the left. */
function toBars(
  timeline: ClientTimeline,
  scale: Scale,
  early: ReadonlySet<string>,
): ReadonlyMap<number, Bar> {
  const bars = new Map<number, Bar>()
  for (const entry of timeline) {
    const at = Math.floor(scale.at(entry.time) / BAR)
    const bar = bars.get(at) ?? {
      count: 0,
      results: { served: 0, failed: 0, refused: 0, early: 0 },
      first: entry.id,
      last: entry.id,
    }
    bar.count += 1
    bar.results[resultOf(entry, early)] += 1
    bar.last = entry.id
    bars.set(at, bar)
  }
  return bars
}

function resultOf({ id, status }: ReportEntry, early: ReadonlySet<string>): RequestResult {
  if (early.has(id)) return 'early'
  if (status === TOO_MANY_REQUESTS) return 'refused'

  return status >= 400 || status === 0 ? 'failed' : 'served'
}

interface BarProps {
  readonly at: number
  readonly bar: Bar
  readonly ground: number
  /** The height of one request, in pixels. */
  readonly unit: number
}

function RequestBar({ at, bar, ground, unit }: BarProps): JSX.Element {
  const { count: all, results, first, last } = bar
  let below = 0
  const parts = RESULTS.filter((result) => results[result] > 0).map((result) => {
    below += results[result]
    return { result, top: below, requests: results[result] }
  })
  const counts = parts.map(({ result, requests }) => `${requests} ${RESULT_NAMES[result]}`)
  const ids = all === 1 ? `#${first}` : `#${first} to #${last}`

  return (
    <g>
      <title>{`${ids}: ${counts.join(', ')}`}</title>
      {parts.map(({ result, top, requests }) => (
        <rect
          key={result}
          fill={`var(--${result})`}
          x={at * BAR + 0.5}
          y={px(ground - top * unit)}
          width={BAR - 1}
          height={px(requests * unit)}
        />
      ))}
    </g>
  )
}

/** 4, 5, 6, 8, 10, 15, 20, …: a single request must not fill the whole height. */
function niceCeiling(most: number): number {
  if (most <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(most))
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power)

  return steps.find((step) => step >= most) ?? most
}

/** A period in which the client must not send requests. */
interface WaitPeriod {
  readonly kind: 'wait' | 'ban'
  readonly start: number
  readonly end: number
}

/** The periods of `Retry-After` and of bans. Periods that overlap are merged. */
function waitPeriods(timeline: ClientTimeline): readonly WaitPeriod[] {
  const periods: Record<WaitPeriod['kind'], WaitPeriod[]> = { wait: [], ban: [] }
  for (const { status, refusal, time, retryAt } of timeline) {
    if (status !== TOO_MANY_REQUESTS || retryAt === undefined || retryAt <= time) continue
    const kind = refusal === 'ban' ? 'ban' : 'wait'
    const last = periods[kind].at(-1)
    if (last && time >= last.start && time <= last.end) {
      periods[kind][periods[kind].length - 1] = { ...last, end: Math.max(last.end, retryAt) }
    } else periods[kind].push({ kind, start: time, end: retryAt })
  }
  return [...periods.wait, ...periods.ban]
}
