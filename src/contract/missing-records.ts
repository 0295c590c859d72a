/** First records that cannot be generated. */
export interface MissingRecords {
  /** The path of the collection, such as `/books`. */
  readonly path: string
  /** The names that lead from a record to the value that is the reason. */
  readonly property: readonly string[]
  /** Why: a clause without a full stop. */
  readonly reason: string
  /** How many records there are instead. */
  readonly count: number
}
