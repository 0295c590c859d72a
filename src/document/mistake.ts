import type { ErrorCode } from '../validation/error-codes.ts'
import type { Suggestion } from '../validation/suggestion.ts'
import { UsageError } from '../validation/usage-error.ts'

/** One thing that is wrong with a document. */
export interface Mistake extends Suggestion {
  /** Why it is wrong: a clause without a full stop. */
  readonly reason: string
  /** `books.yaml:11:30`, or only the file. */
  readonly location: string
  /** What to do: a sentence. Without it, the suggestion says what to do. */
  readonly help?: string
}

/** Ends the loading of a file. `loadContract` turns it into a `UsageError` that names the document. */
export class Mistakes extends Error {
  override readonly name = 'Mistakes'
  readonly list: readonly Mistake[]

  constructor(list: readonly Mistake[], options?: { readonly cause?: unknown }) {
    super(`${list.length} mistakes`, options)
    this.list = list
  }
}

/** Creates the error of a file that cannot be read, located where the file is named. */
export type ReadError = (reason: string, help: string) => Mistakes

/** Throws the mistakes, if there are any. */
export function throwMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new Mistakes(mistakes)
}

/** Turns the mistakes of a file into one error. */
export function asUsageError(
  file: string,
  { list, cause }: Mistakes,
  code: ErrorCode = 'invalid_contract',
): UsageError {
  const unique = new Map(list.map((mistake) => [JSON.stringify(mistake), mistake]))
  const errors = [...unique.values()]
  const [first = { reason: 'the file has mistakes' }] = errors

  return new UsageError({ code, task: `load ${file}`, ...first, errors, cause })
}
