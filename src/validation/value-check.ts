import { getOwn, isObject } from './objects.ts'
import { type Suggestion, shortened, suggest, type UsageErrorItem } from './usage-error.ts'

/** Names and list positions that lead to a value, such as `['rules', 0, 'outcome']`. */
export type ValuePath = readonly (string | number)[]

/** One thing that is wrong with a value. */
export interface ValueMistake extends Suggestion {
  readonly path: ValuePath
  /** Whether the last name of the path is wrong, or the value there. */
  readonly part: 'key' | 'value'
  /** A clause without a full stop, such as `rules[0].times must be an integer ≥ 1 (got 0)`. */
  readonly reason: string
  /** What to do: a sentence, when neither the reason nor the suggestion says it. */
  readonly help?: string
}

/** Checks a value, and adds its mistakes to `mistakes`. */
export type ValueCheck = (value: unknown, path: ValuePath, mistakes: ValueMistake[]) => void

/** The mistakes that a check finds in a value. */
export function mistakesIn(value: unknown, check: ValueCheck): readonly ValueMistake[] {
  const mistakes: ValueMistake[] = []
  check(value, [], mistakes)
  return mistakes
}

/** A mistake as an item of a UsageError, located by its path. */
export function toErrorItem({
  path,
  reason,
  help,
  suggestion,
  allowed,
}: ValueMistake): UsageErrorItem {
  return { reason, location: spell(path), help, suggestion, allowed }
}

/** A value that passes the test. `requirement` says what it must be, such as `an array`. */
export function is(
  requirement: string,
  test: (value: unknown) => boolean,
  help?: string,
): ValueCheck {
  return (value, path, mistakes) => {
    if (test(value)) return
    const must = `must be ${requirement} (got ${show(value)})`
    const reason = `${spell(path)} ${value === undefined ? 'is required' : must}`
    mistakes.push({ path, part: 'value', reason, ...(help !== undefined && { help }) })
  }
}

export const text: ValueCheck = is('a string', (value) => typeof value === 'string')

/** One of these names. `kind` says what they name, such as `operation`. */
export function oneOf(kind: string, known: readonly string[]): ValueCheck {
  const names = new Set(known)
  return (value, path, mistakes) => {
    if (typeof value !== 'string') {
      const must = `must be the name of ${indefinite(kind)} (got ${show(value)})`
      const reason = `${spell(path)} ${value === undefined ? 'is required' : must}`
      return void mistakes.push({ path, part: 'value', reason, allowed: known })
    }
    // Finding a suggestion compares the name with all known ones, so known names return first.
    if (names.has(value)) return
    const place = path.length < 2 ? '' : ` in ${spell(path)}`
    const reason = `unknown ${kind} ${show(value)}${place}`
    mistakes.push({ path, part: 'value', reason, ...suggest(value, known) })
  }
}

function indefinite(noun: string): string {
  return /^[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`
}

/** An integer ≥ `least` and, when given, ≤ `most`. */
export function integerFrom(least: number, most?: number): ValueCheck {
  const test = (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= least && !(Number(value) > Number(most))
  return is(
    most === undefined ? `an integer ≥ ${least}` : `an integer from ${least} to ${most}`,
    test,
  )
}

/** The check of a list ends after this many mistakes. */
const MAX_MISTAKES = 20

/** A list of values that pass the check. `help` is what to do when the value is not a list. */
export function listOf(check: ValueCheck, help?: string): ValueCheck {
  return (value, path, mistakes) => {
    if (!Array.isArray(value)) return is('an array', Array.isArray, help)(value, path, mistakes)
    for (const [index, item] of value.entries()) {
      if (mistakes.length >= MAX_MISTAKES) return
      check(item, [...path, index], mistakes)
    }
  }
}

/** An object with some of these names. Each value passes the check. */
export function mapOf(what: string, names: readonly string[], check: ValueCheck): ValueCheck {
  return fields(Object.fromEntries(names.map((name) => [name, check])), [], what)
}

/** An object whose values pass the check of their name. `required` names must be present. `what` says what a name is, such as `field`. */
export function fields(
  checks: Readonly<Record<string, ValueCheck>>,
  required: readonly string[] = [],
  what = 'field',
  nearest: (name: string, known: readonly string[]) => Suggestion = suggest,
): ValueCheck {
  const known = new Map(Object.entries(checks))
  return (value, path, mistakes) => {
    if (!isObject(value)) return is('an object', isObject)(value, path, mistakes)
    for (const name of new Set([...required, ...Object.keys(value)])) {
      const at = [...path, name]
      const check = known.get(name)
      // A name that is undefined counts as left out.
      if (value[name] === undefined && !required.includes(name)) continue
      if (check) check(value[name], at, mistakes)
      else mistakes.push(unknownField(what, at, nearest(name, [...known.keys()])))
    }
  }
}

/** An object from another program: it has the required names, may have the optional ones, and others, which are ignored. */
export function withFields(
  required: Readonly<Record<string, ValueCheck>>,
  optional: Readonly<Record<string, ValueCheck>> = {},
): ValueCheck {
  const checks = [...Object.entries(required), ...Object.entries(optional)]
  return (value, path, mistakes) => {
    if (!isObject(value)) return is('an object', isObject)(value, path, mistakes)
    for (const [name, check] of checks) {
      const own = getOwn(value, name)
      if (own !== undefined || Object.hasOwn(required, name)) check(own, [...path, name], mistakes)
    }
  }
}

function unknownField(what: string, path: ValuePath, nearest: Suggestion): ValueMistake {
  return { path, part: 'key', reason: `unknown ${what} ${show(spell(path))}`, ...nearest }
}

/** The path as text, such as `rules[0].outcome`. */
export function spell(path: ValuePath): string {
  const spelt = path.map((step) => (typeof step === 'string' ? `.${step}` : `[${step}]`))
  return spelt.join('').slice(1) || 'the value'
}

/** A value in an error message. Of objects and arrays, it shows only the type. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value))
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return value === Object(value) ? typeof value : String(value)
}
