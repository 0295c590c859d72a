import type { NameOf, ServiceTypes } from '../contract/service-types.ts'
import type { ClockState } from '../control/outputs.ts'
import type { Instant } from '../time/clock.ts'
import type { Duration } from '../time/duration.ts'
import { type RemoteWorld, request, send } from './connection.ts'
import { toIsoText } from './serialize.ts'

/**
 * The clock of a world in another process, like `WorldClock`. A clock that moves back starts new windows, because the count of
 * a window is dropped when requests come in another one. A ban ends at its fixed time, even when the clock moves meanwhile.
 * Every method rejects with a UsageError when it fails.
 */
export interface ClientClock<Types extends ServiceTypes = ServiceTypes> {
  /** Whether the clock is stopped. */
  isFrozen(): Promise<boolean>
  /** The time in epoch milliseconds. */
  now(): Promise<number>
  /** Moves the clock forward, or back when the duration is negative. */
  advance(duration: Duration): Promise<void>
  /** Moves the clock to `instant`, forward or back, and stops it there. */
  set(instant: Instant): Promise<void>
  /** Stops the clock at the current time. */
  freeze(): Promise<void>
  /** Starts the clock again at its current time. */
  resume(): Promise<void>
  /** Moves the clock to the end of the window that the key's `X-RateLimit-Reset` names. */
  advanceToReset(key: NameOf<Types, 'key'>): Promise<void>
  /** Moves the clock to the end of the key's ban. */
  advanceToBanEnd(key: NameOf<Types, 'key'>): Promise<void>
  /** Moves the clock to the removal of a deprecated operation. */
  advanceToRemoval(operation: Types['operation']): Promise<void>
}

export function createClock(remote: RemoteWorld): ClientClock {
  const time = (): Promise<ClockState> => request<ClockState>(remote, 'GET /clock')
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

/** A duration that JSON can represent. `NaN` and `Infinity` are sent as text, and the sandbox refuses them. */
function toDuration(duration: Duration): number | string {
  if (typeof duration === 'string') return duration
  return Number.isFinite(duration) ? Math.round(duration) : String(duration)
}
