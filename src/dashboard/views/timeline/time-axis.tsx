import type { JSX } from 'preact'
import type { Scale } from '../../../report/html/scale.ts'

/** The distance at which a label does not overlap the label of a break, in pixels. */
const LABEL_DISTANCE = 64

interface TimeAxisProps {
  readonly scale: Scale
  /** The y position of the axis. */
  readonly ground: number
}

/** The time axis below all lanes, with a vertical line for each label. */
export function TimeAxis({ scale, ground }: TimeAxisProps): JSX.Element {
  const { ticks, breaks, width } = scale
  const labelled = ticks.filter(
    ({ x }) => x < width - 20 && breaks.every((one) => Math.abs(one.x - x) > LABEL_DISTANCE),
  )

  return (
    <g>
      {ticks.map(({ x }) => (
        <path key={x} class="grid" d={`M${x} 20V${ground}`} />
      ))}
      {labelled.map(({ x, label }) => (
        <text key={x} class="tick" x={x} y={ground + 18}>
          {label}
        </text>
      ))}
      {breaks.map(({ x, label }) => (
        <g key={x}>
          <path class="gap" d={`M${x} 20V${ground}`} />
          <text class="gap-label" x={x} y={ground + 18}>
            + {label}
          </text>
        </g>
      ))}
      <path class="axis" d={`M0 ${ground}H${width}`} />
    </g>
  )
}
