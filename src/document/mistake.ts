import type { ErrorCode } from '../validation/error-codes.ts'
import type { Suggestion } from '../validation/suggestion.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Source, Wanted } from './source.ts'

/** A value of a source, or its key. Its location as text is found only when it is printed. */
export interface Place extends Wanted {
  readonly source: Source
}

/** One thing that is wrong with a document. */
export interface Mistake extends Suggestion {
  /** Why it is wrong: a clause without a full stop. */
  readonly reason: string
  /** Where it is: a value of a source, or text such as `books.yaml:11:30`. */
  readonly location: Place | string
  /** What the sandbox assumes instead: a clause without a full stop. */
  readonly assumed?: string
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
}

/** Finds the locations of mistakes. Reads each source once. Equal mistakes become one diagnostic. */
export function toDiagnostics(mistakes: readonly Mistake[]): readonly Diagnostic[] {
  const places = new Map<Source, Place[]>()
  for (const { location } of mistakes) {
    if (typeof location === 'string') continue
    const known = places.get(location.source)
    if (known) known.push(location)
    else places.set(location.source, [location])
  }
  const texts = new Map<Place, string>()
  for (const [source, wanted] of places) {
    for (const [index, text] of source.locateAll(wanted).entries()) {
      const place = wanted[index]
      if (place) texts.set(place, text)
    }
  }
  const diagnostics = mistakes.map(({ location, ...mistake }) => ({
    ...mistake,
    reason: cut(mistake.reason),
    ...(mistake.assumed !== undefined && { assumed: cut(mistake.assumed) }),
    ...(mistake.help !== undefined && { help: cut(mistake.help) }),
    location:
      typeof location === 'string' ? location : (texts.get(location) ?? location.source.name),
  }))

  return [...new Map(diagnostics.map((one) => [JSON.stringify(one), one])).values()]
}

/** Names of a document may have any length. */
const MAX_CLAUSE_LENGTH = 500

function cut(text: string): string {
  return text.length > MAX_CLAUSE_LENGTH ? `${text.slice(0, MAX_CLAUSE_LENGTH)}…` : text
}

/** Turns the mistakes of a file into one error. */
export function asUsageError(
  file: string,
  { list, cause }: Mistakes,
  code: ErrorCode = 'invalid_contract',
): UsageError {
  const errors = toDiagnostics(list)
  const [first = { reason: 'the file has mistakes' }] = errors

  return new UsageError({ code, task: `load ${file}`, ...first, errors, cause })
}
