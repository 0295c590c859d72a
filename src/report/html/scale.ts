import { formatDuration } from '../rules.ts'

/** Where moments stand on an axis. */
export interface Scale {
  /** From 0 to `width`; what is outside of the axis stands at its ends. */
  readonly at: (time: number) => number
  readonly start: number
  readonly end: number
  /** Pixels. */
  readonly width: number
  /** Milliseconds. */
  readonly pixel: number
  readonly ticks: readonly Tick[]
  /** Where time was left out, and how much. */
  readonly breaks: readonly Tick[]
}

interface Tick {
  readonly x: number
  readonly label: string
}

/** A stretch of time that is drawn to scale. */
interface Stretch {
  readonly start: number
  readonly end: number
}

/** Pixels between two stretches. */
const BREAK = 44
/** Pixels that a label needs. */
const LABEL = 88
/** No time is left out that is shorter, in milliseconds: people wait so long. */
const LEAST_GAP = 180_000
const MOST_BREAKS = 6

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * SECOND))
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * MINUTE))
  .concat([1, 2, 3, 6, 12].map((count) => count * HOUR))
  .concat([1, 2, 7, 30, 90, 365].map((count) => count * DAY))

/** An axis for moments, which leaves out long times between them in which nothing was. */
export function createScale(moments: readonly number[], width: number): Scale {
  const stretches = toStretches(moments.toSorted((one, other) => one - other))
  const length = stretches.reduce((sum, { start, end }) => sum + end - start, 0)
  const pixel = length / (width - BREAK * (stretches.length - 1))
  let from = 0
  const placed = stretches.map((stretch) => {
    const x = from
    from += (stretch.end - stretch.start) / pixel + BREAK
    return { ...stretch, x }
  })
  const step = STEPS.find((one) => one / pixel >= LABEL) ?? 365 * DAY

  return {
    at: (time) => {
      const home = placed.findLast(({ start }) => start <= time)
      return home ? home.x + (Math.min(time, home.end) - home.start) / pixel : 0
    },
    start: placed[0]?.start ?? 0,
    end: placed.at(-1)?.end ?? 0,
    width,
    pixel,
    ticks: placed.flatMap(({ start, end, x }) =>
      ticksIn(start, end, step).map((time) => ({
        x: x + (time - start) / pixel,
        label: labelOf(time, step),
      })),
    ),
    breaks: placed.slice(1).map(({ start, x }, at) => ({
      x: x - BREAK / 2,
      label: gapLabel(start - (placed[at]?.end ?? start)),
    })),
  }
}

/** Cuts the longest gaps out, as long as one is longer than a third of what would stay. */
function toStretches(moments: readonly number[]): readonly Stretch[] {
  const first = moments[0] ?? 0
  const last = moments.at(-1) ?? 0
  const gaps = moments
    .slice(1)
    .map((end, at) => ({ start: moments[at] ?? end, end }))
    .filter(({ start, end }) => end - start >= LEAST_GAP)
    .sort((one, other) => other.end - other.start - (one.end - one.start))
  const cut: Stretch[] = []
  let rest = last - first
  for (const gap of gaps) {
    const length = gap.end - gap.start
    if (cut.length >= MOST_BREAKS || length < rest / 3) break
    cut.push(gap)
    rest -= length
  }
  // Something on either side of what is drawn, and a little for what is a single moment.
  const margin = Math.max(rest * 0.02, 500 / (cut.length + 1))
  const ends = cut.toSorted((one, other) => one.start - other.start)

  return [...ends, undefined].map((gap, at) => ({
    start: (ends[at - 1]?.end ?? first) - margin,
    end: (gap?.start ?? last) + margin,
  }))
}

function ticksIn(start: number, end: number, step: number): readonly number[] {
  const ticks: number[] = []
  for (let time = Math.ceil(start / step) * step; time <= end; time += step) ticks.push(time)
  return ticks
}

function labelOf(time: number, step: number): string {
  const iso = new Date(time).toISOString()
  if (step >= DAY || (step >= HOUR && time % DAY === 0)) return iso.slice(0, 10)
  if (step >= MINUTE) return iso.slice(11, 16)

  return step >= SECOND ? iso.slice(11, 19) : iso.slice(11, 23)
}

function gapLabel(length: number): string {
  if (length < 2 * DAY) return formatDuration(length)
  return length < 2 * 365 * DAY
    ? `${Math.round(length / DAY)} days`
    : `${Math.round(length / (365 * DAY))} years`
}
