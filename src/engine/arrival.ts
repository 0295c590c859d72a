import type { CoreRequest } from '../http/message.ts'
import type { WorldState } from './world-state.ts'

/** A request, and when it came. */
export interface Arrival {
  readonly request: CoreRequest
  /** Epoch milliseconds of the sandbox's clock. */
  readonly now: number
  /** Real milliseconds, to measure how long the response takes. */
  readonly started: number
  /** The id of the latest exchange that had ended. */
  readonly follows: number
}

export function arrive(
  request: CoreRequest,
  { clock, journal }: Pick<WorldState, 'clock' | 'journal'>,
): Arrival {
  return { request, now: clock.now(), started: performance.now(), follows: journal.last }
}
