/** The time of a sandbox, as it was read. */
export interface ClockReading {
  /** The sandbox's time, in epoch milliseconds. */
  readonly now: number
  readonly isFrozen: boolean
  /** When it was read, in milliseconds of the page's own timer. */
  readonly readAt: number
}

/** The sandbox's time at `now` of the page's own timer. It runs on between two readings, unless the clock is frozen. */
export function timeAt({ now: time, isFrozen, readAt }: ClockReading, now: number): number {
  return isFrozen ? time : time + Math.max(0, now - readAt)
}
