/** A record that does not match its schema, or whose id is already in use. The message says where and why. */
export class InvalidRecordError extends Error {
  override readonly name = 'InvalidRecordError'
  /** The collection's path, and the property names that lead to the first invalid value. */
  readonly at: { readonly path: string; readonly property: readonly string[] } | undefined

  constructor(message: string, at?: InvalidRecordError['at']) {
    super(message)
    this.at = at
  }
}
