/** An example in the document. */
export interface DocumentedExample {
  /** The name in `examples`; absent for `example`. */
  readonly name?: string
  /** The value. A text may be the value as it is sent, such as JSON or XML. */
  readonly value: unknown
}
