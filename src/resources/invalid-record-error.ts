import type { ValidationError } from '../contract/contract.ts'
import { describeErrors } from '../contract/validation-errors.ts'

/** Where a document describes a value that is not valid. */
interface RecordPlace {
  /** The path of the collection, such as `/books`. */
  readonly path: string
  /** The names that lead from a record to the value. */
  readonly property: readonly string[]
}

/** A record that its schema does not allow, or whose id is taken. */
export class InvalidRecordError extends Error {
  override readonly name = 'InvalidRecordError'
  /** What is wrong, located within the record. */
  readonly errors: readonly ValidationError[]
  /** Where the first error is in the document; absent where the document is not the reason. */
  readonly at: RecordPlace | undefined

  constructor(errors: readonly ValidationError[], at?: RecordPlace, cause?: unknown) {
    super(describeErrors('a record', errors) || 'a record is not valid', { cause })
    this.errors = errors
    this.at = at
  }
}

/** An error about one property, for a rule that no schema can express. */
export function invalidProperty(property: string, message: string): InvalidRecordError {
  return new InvalidRecordError([
    { instancePath: `/${property}`, keyword: '', params: {}, message },
  ])
}
