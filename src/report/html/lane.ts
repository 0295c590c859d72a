import type { ClientTimeline } from '../client-timeline.ts'
import { escapeXml } from '../junit.ts'
import { toOneLine } from '../rules.ts'
import { quotaLine } from './quota-line.ts'
import {
  REQUEST_RESULTS,
  RESULT_LABELS,
  type RequestResult,
  resultOf,
  waitPeriods,
} from './request-results.ts'
import type { Scale } from './scale.ts'

/** Pixels. */
export const LANE = 186
const HEAD = 30
const QUOTA = 62
const COUNTS_AT = HEAD + QUOTA + 10
const COUNTS = 70
const COLUMN = 6

/** A lane: how full the window was, and below it how many requests came and what became of them. */
export function drawLane(whole: ClientTimeline, scale: Scale, early: ReadonlySet<string>): string {
  const trail = whole.filter(({ time }) => time >= scale.start && time <= scale.end)
  const columns = toColumns(trail, scale, early)
  const most = niceCeiling(Math.max(...[...columns.values()].map(({ count }) => count)))
  const drawn = waitPeriods(whole).filter(
    ({ start, end }) => start < scale.end && end > scale.start,
  )
  const zones = drawn.map(({ kind, start, end }) => {
    const from = scale.at(start)
    const width = Math.max(1.5, scale.at(end) - from)
    return `<rect class="zone-${kind}" x="${from.toFixed(1)}" y="${HEAD}" width="${width.toFixed(1)}" height="${COUNTS_AT + COUNTS - HEAD}"/>`
  })

  return [
    `<text class="lane" x="0" y="18">${titleOf(trail, early)}</text>`,
    ...zones,
    drawQuota(trail, scale),
    `<text class="side" x="-8" y="${COUNTS_AT + 8}">${most}</text><text class="side" x="-8" y="${COUNTS_AT + COUNTS}">0</text>`,
    `<path class="axis" d="M0 ${COUNTS_AT + COUNTS}H${scale.width}"/>`,
    ...[...columns].map(([at, column]) => drawColumn(at, column, most)),
  ].join('')
}

function titleOf(trail: ClientTimeline, early: ReadonlySet<string>): string {
  const [first] = trail
  const refused = trail.filter(({ status }) => status === 429).length
  const hasty = trail.filter(({ id }) => early.has(id)).length
  const plan = first?.plan ? ` (${first.plan})` : ''
  const key = `${first?.key === 'no key' ? '' : 'key '}${first?.key}${plan}`
  const count = trail.length === 1 ? '1 request' : `${trail.length} requests`
  const told = `${count}, ${refused} refused, ${hasty} too early`

  return `<tspan class="strong">${escapeXml(toOneLine(key))}</tspan>  ${told}`
}

function drawQuota(trail: ClientTimeline, scale: Scale): string {
  const line = quotaLine(trail, scale, QUOTA)
  if (!line) return `<text class="note" x="0" y="${HEAD + 20}">The answers tell of no quota.</text>`
  const isClear = line.resets.length <= 60
  const resets = isClear ? line.resets.filter((x) => x > 0 && x < scale.width) : []

  return `<g transform="translate(0 ${HEAD})">
<path class="spent" d="M0 0H${scale.width}"/><text class="limit" x="${scale.width}" y="-5">${line.limit}</text>
${resets.map((x) => `<path class="reset" d="M${x.toFixed(1)} 0V${QUOTA}"/>`).join('')}
<path class="quota" d="${line.path}"/><path class="axis" d="M0 ${QUOTA}H${scale.width}"/>
<text class="side" x="-8" y="8">100 %</text><text class="side" x="-8" y="${QUOTA}">0</text></g>`
}

interface Column {
  count: number
  readonly kinds: Record<RequestResult, number>
  readonly first: string
  last: string
}

function toColumns(
  trail: ClientTimeline,
  scale: Scale,
  early: ReadonlySet<string>,
): ReadonlyMap<number, Column> {
  const columns = new Map<number, Column>()
  for (const entry of trail) {
    const at = Math.floor(scale.at(entry.time) / COLUMN)
    const column = columns.get(at) ?? {
      count: 0,
      kinds: { served: 0, failed: 0, refused: 0, early: 0 },
      first: entry.id,
      last: entry.id,
    }
    column.count += 1
    column.kinds[resultOf(entry, early)] += 1
    column.last = entry.id
    columns.set(at, column)
  }
  return columns
}

function drawColumn(at: number, { count, kinds, first, last }: Column, most: number): string {
  let ground = COUNTS_AT + COUNTS
  const boxes = REQUEST_RESULTS.filter((kind) => kinds[kind] > 0).map((kind) => {
    const height = (kinds[kind] / most) * COUNTS
    ground -= height
    return `<rect class="${kind}" x="${at * COLUMN + 0.5}" y="${ground.toFixed(1)}" width="${COLUMN - 1}" height="${height.toFixed(1)}"/>`
  })
  const told = REQUEST_RESULTS.filter((kind) => kinds[kind] > 0).map(
    (kind) => `${kinds[kind]} ${RESULT_LABELS[kind]}`,
  )
  const ids = count === 1 ? `#${first}` : `#${first} to #${last}`

  return `<g><title>${escapeXml(`${ids}: ${told.join(', ')}`)}</title>${boxes.join('')}</g>`
}

/** 4, 5, 6, 8, 10, 15, 20, …: a single request is to look like one. */
function niceCeiling(most: number): number {
  if (most <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(most))
  return (
    [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((times) => times * power).find((one) => one >= most) ?? most
  )
}
