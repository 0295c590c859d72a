import type { Clock, Instant } from '../clock.ts'
import type { Duration } from '../duration.ts'
import { suggest, UsageError } from '../usage-error.ts'
import type { Parts } from './parts.ts'

/**
 * The time of a world. Windows, bans, `Retry-After`, deprecation, the journal and the `Date` header all go by it. It runs with
 * the machine's clock, so that fake timers apply, until it is moved or frozen. Moved back, it begins windows anew: what was
 * counted in a window is forgotten once the clock leaves it, on whichever side; a ban ends when it was to end.
 */
export class WorldClock {
  readonly #partsOf: () => Parts

  constructor(partsOf: () => Parts) {
    this.#partsOf = partsOf
  }

  get isFrozen(): boolean {
    return this.#clock.isFrozen
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#clock.now()
  }

  /**
   * Moves the time on, or back when the duration is negative, which begins windows anew. Throws a UsageError for what is no
   * duration.
   */
  advance(duration: Duration): void {
    this.#clock.advance(duration)
  }

  /**
   * Moves the time to `instant` and stops it there, so that a test is not raced by the seconds; one that is past begins
   * windows anew. Throws a UsageError.
   */
  set(instant: Instant): void {
    this.#clock.set(instant)
  }

  /** Stops the time where it is. */
  freeze(): void {
    this.#clock.freeze()
  }

  /** Lets the time run on from where it is. */
  resume(): void {
    this.#clock.resume()
  }

  /** Moves the time to where `X-RateLimit-Reset` points for this key. Throws a UsageError for an unknown key. */
  advanceToReset(key: string): void {
    const { keys, limits } = this.#partsOf()
    const { reset } = limits.count(keys.known(key), this.now(), 0)
    this.#clock.moveTo(reset)
  }

  /** Moves the time to where the ban of this key ends. Throws a UsageError when the key is not banned. */
  advanceToBanEnd(key: string): void {
    const { keys, gate } = this.#partsOf()
    const until = gate.bans.until(keys.known(key), this.now())
    if (until === undefined) {
      throw new UsageError(
        'not_banned',
        `Cannot move the clock to the end of the ban of "${key}": it is not banned. Let it be refused without waiting first.`,
      )
    }
    this.#clock.moveTo(until)
  }

  /** Moves the time to where a deprecated operation is removed. Throws a UsageError for one that never is. */
  advanceToRemoval(operation: string): void {
    const { operations } = this.#partsOf().service.settings.contract
    const sunset = operations.find(({ id }) => id === operation)?.deprecation?.sunset
    if (sunset === undefined) {
      const ending = operations.filter(({ deprecation }) => deprecation?.sunset !== undefined)
      const hint = suggest(
        operation,
        ending.map(({ id }) => id),
      )
      throw new UsageError(
        'no_removal',
        `Cannot move the clock to the removal of "${operation}": no operation of that name is ever removed. ${hint}`,
      )
    }
    this.#clock.moveTo(Math.max(sunset, this.now()))
  }

  get #clock(): Clock {
    return this.#partsOf().clock
  }
}
