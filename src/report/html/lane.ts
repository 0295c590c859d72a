import { count } from '../../validation/usage-error.ts'
import type { ClientTimeline } from '../client-timeline.ts'
import { escapeXml } from '../escape-xml.ts'
import { toOneLine } from '../format.ts'
import { NO_KEY, TOO_MANY_REQUESTS } from '../report-entry.ts'
import { quotaLine } from './quota-line.ts'
import { drawRequestBars } from './request-bars.ts'
import { waitPeriods } from './request-results.ts'
import type { Scale } from './scale.ts'

/** The part of a chart that shows one API key. */
export interface Lane {
  readonly svg: string
  /** In pixels. */
  readonly height: number
}

const TITLE_HEIGHT = 32
const QUOTA_HEIGHT = 64
const BARS_HEIGHT = 72
const SMALL_BARS_HEIGHT = 36
const GAP = 16
const MARGIN = 22

/** A lane with fewer requests, all of them without a 429, shows no quota. */
const FEW_REQUESTS = 6

/** Draws the used part of the quota, and below it the number of requests. */
export function drawLane(whole: ClientTimeline, scale: Scale, early: ReadonlySet<string>): Lane {
  const timeline = whole.filter(({ time }) => time >= scale.start && time <= scale.end)
  const quota = isSmall(whole) ? undefined : quotaLine(timeline, scale, QUOTA_HEIGHT)
  const top = quota ? TITLE_HEIGHT + QUOTA_HEIGHT + GAP : TITLE_HEIGHT
  const height = quota ? BARS_HEIGHT : SMALL_BARS_HEIGHT

  return {
    svg: [
      `<text class="lane" x="0" y="16">${describe(timeline, early)}</text>`,
      ...drawWaitPeriods(whole, scale, top + height),
      ...(quota
        ? [drawQuota(quota, scale), caption('quota used', TITLE_HEIGHT, QUOTA_HEIGHT)]
        : []),
      drawRequestBars(timeline, scale, early, { top, height }),
      ...(quota ? [caption('requests', top, height)] : []),
    ].join(''),
    height: top + height + MARGIN,
  }
}

function isSmall(timeline: ClientTimeline): boolean {
  const isRefused = timeline.some(({ status }) => status === TOO_MANY_REQUESTS)
  return !isRefused && timeline.length < FEW_REQUESTS
}

/** `key …free (free)  154 requests, 34 × 429, 32 too early`. */
function describe(timeline: ClientTimeline, early: ReadonlySet<string>): string {
  const { key = NO_KEY, plan } = timeline[0] ?? {}
  const refused = timeline.filter(({ status }) => status === TOO_MANY_REQUESTS).length
  const tooEarly = timeline.filter(({ id }) => early.has(id)).length
  const name = `${key === NO_KEY ? 'no key' : `key ${key}`}${plan ? ` (${plan} plan)` : ''}`
  const counts = [
    count(timeline.length, 'request'),
    ...(refused > 0 ? [`${refused} × 429`] : []),
    ...(tooEarly > 0 ? [`${tooEarly} sent too early`] : []),
  ]
  return `<tspan class="strong">${escapeXml(toOneLine(name))}</tspan>  ${counts.join(', ')}`
}

function drawWaitPeriods(timeline: ClientTimeline, scale: Scale, bottom: number): string[] {
  return waitPeriods(timeline)
    .filter(({ start, end }) => start < scale.end && end > scale.start)
    .map(({ kind, start, end }) => {
      const x = scale.at(start)
      const width = Math.max(1.5, scale.at(end) - x)
      return `<rect class="zone-${kind}" x="${x.toFixed(1)}" y="${TITLE_HEIGHT}" width="${width.toFixed(1)}" height="${bottom - TITLE_HEIGHT}"/>`
    })
}

function drawQuota(
  { path, resets, limit }: NonNullable<ReturnType<typeof quotaLine>>,
  scale: Scale,
): string {
  const lines = resets.length > 60 ? [] : resets.filter((x) => x > 0 && x < scale.width)

  return `<g transform="translate(0 ${TITLE_HEIGHT})">
<path class="spent" d="M0 0H${scale.width}"/><text class="limit" x="${scale.width}" y="-5">limit: ${limit}</text>
${lines.map((x) => `<path class="reset" d="M${x.toFixed(1)} 0V${QUOTA_HEIGHT}"/>`).join('')}
<path class="quota" d="${path}"/><path class="axis" d="M0 ${QUOTA_HEIGHT}H${scale.width}"/>
<text class="side" x="-8" y="8">100 %</text><text class="side" x="-8" y="${QUOTA_HEIGHT}">0</text></g>`
}

/** A caption beside a chart, written upwards. */
function caption(text: string, top: number, height: number): string {
  return `<text class="caption" transform="translate(-52 ${top + height / 2}) rotate(-90)">${text}</text>`
}
