import { is, type ValueCheck } from '../validation/value-check.ts'
import { epochOf } from './clock.ts'
import { milliseconds, spanOf } from './duration.ts'

/** An instant as text with its time zone, so that it means the same time on every machine. */
export const INSTANT: ValueCheck = is(
  'a time with its time zone, as "2030-12-05T00:00:00Z"',
  (value) => typeof value === 'string' && passes(epochOf, value),
)

/** An instant in epoch milliseconds. */
export const TIME: ValueCheck = is(
  'a time in epoch milliseconds',
  (value) => Number.isSafeInteger(value) && passes(epochOf, Number(value)),
)

/** A duration that is not negative. */
export const DURATION: ValueCheck = is(
  'a duration ≥ 0, as "5m"',
  (value) => isTextOrNumber(value) && passes((text) => milliseconds(text) >= 0, value),
)

/** A duration, or a range of durations. */
export const DURATION_RANGE: ValueCheck = is(
  'a duration, as "200ms" or "100ms..2s"',
  (value) => isTextOrNumber(value) && passes(spanOf, value),
)

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Whether a function accepts the value: it neither throws nor returns `false`. */
function passes<Value>(read: (value: Value) => unknown, value: Value): boolean {
  try {
    return read(value) !== false
  } catch {
    return false
  }
}
