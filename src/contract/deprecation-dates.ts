/** The deprecation and removal of an operation: the document's `x-deprecation`. */
export interface Deprecation {
  /** When the operation was deprecated, in epoch milliseconds. */
  readonly date?: number
  /** When the operation is removed, in epoch milliseconds. */
  readonly sunset?: number
  /** The replacement: a path and query below the base address, or a URL. */
  readonly successor?: string
}
