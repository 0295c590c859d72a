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

/** A longer name is compared by its start, because the work grows with the square of the length. */
export const MAX_COMPARED = 60

/** Of more names, only those that start and end like the word are compared letter by letter. */
const MAX_CANDIDATES = 200

/** The items whose names are nearest to `word`, the nearest first. */
export function nearestNames<Item>(
  word: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  count: number,
): readonly Item[] {
  const start = word.slice(0, MAX_COMPARED)
  const named = items.map((item) => ({ item, name: nameOf(item).slice(0, MAX_COMPARED) }))
  const candidates =
    named.length > MAX_CANDIDATES
      ? smallest(named, ({ name }) => -sharedEnds(start, name), MAX_CANDIDATES)
      : named

  return smallest(candidates, ({ name }) => leven(start, name), count).map(({ item }) => item)
}

function smallest<Item>(
  items: readonly Item[],
  measure: (item: Item) => number,
  count: number,
): readonly Item[] {
  return items
    .map((item) => ({ item, size: measure(item) }))
    .sort((one, other) => one.size - other.size)
    .slice(0, count)
    .map(({ item }) => item)
}

/** How many letters two names share at their start and at their end. */
function sharedEnds(one: string, other: string): number {
  const longest = Math.min(one.length, other.length)
  let first = 0
  while (first < longest && one[first] === other[first]) first += 1
  let last = 0
  while (last < longest - first && one.at(-1 - last) === other.at(-1 - last)) last += 1

  return first + last
}

/** `Did you mean "pro"?` or `Known: free, pro.`; empty without known names. */
export function describeSuggestion({ suggestion, allowed }: Suggestion): string {
  if (suggestion !== undefined) return `Did you mean "${suggestion}"?`
  if (allowed === undefined) return ''
  if (allowed.length === 0) return 'There are none. Add one first.'
  return `Known: ${listOf(allowed)}.`
}

/** The same at the end of a clause, such as ` (did you mean "pro"?)`; empty without known names. */
export function suggestionInBrackets({ suggestion, allowed }: Suggestion): string {
  if (suggestion !== undefined) return ` (did you mean "${suggestion}"?)`
  return allowed && allowed.length > 0 ? ` (known: ${listOf(allowed)})` : ''
}

/** How many names a list shows. It counts the others. */
const MAX_LISTED = 20

function listOf(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).map(listedName).join(', ')
  return names.length > MAX_LISTED ? `${listed} and ${names.length - MAX_LISTED} more` : listed
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
