import type { Instant } from '../clock.ts'
import type { Duration } from '../duration.ts'
import { ask, type RemoteWorld, tell } from './remote-world.ts'
import { toText } from './wire.ts'

/**
 * The time of a world that runs elsewhere, as `WorldClock` has it. Moved back, it begins windows anew: what was counted in a
 * window is forgotten once the clock leaves it, on whichever side; a ban ends when it was to end.
 */
export interface ClientClock {
  /** Whether the time stands still. */
  isFrozen(): Promise<boolean>
  /** Epoch milliseconds. */
  now(): Promise<number>
  /** Moves the time on, or back when the duration is negative, which begins windows anew. */
  advance(duration: Duration): Promise<void>
  /** Moves the time to `instant` and stops it there; one that is past begins windows anew. */
  set(instant: Instant): Promise<void>
  /** Stops the time where it is. */
  freeze(): Promise<void>
  /** Lets the time run on from where it is. */
  resume(): Promise<void>
  /** Moves the time to where `X-RateLimit-Reset` points for this key. */
  advanceToReset(key: string): Promise<void>
  /** Moves the time to where the ban of this key ends. */
  advanceToBanEnd(key: string): Promise<void>
  /** Moves the time to where a deprecated operation is removed. */
  advanceToRemoval(operation: string): Promise<void>
}

/** As the control interface tells it. */
interface Time {
  readonly now: string
  readonly frozen: boolean
}

export function createClock(remote: RemoteWorld): ClientClock {
  const time = (): Promise<Time> => ask<Time>(remote, 'GET /clock')
  const move = (body: object): Promise<void> => tell(remote, 'POST /clock', { body })

  return {
    isFrozen: async () => (await time()).frozen,
    now: async () => Date.parse((await time()).now),
    advance: (duration) => move({ advance: toDuration(duration) }),
    set: (instant) => move({ set: toText(instant) }),
    freeze: () => move({ freeze: true }),
    resume: () => move({ resume: true }),
    advanceToReset: (key) => move({ advanceToReset: key }),
    advanceToBanEnd: (key) => move({ advanceToBanEnd: key }),
    advanceToRemoval: (operation) => move({ advanceToRemoval: operation }),
  }
}

/** JSON has no number for some of those that there are. */
function toDuration(duration: Duration): Duration {
  if (typeof duration === 'string') return duration
  return Number.isFinite(duration) ? Math.round(duration) : String(duration)
}
