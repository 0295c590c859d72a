import { UsageError } from '../validation/usage-error.ts'
import { type Duration, milliseconds } from './duration.ts'

/** A moment: epoch milliseconds, a `Date`, or ISO 8601 text with its zone, as `2030-12-05T00:00:00Z` or `2030-12-05`. */
export type Instant = number | string | Date

/** A day, which starts in UTC, or a time with its zone: without one, it would be another moment on each machine. */
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/i

/** The last moment that an HTTP date can tell, 9999-12-31T23:59:59.999Z. */
export const LATEST = 253_402_300_799_999

/** A moment in epoch milliseconds. Throws a UsageError for what is no moment, or is not between 1970 and 9999. */
export function epochOf(instant: Instant, task = 'read the time'): number {
  const isTime = typeof instant === 'number' || instant instanceof Date
  const time = isTime || isText(String(instant)) ? new Date(instant).getTime() : Number.NaN
  if (time >= 0 && time <= LATEST) return time

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

/** Whether a text is a moment. `Date` alone would take the 30th of February for the 2nd of March. */
function isText(instant: string): boolean {
  const day = Date.parse(instant.slice(0, 10))
  return ISO.test(instant) && new Date(day || 0).toISOString().startsWith(instant.slice(0, 10))
}

function showInstant(instant: Instant): string {
  const isTime = typeof instant === 'number' || instant instanceof Date
  const date = new Date(instant)
  return isTime && date.getTime() ? date.toISOString() : String(instant)
}

function within(time: number): number {
  return Math.max(0, Math.min(time, LATEST))
}

/** Where a clock is, relative to the machine's. */
export interface ClockSnapshot {
  /** Milliseconds that it is ahead of the machine's, while it runs. */
  readonly offset: number
  /** The epoch milliseconds at which it stands still; absent while it runs. */
  readonly frozenAt?: number
}

/**
 * The sandbox's time. Windows, bans, `Retry-After`, deprecation, the journal and the `Date` header all ask it.
 * It runs with the machine's clock, read anew each time (so fake timers apply), until it is moved or frozen.
 */
export class Clock {
  /** Replaced by each change, never changed in place. */
  #state: ClockSnapshot = { offset: 0 }

  /** Epoch milliseconds. It stops at the end of 9999, and goes no further back than 1970: HTTP dates end there. */
  now(): number {
    return within(this.#state.frozenAt ?? Date.now() + this.#state.offset)
  }

  /** Whether the time stands still. */
  get isFrozen(): boolean {
    return this.#state.frozenAt !== undefined
  }

  /** Moves the time on, or back when the duration is negative. */
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

  /** Moves the time to `instant`, and lets it go on from there if it went on before. */
  moveTo(instant: Instant): void {
    const time = epochOf(instant, 'move the clock to')
    if (this.isFrozen) this.#freezeAt(time)
    else this.#state = { offset: time - Date.now() }
  }

  /** Moves the time to `instant` and stops it there, so that a test is not raced by the seconds. */
  set(instant: Instant): void {
    this.#freezeAt(epochOf(instant, 'set the clock to'))
  }

  /** Stops the time where it is. */
  freeze(): void {
    this.#freezeAt(this.now())
  }

  /** Where the clock is: the same object until that is changed. */
  get state(): ClockSnapshot {
    return this.#state
  }

  snapshot(): ClockSnapshot {
    return { ...this.#state }
  }

  restore(state: ClockSnapshot): void {
    this.#state = state
  }

  /** Lets the time run on from where it is. */
  resume(): void {
    this.#state = { offset: this.now() - Date.now() }
  }

  #freezeAt(frozenAt: number): void {
    this.#state = { offset: this.#state.offset, frozenAt }
  }
}

/** The latest dates, by their second: answers that are close in time carry the same ones. */
const dates = new Map<number, string>()

/** A moment in epoch milliseconds as RFC 9110, section 5.6.7, writes it: `Thu, 05 Dec 2030 00:00:00 GMT`. */
export function httpDate(time: number): string {
  const second = Math.floor(time / 1000)
  const known = dates.get(second)
  if (known !== undefined) return known
  if (dates.size > 100) dates.clear()
  const date = new Date(time).toUTCString()
  dates.set(second, date)

  return date
}
