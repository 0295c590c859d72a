import type { NameOf, ServiceTypes } from '../contract/contract.ts'
import type { Instant } from '../time/clock.ts'
import type { Duration } from '../time/duration.ts'
import { type RemoteWorld, request, send } from './remote-world.ts'
import { toIsoText } from './serialize.ts'

/**
 * The time of a world that runs elsewhere, as `WorldClock` has it. Moved back, it begins windows anew: the count of a
 * window is forgotten once requests come in another one. A ban ends at its moment, wherever the clock has been meanwhile.
 * Every method rejects with a UsageError for what it cannot do.
 */
export interface ClientClock<Types extends ServiceTypes = ServiceTypes> {
  /** Whether the time stands still. */
  isFrozen(): Promise<boolean>
  /** Epoch milliseconds. */
  now(): Promise<number>
  /** Moves the time on, or back when the duration is negative. */
  advance(duration: Duration): Promise<void>
  /** Moves the time to `instant`, on or back, and stops it there. */
  set(instant: Instant): Promise<void>
  /** Stops the time where it is. */
  freeze(): Promise<void>
  /** Lets the time run on from where it is. */
  resume(): Promise<void>
  /** Moves the time to the end of the window that the key's `X-RateLimit-Reset` tells. */
  advanceToReset(key: NameOf<Types, 'key'>): Promise<void>
  /** Moves the time to the end of the key's ban. */
  advanceToBanEnd(key: NameOf<Types, 'key'>): Promise<void>
  /** Moves the time to the removal of a deprecated operation. */
  advanceToRemoval(operation: Types['operation']): Promise<void>
}

/** As the control interface tells it. */
interface Time {
  readonly now: string
  readonly frozen: boolean
}

export function createClock(remote: RemoteWorld): ClientClock {
  const time = (): Promise<Time> => request<Time>(remote, 'GET /clock')
  const move = (body: object): Promise<void> => send(remote, 'POST /clock', { body })

  return {
    isFrozen: async () => (await time()).frozen,
    now: async () => Date.parse((await time()).now),
    advance: (duration) => move({ advance: toDuration(duration) }),
    set: (instant) => move({ set: toIsoText(instant) }),
    freeze: () => move({ freeze: true }),
    resume: () => move({ resume: true }),
    advanceToReset: (key) => move({ advanceToReset: key }),
    advanceToBanEnd: (key) => move({ advanceToBanEnd: key }),
    advanceToRemoval: (operation) => move({ advanceToRemoval: operation }),
  }
}

/** A number as JSON can hold it: `NaN` and `Infinity` go as text, for the sandbox to refuse. */
function toDuration(duration: Duration): number | string {
  if (typeof duration === 'string') return duration
  return Number.isFinite(duration) ? Math.round(duration) : String(duration)
}
