/** How many requests a plan allows; both windows are fixed and start on the UTC minute and the UTC day. */
export interface Plan {
  readonly name: string
  /** Requests a minute. */
  readonly minute: number
  /** Requests a day. */
  readonly day: number
}

/** The plan of callers without a valid key. */
export const ANONYMOUS_PLAN = 'free'
