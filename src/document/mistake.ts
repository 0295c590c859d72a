import type { ErrorCode } from '../validation/error-codes.ts'
import { type Suggestion, UsageError } from '../validation/usage-error.ts'
import type { ValueMistake } from '../validation/value-check.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { Pointer } from './json-value.ts'
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
  /** Present when it only says that a part of the document was not checked. `--strict` does not refuse this. */
  readonly isUnchecked?: true
  /** Which of several mistakes about the same value is kept; by default, it is. */
  readonly detail?: Detail
}

/**
 * How a mistake was found. The schema of OpenAPI or JSON Schema finds `general` ones: they are left out where another mistake is about
 * the same value, or a `complete` one about the object around it. A `keyword` that was not used is left out where any other mistake is
 * about its value or a part of it.
 */
type Detail = 'general' | 'complete' | 'keyword'

/** The mistakes of the value of a file, at their places in the file. */
export function mistakesInFile(
  source: Source,
  mistakes: readonly ValueMistake[],
): readonly Mistake[] {
  return mistakes.map(({ path, part, reason, help, ...suggestion }) => ({
    reason,
    location: { source, pointer: path.map(String), part },
    ...(help !== undefined && { help }),
    ...suggestion,
  }))
}

/** A mistake in a part of a document, before it is known in which file the part is. */
export interface PartMistake extends Suggestion {
  /** Why it is wrong: a clause without a full stop. */
  readonly reason: string
  readonly pointer: Pointer
  /** Whether the last key of the pointer is wrong, or the value there. By default, the value. */
  readonly part?: 'key' | 'value'
  /** What is assumed instead: a clause without a full stop. */
  readonly assumed?: string
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

/** A mistake as it is printed, and where it is. */
export interface LocatedMistake {
  readonly diagnostic: Diagnostic
  readonly location: Mistake['location']
}

/** Finds the locations of mistakes. Reads each source once. Equal mistakes become one diagnostic. */
export function toDiagnostics(mistakes: readonly Mistake[]): readonly Diagnostic[] {
  return withoutEqual(locateMistakes(mistakes).map(({ diagnostic }) => diagnostic))
}

/** Each diagnostic once, in the order of their first places. */
export function withoutEqual(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(diagnostics.map((one) => [JSON.stringify(one), one])).values()]
}

/** Finds the locations of mistakes, without those that others describe better. Reads each source once. */
export function locateMistakes(mistakes: readonly Mistake[]): readonly LocatedMistake[] {
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
  return withoutRepeats(mistakes).map(({ location, detail: _, ...mistake }) => ({
    location,
    diagnostic: {
      ...mistake,
      reason: cut(mistake.reason),
      ...(mistake.assumed !== undefined && { assumed: cut(mistake.assumed) }),
      ...(mistake.help !== undefined && { help: cut(mistake.help) }),
      location:
        typeof location === 'string' ? location : (texts.get(location) ?? location.source.name),
    },
  }))
}

/** Leaves out the mistakes that others describe better. */
function withoutRepeats(mistakes: readonly Mistake[]): readonly Mistake[] {
  const described = new Set<string>()
  const complete = new Set<string>()
  const known = new Set<string>()
  for (const { location, detail } of mistakes) {
    if (typeof location === 'string' || detail === 'keyword') continue
    known.add(placeKey(location)).add(placeKey(around(location)))
    if (detail !== 'general') described.add(placeKey(location))
    if (detail === 'complete') complete.add(placeKey(location))
  }
  return mistakes.filter(({ location, detail }) => {
    if (typeof location === 'string') return true
    if (detail === 'keyword') return !known.has(placeKey(location))
    if (detail !== 'general') return true
    return !described.has(placeKey(location)) && !complete.has(placeKey(around(location)))
  })
}

function around({ source, pointer }: Place): Place {
  return { source, pointer: pointer.slice(0, -1) }
}

function placeKey({ source, pointer, part = 'value' }: Place): string {
  return [source.name, part, ...pointer].join('\n')
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
  return usageErrorOf(file, toDiagnostics(list), code, cause)
}

function usageErrorOf(
  file: string,
  errors: readonly Diagnostic[],
  code: ErrorCode,
  cause?: unknown,
): UsageError {
  const [first = { reason: 'the file has mistakes' }] = errors

  return new UsageError({ code, task: `load ${file}`, ...first, errors, cause })
}

/** Throws the mistakes of a document as one error, if there are any. That a part was not checked is none. */
export function throwDiagnostics(file: string, diagnostics: readonly Diagnostic[]): void {
  const mistakes = diagnostics.filter(({ isUnchecked }) => !isUnchecked)
  if (mistakes.length > 0) throw usageErrorOf(file, mistakes, 'invalid_contract')
}
