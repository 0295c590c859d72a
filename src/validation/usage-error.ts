import leven from 'leven'
import type { ErrorCode } from './error-codes.ts'
import { isObject } from './objects.ts'

/** One of several mistakes that a {@link UsageError} lists, such as those of a document. */
export interface UsageErrorItem extends Suggestion {
  /** What is wrong: a clause without a full stop. */
  readonly reason: string
  /** `file:line:column`, or a property path such as `body.times`. */
  readonly location?: string | undefined
  /** What to do: a sentence. By default, it is built from the suggestion. */
  readonly help?: string | undefined
}

/** What a {@link UsageError} is built from. */
export interface UsageErrorDetails extends UsageErrorItem {
  readonly code: ErrorCode
  /** What failed: the words that follow "Cannot", such as `load openapi.yaml`. */
  readonly task: string
  /** All mistakes, when there is more than one. */
  readonly errors?: readonly UsageErrorItem[] | undefined
  readonly cause?: unknown
}

/**
 * A mistake of the developer who uses the sandbox, as opposed to a problem that the service answers.
 * Programs read the fields. The message is for people: "Cannot <task>: <reason>. <help>"
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** Stable across releases: `unknown_option`, `port_in_use`, … The guide lists all codes. */
  readonly code: ErrorCode
  /** What failed: the words that follow "Cannot". */
  readonly task: string
  /** Why it failed: a clause without a full stop. */
  readonly reason: string
  /** What to do: a sentence; empty when the reason already says it. */
  readonly help: string
  /** Where the mistake is: `file:line:column`, or a property path such as `body.times`. */
  declare readonly location?: string
  /** The known name that is nearest to an unknown one. */
  declare readonly suggestion?: string
  /** The known names, when an unknown one was given. */
  declare readonly allowed?: readonly string[]
  /** All mistakes, when there is more than one. */
  declare readonly errors?: readonly UsageErrorItem[]

  constructor(details: UsageErrorDetails) {
    const { code, task, reason, location, suggestion, allowed, errors = [], cause } = details
    const help = helpOf(details)
    super(describe(task, { reason, location, help }, errors), { cause })
    this.code = code
    this.task = task
    this.reason = reason
    this.help = help
    if (location !== undefined) this.location = location
    if (suggestion !== undefined) this.suggestion = suggestion
    if (allowed) this.allowed = allowed
    if (errors.length > 1) this.errors = errors
  }
}

/** How many mistakes a message lists. It counts the others. */
const MAX_ERRORS = 20

function describe(task: string, first: UsageErrorItem, errors: readonly UsageErrorItem[]): string {
  if (errors.length < 2) return `Cannot ${task}: ${sentences(first, task)}`
  const lines = errors.slice(0, MAX_ERRORS).map((error) => `\n  ${sentences(error)}`)
  const rest = errors.length - lines.length

  return `Cannot ${task}: ${errors.length} mistakes.${lines.join('')}${rest > 0 ? `\n  … and ${rest} more.` : ''}`
}

function sentences(error: UsageErrorItem, task = ''): string {
  const { reason, location } = error
  const help = helpOf(error)
  const isNamed = location === undefined || reason.includes(location) || task.includes(location)
  const place = isNamed ? '' : ` (${location})`
  const end = reason.endsWith('.') && place === '' ? '' : '.'
  return `${reason}${place}${end}${help && ` ${help}`}`
}

function helpOf({ help, ...suggestion }: UsageErrorItem): string {
  return help ?? describeSuggestion(suggestion)
}

/** The fields of an unknown name: the reason, the nearest known name, and all known names. */
export function unknownName(
  kind: string,
  name: string,
  known: readonly string[],
): Pick<UsageErrorDetails, 'reason' | 'suggestion' | 'allowed'> {
  return { reason: `unknown ${kind} "${shortened(String(name))}"`, ...suggest(name, known) }
}

const MAX_QUOTED_LENGTH = 80

/** A value that a message quotes, cut after 80 characters. */
export function shortened(text: string): string {
  return text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text
}

/** The value, if it is an integer ≥ `min`; throws a UsageError otherwise. */
export function requireInteger(
  name: string,
  value: unknown,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max)
    return value
  throw new UsageError({
    code: 'invalid_option',
    task: `use the option ${name}`,
    reason: `the value must be ${integerIn(min, max, value)} (got ${kindOf(value)})`,
  })
}

/** What an integer must be when `value` is wrong, such as `an integer ≥ 1`. Names a limit of JavaScript only if `value` exceeds it. */
export function integerIn(min: number, max: number, value: unknown): string {
  const isSafe = !Number.isInteger(Number(value)) || Number.isSafeInteger(Number(value))
  if (max !== Number.MAX_SAFE_INTEGER || !isSafe) return `an integer from ${min} to ${max}`
  return min === Number.MIN_SAFE_INTEGER ? 'an integer' : `an integer ≥ ${min}`
}

/** The kind of a wrong value for a message: a number as itself, else `null`, `array`, or the result of `typeof`. */
export function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Throws a UsageError for a value that is not an object, or that is an array. */
export function requireObject(task: string, given: unknown): asserts given is object {
  if (isObject(given)) return
  throw new UsageError({
    code: 'invalid_option',
    task,
    reason: `the value must be an object (got ${kindOf(given)})`,
    help: 'Give an object.',
  })
}

/**
 * Throws a UsageError for a value that is not an object, and for the first name in it that is unknown. `owner` says what has the
 * names, such as `createSandbox`, and `kind` what they are.
 */
export function refuseUnknown(
  owner: string,
  given: unknown,
  known: readonly string[],
  kind = 'option',
): void {
  const task = `read the ${owner} ${kind}s`
  requireObject(task, given)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new UsageError({
    code: 'unknown_option',
    task,
    ...unknownName(kind, unknown, known),
  })
}

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

/** Whether a word looks like a known name with up to two wrong letters. */
export function isMisspelt(word: string, known: string): boolean {
  return leven(word, known, { maxDistance: 3 }) < 3
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
  if (allowed.length === 0) return 'There are none.'
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

/** `1 request`, `3 requests`. */
export function count(number: number, noun: string): string {
  return `${number} ${plural(number, noun)}`
}

/** `request` for 1, else `requests`. */
export function plural(number: number, noun: string): string {
  return number === 1 ? noun : `${noun}s`
}
