/** A record that is not what its schema asks for, or whose id is taken; the message says where and why. */
export class InvalidRecordError extends Error {
  override readonly name = 'RowRefused'
  /** Where the first fault is: the path of the collection, and the names that lead to the value. */
  readonly at: { readonly path: string; readonly property: readonly string[] } | undefined

  constructor(message: string, at?: InvalidRecordError['at']) {
    super(message)
    this.at = at
  }
}
