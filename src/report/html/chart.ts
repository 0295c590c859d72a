import type { ClientTimeline } from '../client-timeline.ts'
import { escapeXml } from '../escape-xml.ts'
import { toOneLine } from '../format.ts'
import { drawLane } from './lane.ts'
import { createScale, type Scale } from './scale.ts'

/** In pixels, as all numbers here. */
const WIDTH = 1000
const LEFT = 68
const RIGHT = 14
const AXIS_HEIGHT = 34
/** The distance at which a label does not overlap the label of a break. */
const LABEL_DISTANCE = 64

/** One chart: a lane for each timeline, above a common time axis. */
export function drawChart(
  timelines: readonly ClientTimeline[],
  early: ReadonlySet<string>,
  moments: readonly number[],
  caption: string | undefined,
): string {
  const scale = createScale(moments, WIDTH - LEFT - RIGHT)
  let y = 0
  const lanes = timelines.map((timeline) => {
    const { svg, height } = drawLane(timeline, scale, early)
    const lane = `<g transform="translate(0 ${y})">${svg}</g>`
    y += height
    return lane
  })
  const height = y + AXIS_HEIGHT

  return `<figure>${caption === undefined ? '' : `<figcaption>${escapeXml(toOneLine(caption))}</figcaption>`}
<div class="scroll"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Requests over time, one lane for each API key">
<defs><pattern id="banned" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7"/></pattern></defs>
<g transform="translate(${LEFT} 0)">${drawTimeAxis(scale, y + 4)}
${lanes.join('\n')}
</g></svg></div></figure>`
}

function drawTimeAxis({ ticks, breaks, width }: Scale, ground: number): string {
  const isFree = (x: number): boolean => breaks.every((one) => Math.abs(one.x - x) > LABEL_DISTANCE)
  const lines = ticks
    .map(({ x }) => `<path class="grid" d="M${x.toFixed(1)} 20V${ground}"/>`)
    .join('')
  const labels = ticks
    .filter(({ x }) => isFree(x) && x < width - 20)
    .map(
      ({ x, label }) => `<text class="tick" x="${x.toFixed(1)}" y="${ground + 16}">${label}</text>`,
    )
    .join('')
  const gaps = breaks
    .map(
      ({ x, label }) =>
        `<path class="gap" d="M${x} 20V${ground}"/><text class="gap-label" x="${x}" y="${ground + 16}">+ ${label}</text>`,
    )
    .join('')

  return `${lines}${gaps}<path class="axis" d="M0 ${ground}H${width}"/>${labels}`
}
