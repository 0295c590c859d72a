/** How many requests a plan allows in each UTC minute and each UTC day (SERVICE.md, Limits). */
export interface Plan {
  readonly name: string
  /** Requests a minute. */
  readonly minute: number
  /** Requests a day. */
  readonly day: number
}

/** The plan of callers without a valid key. */
export const ANONYMOUS_PLAN = 'free'
