import { type Suggestion, suggestionInBrackets } from '../validation/suggestion.ts'

/** One thing that is wrong with a request. */
export interface InputError extends Suggestion {
  /** Such as `query.limit`, `body.tags[0]` or `header.Prefer`. */
  readonly location: string
  /** The keyword of JSON Schema that the value violates, such as `required`; absent for rules outside the schema. */
  readonly keyword?: string
  /** A clause that follows the location, such as `must be >= 1`. */
  readonly message: string
}

/** How many errors a message lists. It counts the others. */
const MAX_ERRORS = 5

/** The errors in one line, such as `body.author.born must be integer; body.title is required`. */
export function describeInputErrors(errors: readonly InputError[]): string {
  const clauses = new Set(errors.map(describeInputError))
  const shown = [...clauses].slice(0, MAX_ERRORS)
  const left = clauses.size - shown.length

  return shown.join('; ') + (left > 0 ? `; and ${left} more` : '')
}

function describeInputError(error: InputError): string {
  return `${error.location} ${error.message}${suggestionInBrackets(error)}`.trimStart()
}
