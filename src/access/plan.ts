/** How many requests a plan allows in each UTC minute and in each UTC day. */
export interface Plan {
  readonly name: string
  /** Requests per minute. */
  readonly minute: number
  /** Requests per day. */
  readonly day: number
}

/** The plan of callers without a valid key. */
export const ANONYMOUS_PLAN = 'free'
