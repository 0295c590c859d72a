import { UsageError } from '../validation/usage-error.ts'

/** Milliseconds, or a text: `500ms`, `61s`, `5m`, `2h`, `1d`, `1h30m`, or ISO 8601 such as `PT61S`. `-61s` goes back in time. */
export type Duration = number | DurationText

/** A duration, or a range such as `100ms..2s`: each time a random duration in the range, both ends included. */
export type DurationRange = Duration | `${Part | `${number}`}..${Part}`

type Part = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

type IsoText = `${'' | '-' | '+'}P${string}`

type DurationText = `${number}` | Part | `${Part}${Part}` | `${Part}${Part}${Part}` | IsoText

/** The maximum delay of a timer, in milliseconds. A timer with a longer delay fires at once. */
export const MAX_TIMER_DELAY: number = 2 ** 31 - 1

/** A range of durations in milliseconds, both ends included. */
export interface Span {
  readonly from: number
  readonly to: number
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const SHORT = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/
/** The smallest component may have a fraction, after a point or a comma (ISO 8601-1, section 5.5.2). */
const COUNT = '(\\d+(?:[.,]\\d+(?=\\D$))?)'
const ISO = new RegExp(
  `^P(?=\\d|T\\d)(?:${COUNT}W)?(?:${COUNT}D)?(?:T(?=\\d)(?:${COUNT}H)?(?:${COUNT}M)?(?:${COUNT}S)?)?$`,
)

/** A duration in milliseconds, rounded to an integer. Throws a UsageError for an invalid duration. */
export function milliseconds(duration: number | string): number {
  const length = typeof duration === 'number' ? duration : signed(String(duration).trim())
  if (Number.isFinite(length)) return Math.round(length)

  const why = /^-?P[^T]*[YM]/.test(String(duration))
    ? 'years and months have no fixed length'
    : 'it is not a duration'
  throw new UsageError({
    code: 'invalid_duration',
    task: `read the duration "${duration}"`,
    reason: why,
    help: 'Write 61s, 5m, 1h30m, PT61S or milliseconds.',
  })
}

/** A delay in milliseconds. Throws a UsageError for an invalid duration, and for one that goes back in time. */
export function delayOf(duration: number | string): number {
  const delay = milliseconds(duration)
  if (delay >= 0) return delay

  throw new UsageError({
    code: 'invalid_duration',
    task: `wait for "${duration}"`,
    reason: 'a delay must be at least 0',
  })
}

/** The shortest and the longest duration of a range; a single duration is both. Throws a UsageError for an invalid range. */
export function spanOf(range: number | string): Span {
  const [first = '', second, ...more] =
    typeof range === 'number' ? [range] : String(range).split('..')
  const from = milliseconds(first)
  const to = second === undefined ? from : milliseconds(second)
  if (from >= 0 && to >= from && more.length === 0) return { from, to }

  throw new UsageError({
    code: 'invalid_duration',
    task: `read the range "${range}"`,
    reason: 'it must go from a duration ≥ 0 to a longer one',
    help: 'Write it as 100ms..2s.',
  })
}

/** Narrows a number or text to a duration. Throws a UsageError for an invalid duration. */
export function durationOf(given: number | string): Duration {
  checkDuration(given)
  return given
}

/** Narrows a number or text to a range. Throws a UsageError for an invalid range. */
export function rangeOf(given: number | string): DurationRange {
  checkRange(given)
  return given
}

function checkDuration(given: number | string): asserts given is Duration {
  milliseconds(given)
}

function checkRange(given: number | string): asserts given is DurationRange {
  spanOf(given)
}

function signed(text: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  return text.startsWith('-') ? -parse(text.slice(1)) : parse(text)
}

function parse(text: string): number {
  const iso = ISO.exec(text)
  if (iso) {
    const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = iso
      .slice(1)
      .map((part = '0') => Number(part.replace(',', '.')))
    return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000
  }
  if (!SHORT.test(text)) return Number.NaN

  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)
  return [...parts].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  )
}

/** Waits for so many milliseconds, unless the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void> | void

/** Waits, but not after the signal is aborted. */
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(end, Math.min(milliseconds, MAX_TIMER_DELAY))
    signal?.addEventListener('abort', end)
    function end(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
  })
}
