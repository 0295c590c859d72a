import { formatDuration } from '../format.ts'

/** Maps times to x positions on an axis. */
export interface Scale {
  /** From 0 to `width`. Times outside of the axis get its nearest end. */
  readonly at: (time: number) => number
  readonly start: number
  readonly end: number
  /** In pixels. */
  readonly width: number
  readonly ticks: readonly Tick[]
  /** Where time is left out, and how much. */
  readonly breaks: readonly Tick[]
}

interface Tick {
  readonly x: number
  readonly label: string
}

/** A period that is drawn to scale. */
interface Period {
  readonly start: number
  readonly end: number
}

/** The gap between two periods, in pixels. */
const BREAK = 44
/** The width of a label, in pixels. */
const LABEL = 88
/** Shorter pauses, in milliseconds, are drawn: they can be waits for `Retry-After`. */
const MIN_GAP = 180_000
const MAX_BREAKS = 6

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * SECOND))
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * MINUTE))
  .concat([1, 2, 3, 6, 12].map((count) => count * HOUR))
  .concat([1, 2, 7, 30, 90, 365].map((count) => count * DAY))

/** Creates an axis for these times. It leaves out long periods without requests. */
export function createScale(moments: readonly number[], width: number): Scale {
  const periods = toPeriods(moments.toSorted((one, other) => one - other))
  const length = periods.reduce((sum, { start, end }) => sum + end - start, 0)
  const millisecondsPerPixel = length / (width - BREAK * (periods.length - 1))
  let from = 0
  const placed = periods.map((period) => {
    const x = from
    from += (period.end - period.start) / millisecondsPerPixel + BREAK
    return { ...period, x }
  })
  const step = STEPS.find((one) => one / millisecondsPerPixel >= LABEL) ?? 365 * DAY

  return {
    at: (time) => {
      const home = placed.findLast(({ start }) => start <= time)
      return home ? home.x + (Math.min(time, home.end) - home.start) / millisecondsPerPixel : 0
    },
    start: placed[0]?.start ?? 0,
    end: placed.at(-1)?.end ?? 0,
    width,
    ticks: placed.flatMap(({ start, end, x }) =>
      ticksIn(start, end, step).map((time) => ({
        x: x + (time - start) / millisecondsPerPixel,
        label: labelOf(time, step),
      })),
    ),
    breaks: placed.slice(1).map(({ start, x }, at) => ({
      x: x - BREAK / 2,
      label: gapLabel(start - (placed[at]?.end ?? start)),
    })),
  }
}

/** The first and the last of these times. */
export function endsOf(times: readonly number[]): readonly [first: number, last: number] {
  return times.reduce<[number, number]>(
    ([first, last], time) => [Math.min(first, time), Math.max(last, time)],
    [Number.POSITIVE_INFINITY, 0],
  )
}

/** Removes the longest gaps, while a gap is longer than a third of the time that would remain. */
function toPeriods(moments: readonly number[]): readonly Period[] {
  const first = moments[0] ?? 0
  const last = moments.at(-1) ?? 0
  const gaps = moments
    .slice(1)
    .map((end, at) => ({ start: moments[at] ?? end, end }))
    .filter(({ start, end }) => end - start >= MIN_GAP)
    .sort((one, other) => other.end - other.start - (one.end - one.start))
  const cut: Period[] = []
  let rest = last - first
  for (const gap of gaps) {
    const length = gap.end - gap.start
    if (cut.length >= MAX_BREAKS || length < rest / 3) break
    cut.push(gap)
    rest -= length
  }
  // A margin on both sides; a single moment needs one, too.
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
