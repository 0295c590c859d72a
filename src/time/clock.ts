import { UsageError } from '../validation/usage-error.ts'
import { is, type ValueCheck } from '../validation/value-check.ts'
import { type Duration, milliseconds, spanOf } from './duration.ts'

/** Read before a test can replace it with a fake. */
const elapsed = performance.now.bind(performance)

/** The real time in epoch milliseconds, with microseconds. It never goes back, and no fake timers change it. */
export function realNow(): number {
  return Math.round((performance.timeOrigin + elapsed()) * 1000) / 1000
}

/** A point in time: epoch milliseconds, a `Date`, or ISO 8601 text with its time zone, such as `2030-12-05T00:00:00Z` or `2030-12-05`. */
export type Instant = number | string | Date

/** A day in UTC, or a time with its time zone. Without a time zone, a text would mean another time on each machine. */
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/i

/** The latest time that an HTTP date can express, 9999-12-31T23:59:59.999Z. */
export const MAX_TIME = 253_402_300_799_999

/** An instant in epoch milliseconds. Throws a UsageError for an invalid instant, and for one that is not between 1970 and 9999. */
export function epochOf(instant: Instant, task = 'read the time'): number {
  const isTime = typeof instant === 'number' || instant instanceof Date
  const time = isTime ? new Date(instant).getTime() : (parseInstant(String(instant)) ?? Number.NaN)
  if (time >= 0 && time <= MAX_TIME) return time

  const isDate = !Number.isNaN(time)
  throw new UsageError({
    code: 'invalid_instant',
    task: `${task} "${showInstant(instant)}"`,
    reason: isDate
      ? 'it is not between 1970 and 9999'
      : 'it is not a date, or a time with its time zone',
    help: 'Write it as 2030-12-05T00:00:00Z.',
  })
}

/** Epoch milliseconds of an ISO 8601 day (midnight UTC) or time with its time zone; `undefined` for any other text. */
export function parseInstant(text: string): number | undefined {
  if (!ISO.test(text)) return undefined
  const day = text.slice(0, 10)
  // `Date` alone would read the 30th of February as the 2nd of March.
  const isDay = new Date(Date.parse(day) || 0).toISOString().startsWith(day)
  const time = Date.parse(text)

  return isDay && !Number.isNaN(time) ? time : undefined
}

function showInstant(instant: Instant): string {
  const isTime = typeof instant === 'number' || instant instanceof Date
  const date = new Date(instant)
  return isTime && date.getTime() ? date.toISOString() : String(instant)
}

function within(time: number): number {
  return Math.max(0, Math.min(time, MAX_TIME))
}

/** The state of a clock, relative to the clock of the machine. */
export interface ClockSnapshot {
  /** How many milliseconds a running clock is ahead of the machine's. */
  readonly offset: number
  /** The time of a frozen clock, in epoch milliseconds; absent while the clock runs. */
  readonly frozenAt?: number
}

/**
 * The time of a world, which is used for quota windows, bans, `Retry-After`, deprecation, the journal and the `Date` header.
 * It follows the clock of the machine, fake timers included, until it is moved or frozen.
 */
export class Clock {
  /** Replaced by each change, never changed in place. */
  #state: ClockSnapshot = { offset: 0 }

  /** Epoch milliseconds, from 1970 to the end of 9999, because HTTP dates end there. */
  now(): number {
    return within(this.#state.frozenAt ?? Date.now() + this.#state.offset)
  }

  /** Whether the time is frozen. */
  get isFrozen(): boolean {
    return this.#state.frozenAt !== undefined
  }

  /** Moves the time forward, or back when the duration is negative. */
  advance(duration: Duration): void {
    const now = this.now()
    const time = now + milliseconds(duration)
    if (time !== within(time)) {
      throw new UsageError({
        code: 'invalid_instant',
        task: `move the clock by ${duration}`,
        reason: `from ${showInstant(now)}, that is not between 1970 and 9999`,
        help: 'Set the clock instead.',
      })
    }
    this.moveTo(time)
  }

  /** Moves the time to `instant`. A frozen clock stays frozen, and a running clock continues. */
  moveTo(instant: Instant): void {
    const time = epochOf(instant, 'move the clock to')
    if (this.isFrozen) this.#freezeAt(time)
    else this.#state = { offset: time - Date.now() }
  }

  /** Moves the time to `instant` and freezes it, so that no seconds pass during a test. */
  set(instant: Instant): void {
    this.#freezeAt(epochOf(instant, 'set the clock to'))
  }

  /** Freezes the time. */
  freeze(): void {
    this.#freezeAt(this.now())
  }

  /** The state of the clock: the same object until the clock is changed. */
  get state(): ClockSnapshot {
    return this.#state
  }

  snapshot(): ClockSnapshot {
    return { ...this.#state }
  }

  restore(state: ClockSnapshot): void {
    this.#state = state
  }

  /** Lets the time run from where it is. */
  resume(): void {
    this.#state = { offset: this.now() - Date.now() }
  }

  #freezeAt(frozenAt: number): void {
    this.#state = { offset: this.#state.offset, frozenAt }
  }
}

/** The texts of the latest dates, by their second. Many responses have the same date. */
const dates = new Map<number, string>()

/** A time in epoch milliseconds as an HTTP date (RFC 9110, section 5.6.7): `Thu, 05 Dec 2030 00:00:00 GMT`. */
export function httpDate(time: number): string {
  const second = Math.floor(time / 1000)
  const known = dates.get(second)
  if (known !== undefined) return known
  if (dates.size > 100) dates.clear()
  const date = new Date(time).toUTCString()
  dates.set(second, date)

  return date
}

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
