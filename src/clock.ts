import { type Duration, milliseconds } from './duration.ts'
import { UsageError } from './usage-error.ts'

/** A moment: epoch milliseconds, a `Date`, or ISO 8601 text as `2030-12-05T00:00:00Z`. */
export type Instant = number | string | Date

/** How a clock stands to the machine's. */
export interface ClockSnapshot {
  /** Milliseconds. */
  readonly offset: number
  /** Epoch milliseconds; absent while it runs. */
  readonly frozenAt?: number
}

/**
 * The sandbox's time. Windows, bans, `Retry-After`, deprecation, the journal and the `Date` header all ask it.
 * It runs with the machine's clock, read anew each time (so fake timers apply), until it is moved or frozen.
 */
export class Clock {
  #offset = 0
  #frozenAt: number | undefined

  /** Epoch milliseconds. */
  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset
  }

  /** Moves the time on, or back when the duration is a negative number. */
  advance(duration: Duration): void {
    const length = milliseconds(duration)
    if (this.#frozenAt === undefined) this.#offset += length
    else this.#frozenAt += length
  }

  /** Moves the time to `instant` and stops it there, so that a test is not raced by the seconds. */
  set(instant: Instant): void {
    this.#frozenAt = toTime(instant, 'set the clock to')
  }

  /** Stops the time where it is. */
  freeze(): void {
    this.#frozenAt = this.now()
  }

  snapshot(): ClockSnapshot {
    const offset = this.#offset
    return this.#frozenAt === undefined ? { offset } : { offset, frozenAt: this.#frozenAt }
  }

  restore({ offset, frozenAt }: ClockSnapshot): void {
    this.#offset = offset
    this.#frozenAt = frozenAt
  }

  /** Lets the time run on from where it is. */
  resume(): void {
    this.#offset = this.now() - Date.now()
    this.#frozenAt = undefined
  }
}

/** An instant in epoch milliseconds. Throws a UsageError for what is none, with the `deed` that it was for. */
export function toTime(instant: Instant, deed: string): number {
  const time = instant instanceof Date ? instant.getTime() : new Date(instant).getTime()
  if (!Number.isNaN(time)) return time
  throw new UsageError(
    'invalid_instant',
    `Cannot ${deed} "${instant}": it is no time. Write it as 2030-12-05T00:00:00Z.`,
  )
}

/** The dates written last, by their second: most answers of a moment carry the same ones. */
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
