import type { ClientTimeline } from '../client-timeline.ts'
import { escapeXml } from '../escape-xml.ts'
import { REQUEST_RESULTS, RESULT_LABELS, type RequestResult, resultOf } from './request-results.ts'
import type { Scale } from './scale.ts'

/** The width of a bar, with the gap to the next one, in pixels. */
export const BAR = 6

/** The requests within the width of one bar. */
export interface Bar {
  count: number
  readonly results: Record<RequestResult, number>
  readonly first: string
  last: string
}

/** A bar chart: the number of requests over time, colored by their results. */
export function drawRequestBars(
  timeline: ClientTimeline,
  scale: Scale,
  early: ReadonlySet<string>,
  { top, height }: { readonly top: number; readonly height: number },
): string {
  const bars = toBars(timeline, scale, early)
  const most = niceCeiling(Math.max(...[...bars.values()].map(({ count }) => count)))
  const ground = top + height

  return [
    `<text class="side" x="-8" y="${top + 8}">${most}</text><text class="side" x="-8" y="${ground}">0</text>`,
    `<path class="axis" d="M0 ${ground}H${scale.width}"/>`,
    ...[...bars].map(([at, bar]) => drawBar(at, bar, ground, height / most)),
  ].join('')
}

/** The bars by their position, counted in bars from the left. */
export function toBars(
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

function drawBar(
  at: number,
  { count, results, first, last }: Bar,
  ground: number,
  unit: number,
): string {
  const present = REQUEST_RESULTS.filter((result) => results[result] > 0)
  let y = ground
  const parts = present.map((result) => {
    const height = results[result] * unit
    y -= height
    return `<rect class="${result}" x="${at * BAR + 0.5}" y="${y.toFixed(1)}" width="${BAR - 1}" height="${height.toFixed(1)}"/>`
  })
  const counts = present.map((result) => `${results[result]} ${RESULT_LABELS[result]}`)
  const ids = count === 1 ? `#${first}` : `#${first} to #${last}`

  return `<g><title>${escapeXml(`${ids}: ${counts.join(', ')}`)}</title>${parts.join('')}</g>`
}

/** 4, 5, 6, 8, 10, 15, 20, …: a single request must not fill the whole height. */
export function niceCeiling(most: number): number {
  if (most <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(most))
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power)

  return steps.find((step) => step >= most) ?? most
}
