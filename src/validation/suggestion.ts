import leven from 'leven'

/** What a developer can write instead of an unknown name. */
export interface Suggestion {
  /** The known name that is nearest; absent when no name is near. */
  readonly suggestion?: string | undefined
  /** All known names. */
  readonly allowed?: readonly string[] | undefined
}

/** The known name that is nearest to `word`, and all known names. */
export function suggest(word: string, known: readonly string[]): Suggestion {
  const distance = (one: string): number => leven(String(word).toLowerCase(), one.toLowerCase())
  const [nearest] = [...known].sort((one, two) => distance(one) - distance(two))
  const isNear = nearest && distance(nearest) <= nearest.length / 2

  return { ...(isNear && { suggestion: nearest }), allowed: known }
}

/** `Did you mean "pro"?` or `Known: free, pro.`; empty without known names. */
export function describeSuggestion({ suggestion, allowed }: Suggestion): string {
  if (suggestion !== undefined) return `Did you mean "${suggestion}"?`
  if (allowed === undefined) return ''
  if (allowed.length === 0) return 'There are none. Add one first.'
  return `Known: ${allowed.map(listedName).join(', ')}.`
}

/** The same at the end of a clause, such as ` (did you mean "pro"?)`; empty without known names. */
export function suggestionInBrackets({ suggestion, allowed }: Suggestion): string {
  if (suggestion !== undefined) return ` (did you mean "${suggestion}"?)`
  return allowed && allowed.length > 0 ? ` (known: ${allowed.map(listedName).join(', ')})` : ''
}

/** How many characters of a name a list shows. */
const MAX_NAME_LENGTH = 80

/** A name as one item of a list: in quotes where it has commas, spaces or quotes, and cut after 80 characters. */
export function listedName(name: string): string {
  const characters = [...name]
  const short =
    characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH).join('')}…` : name
  return /[\s,"]/.test(short) ? JSON.stringify(short) : short
}
