import leven from 'leven'

/**
 * A mistake of the developer who uses the sandbox, as opposed to a problem that the service answers.
 * The message is one line: "Cannot <do>: <why>. <What to do>."
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** For programs, and stable across releases: `unknown_option`, `port_in_use`, … */
  readonly code: string

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

const LONGEST_QUOTED = 80

/** A value that a message quotes, cut off so that the reason after it can be found. */
export function shortened(text: string): string {
  return text.length > LONGEST_QUOTED ? `${text.slice(0, LONGEST_QUOTED)}…` : text
}

/** `Did you mean "pro"?` when one of `known` is near to `word`; else the list of them. */
export function suggest(word: string, known: readonly string[]): string {
  const distance = (one: string): number => leven(String(word).toLowerCase(), one.toLowerCase())
  const [nearest] = [...known].sort((one, two) => distance(one) - distance(two))
  const isNear = nearest && distance(nearest) <= nearest.length / 2

  return isNear
    ? `Did you mean "${nearest}"?`
    : `Known: ${known.map(listedName).join(', ') || 'none'}.`
}

/** At most so many characters of a name are shown in a list. */
const LONGEST_NAME = 80

/** A name as one item of a list: in quotes where it has commas, spaces or quotes, and cut after 80 characters. */
export function listedName(name: string): string {
  const characters = [...name]
  const short =
    characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME).join('')}…` : name
  return /[\s,"]/.test(short) ? JSON.stringify(short) : short
}

/** The value, if it is a whole number from `least` up; throws a UsageError that names it otherwise. */
export function wholeNumber(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw new UsageError(
    'invalid_option',
    `Cannot use ${typeof value === 'string' ? `"${value}"` : String(value)} as ${name}: it is no whole number from ${least} up. Give one.`,
  )
}

/** What kind of value this is, for an error that names it: `null`, `array`, `string`, a number as itself. */
export function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Throws a UsageError for a value that is not an object, or that is an array. `deed` says what it was given for. */
export function requireObject(deed: string, given: unknown): asserts given is object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return
  throw new UsageError(
    'invalid_option',
    `Cannot ${deed}: the value must be an object (got ${kindOf(given)}). Give an object.`,
  )
}

/**
 * Throws a UsageError for what is not an object, and for the first name that is not `known`, with the nearest one that
 * is.
 */
export function refuseUnknown(what: string, given: unknown, known: readonly string[]): void {
  requireObject(`read any ${what}`, given)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new UsageError(
    'unknown_option',
    `Cannot use the ${what} "${unknown}": there is none of that name. ${suggest(unknown, known)}`,
  )
}
