/** A query parameter that tells operations on one path apart, such as `action=list` of the path key `/x?action=list`. */
export interface QueryCondition {
  readonly name: string
  /** The value that the request must have; absent when any value is right. */
  readonly value?: string
  /** Whether a header with this name counts, too. A fragment, such as `#X-Amz-Target=List`, does not say where it is sent. */
  readonly orHeader?: true
}
