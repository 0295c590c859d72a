import { is, type ValueCheck } from '../validation/value-check.ts'
import { epochOf } from './clock.ts'
import { milliseconds, spanOf } from './duration.ts'

/** A moment as text, with its zone: the same everywhere. */
export const INSTANT: ValueCheck = is(
  'no instant with a zone',
  'Write it as 2030-12-05T00:00:00Z.',
  (value) => typeof value === 'string' && passes(epochOf, value),
)

/** A moment in epoch milliseconds. */
export const TIME: ValueCheck = is(
  'no time',
  'Give milliseconds since 1970.',
  (value) => Number.isSafeInteger(value) && passes(epochOf, Number(value)),
)

/** A length of time that is not negative. */
export const DURATION: ValueCheck = is(
  'no duration',
  'Write it as 5m.',
  (value) => isTextOrNumber(value) && passes((text) => milliseconds(text) >= 0, value),
)

/** A length of time, or the two that it is between. */
export const DURATION_RANGE: ValueCheck = is(
  'no duration',
  'Write it as 200ms, or as 100ms..2s.',
  (value) => isTextOrNumber(value) && passes(spanOf, value),
)

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Whether a reader takes the value: it neither throws nor says no. */
function passes<Value>(read: (value: Value) => unknown, value: Value): boolean {
  try {
    return read(value) !== false
  } catch {
    return false
  }
}
