import type { NameOf, ServiceTypes } from '../contract/service-types.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { Clock, Instant } from '../time/clock.ts'
import type { Duration } from '../time/duration.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'

/**
 * The time of a world, which is used for quota windows, bans, `Retry-After`, deprecation, the journal and the `Date` header. Until
 * it is moved or frozen, it runs with the machine's clock, fake timers included. When it is moved back, quota windows start anew:
 * the usage of a window is lost when a request comes in another one. A ban ends at its time, wherever the clock was meanwhile.
 */
export class WorldClock<Types extends ServiceTypes = ServiceTypes> {
  readonly #stateOf: () => WorldState

  constructor(stateOf: () => WorldState) {
    this.#stateOf = stateOf
  }

  /** Whether the time is frozen. */
  get isFrozen(): boolean {
    return this.#clock.isFrozen
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#clock.now()
  }

  /**
   * Moves the time forward, or back when the duration is negative. Throws a UsageError for an invalid duration, and for one that
   * leaves the years 1970 to 9999.
   */
  advance(duration: Duration): void {
    this.#clock.advance(duration)
  }

  /**
   * Moves the time to `instant`, forward or back, and freezes it, so that no seconds pass during a test. Throws a UsageError for
   * an invalid instant, and for one that is not between 1970 and 9999.
   */
  set(instant: Instant): void {
    this.#clock.set(instant)
  }

  /** Freezes the time. */
  freeze(): void {
    this.#clock.freeze()
  }

  /** Lets the time run from where it is. */
  resume(): void {
    this.#clock.resume()
  }

  /**
   * Moves the time to the end of the quota window, as the key's `X-RateLimit-Reset` says. Throws a UsageError for an unknown
   * key, and in a sandbox without plans.
   */
  advanceToReset(key: NameOf<Types, 'key'>): void {
    const { keys, limits } = this.#stateOf()
    const quota = limits.count(keys.callerOf(key), this.now(), 0)
    if (!quota) {
      throw new UsageError({
        code: 'no_quota',
        task: `move the clock to the end of the quota windows of "${key}"`,
        reason: 'the sandbox has no plans, so there is no quota',
        help: 'Add a plan, such as free=60/1000.',
      })
    }
    this.#clock.moveTo(quota.reset)
  }

  /** Moves the time to the end of the key's ban. Throws a UsageError for an unknown key, and for a key that is not banned. */
  advanceToBanEnd(key: NameOf<Types, 'key'>): void {
    const { keys, bans } = this.#stateOf()
    const until = bans.until(keys.callerOf(key), this.now())
    if (until === undefined) {
      throw new UsageError({
        code: 'not_banned',
        task: `move the clock to the end of the ban of "${key}"`,
        reason: 'this API key is not banned',
        help: 'A key is banned after repeated requests that do not wait for Retry-After.',
      })
    }
    this.#clock.moveTo(until)
  }

  /** Moves the time to the removal of a deprecated operation. Throws a UsageError for an operation that is never removed. */
  advanceToRemoval(operation: Types['operation']): void {
    const { operations } = this.#stateOf().service.settings.contract
    const sunset = operations.find(({ id }) => id === operation)?.deprecation?.sunset
    if (sunset === undefined) {
      const ending = operations.filter(({ deprecation }) => deprecation?.sunset !== undefined)
      const suggestion = suggest(
        operation,
        ending.map(({ id }) => id),
      )
      throw new UsageError({
        code: 'no_removal',
        task: `move the clock to the removal of "${operation}"`,
        reason: 'no operation of this name has a Sunset date',
        ...suggestion,
      })
    }
    this.#clock.moveTo(Math.max(sunset, this.now()))
  }

  get #clock(): Clock {
    return this.#stateOf().clock
  }
}
