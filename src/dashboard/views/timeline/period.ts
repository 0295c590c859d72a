import type { ClientTimeline } from '../../../report/client-timeline.ts'

/** A period that can be chosen. */
export interface Period {
  /** The setting in the address. */
  readonly value: string
  readonly label: string
  /** In milliseconds. */
  readonly length: number
}

const ALL: Period = { value: '', label: 'All', length: Number.POSITIVE_INFINITY }

export const PERIODS: readonly Period[] = [
  { value: 'minute', label: 'Last minute', length: 60_000 },
  { value: '10-minutes', label: 'Last 10 minutes', length: 600_000 },
  ALL,
]

/** The period of a setting in the address. Unknown ones are all time. */
export function periodOf(setting = ''): Period {
  return PERIODS.find(({ value }) => value === setting) ?? ALL
}

/** The requests of the period that ends at `now`. Timelines without such a request are left out. */
export function withinPeriod(
  timelines: readonly ClientTimeline[],
  { length }: Period,
  now: number,
): readonly ClientTimeline[] {
  if (length === Number.POSITIVE_INFINITY) return timelines
  return timelines
    .map((timeline) => timeline.filter(({ time }) => time > now - length && time <= now))
    .filter((timeline) => timeline.length > 0)
}

/** The timelines that are drawn, and what is left out. */
export interface Chosen {
  readonly shown: readonly ClientTimeline[]
  readonly hiddenKeys: number
  readonly hiddenRequests: number
}

/** The timelines with most requests, in the order of their keys, so that lanes do not move while requests are sent. */
export function chooseTimelines(timelines: readonly ClientTimeline[], most: number): Chosen {
  const sorted = timelines.toSorted((one, other) => other.length - one.length)
  const hidden = sorted.slice(most)

  return {
    shown: sorted.slice(0, most).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    hiddenKeys: hidden.length,
    hiddenRequests: hidden.reduce((sum, { length }) => sum + length, 0),
  }
}

function keyOf([first]: ClientTimeline): string {
  return first?.key ?? ''
}
