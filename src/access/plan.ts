/** How many requests a plan allows in each UTC minute and in each UTC day. */
export interface Plan {
  readonly name: string
  /** Requests per minute. */
  readonly minute: number
  /** Requests per day. */
  readonly day: number
}
