import { UsageError } from '../validation/usage-error.ts'

/** What cannot be made, and why. */
interface Unmakeable {
  readonly code: string
  /** As `seed books.title`. */
  readonly deed: string
  /** A clause without a full stop. */
  readonly why: string
  /** A sentence that says what to do. */
  readonly advice: string
  /** The path of the collection, as `/books`. */
  readonly path: string
  /** The names that lead from a record to the value. */
  readonly property: readonly string[]
  readonly cause: unknown
}

/** First records that cannot be made of a contract. Whoever has its document can say at which place. */
export class SeedError extends UsageError {
  readonly unmakeable: Unmakeable

  constructor(unmakeable: Unmakeable, place?: string) {
    const { code, deed, why, advice, cause } = unmakeable
    const where = place === undefined ? '' : ` (${place})`
    super(code, `Cannot ${deed}: ${why}${where}. ${advice}`, { cause })
    this.unmakeable = unmakeable
  }
}
