import { closest, distance } from 'fastest-levenshtein'

/**
 * A mistake of the developer who uses the sandbox, as opposed to a problem that the service answers.
 * The message is one line: "Cannot <do>: <why>. <What to do>."
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** Stable across releases, for programs: `unknown_option`, `port_in_use`, … */
  readonly code: string

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** `Did you mean "pro"?` when one of `known` is near to `word`; else the list of them. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = closest(word.toLowerCase(), known)
  const isNear =
    nearest && distance(word.toLowerCase(), nearest.toLowerCase()) <= nearest.length / 2

  return isNear ? `Did you mean "${nearest}"?` : `Known: ${known.join(', ') || 'none'}.`
}
