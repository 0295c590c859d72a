import type { Suggestion } from '../validation/usage-error.ts'

/** A mistake of a document, as it is printed. */
export interface Diagnostic extends Suggestion {
  /** Why it is wrong: a clause without a full stop, such as `the path "books" does not start with "/"`. */
  readonly reason: string
  /** `file:line:column`, or only the file. */
  readonly location: string
  /** What the sandbox assumes instead: a clause without a full stop. */
  readonly assumed?: string
  /** What to do: a sentence. Without it, the suggestion says what to do. */
  readonly help?: string
  /** Present when it only says that a part of the document was not checked. `--strict` does not refuse this. */
  readonly isUnchecked?: true
}

/** The mistakes of a document by the ids of the operations that they concern. Operations without mistakes are absent. */
export type OperationDiagnostics = ReadonlyMap<string, readonly Diagnostic[]>
