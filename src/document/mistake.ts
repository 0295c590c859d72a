import type { ErrorCode } from '../validation/error-codes.ts'
import type { Suggestion } from '../validation/suggestion.ts'
import { UsageError, type UsageErrorItem } from '../validation/usage-error.ts'

/** One thing that is wrong with a document. */
export interface Mistake extends Suggestion {
  /** A clause without a full stop. */
  readonly why: string
  /** As `books.yaml:11:30`, or the file alone. */
  readonly place: string
  /** A sentence that says what to do; left out, the suggestion says it. */
  readonly advice?: string
}

/** Ends loading; `loadContract` turns it into a `UsageError` that names the document. */
export class Mistakes extends Error {
  override readonly name = 'Mistakes'
  readonly list: readonly Mistake[]

  constructor(list: readonly Mistake[], options?: { readonly cause?: unknown }) {
    super(`${list.length} mistakes`, options)
    this.list = list
  }
}

/** Creates the error of a file that cannot be read, located where the file is named. */
export type ReadError = (why: string, advice: string) => Mistakes

/** Throws what was found, if anything was. */
export function refuse(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new Mistakes(mistakes)
}

/** The mistakes of a file as one error. */
export function asUsageError(
  file: string,
  { list, cause }: Mistakes,
  code: ErrorCode = 'invalid_contract',
): UsageError {
  const items = new Map(list.map((mistake) => [JSON.stringify(mistake), toItem(mistake)]))
  const errors = [...items.values()]
  const [first = { reason: 'it has mistakes' }] = errors

  return new UsageError({ code, task: `load ${file}`, ...first, errors, cause })
}

function toItem({ why, place, advice, ...suggestion }: Mistake): UsageErrorItem {
  return { reason: why, location: place, help: advice, ...suggestion }
}
