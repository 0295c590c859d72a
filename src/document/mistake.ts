import { UsageError } from '../validation/usage-error.ts'

/** One thing that is wrong with a document. */
export interface Mistake {
  /** A clause without a full stop. */
  readonly why: string
  /** As `books.yaml:11:30`, or the file alone. */
  readonly place: string
  /** A sentence that says what to do. */
  readonly advice: string
}

/** Ends loading; `loadContract` turns it into a `UsageError` that names the document. */
export class Mistakes extends Error {
  override readonly name = 'Mistakes'
  readonly list: readonly Mistake[]

  constructor(list: readonly Mistake[], options?: { readonly cause?: unknown }) {
    super(list.map(sentence).join('\n'), options)
    this.list = list
  }
}

/** Creates the error of a file that cannot be read, located where the file is named. */
export type ReadError = (why: string, advice: string) => Mistakes

/** Throws what was found, if anything was. */
export function refuse(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new Mistakes(mistakes)
}

const TOLD = 5

/** One mistake on one line; several as a list of the first five. */
export function asUsageError(
  file: string,
  { list, cause }: Mistakes,
  code = 'invalid_contract',
): UsageError {
  const sentences = [...new Set(list.map(sentence))]
  if (sentences.length === 1)
    return new UsageError(code, `Cannot load ${file}: ${sentences[0]}`, { cause })

  const told = sentences.slice(0, TOLD).map((line) => `  ${line}`)
  const rest = sentences.length - told.length
  const lines = [`Cannot load ${file}: ${sentences.length} mistakes.`, ...told]

  return new UsageError(
    code,
    [...lines, ...(rest > 0 ? [`  … and ${rest} more.`] : [])].join('\n'),
    { cause },
  )
}

function sentence({ why, place, advice }: Mistake): string {
  return `${why} (${place}). ${advice}`
}
