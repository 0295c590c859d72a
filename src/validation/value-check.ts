import { suggest } from './usage-error.ts'

/** Names and list positions that lead to a value, as `['rules', 0, 'outcome']`. */
export type ValuePath = readonly (string | number)[]

/** One thing that is wrong with a value. */
export interface ValueMistake {
  readonly path: ValuePath
  /** Whether it is the last name of the path that is wrong, or what stands there. */
  readonly part: 'key' | 'value'
  /** A clause without a full stop, as `rules[0].outcome "slwo" is not known`. */
  readonly why: string
  /** A sentence that says what to do. */
  readonly advice: string
}

/** Adds to `mistakes` what is wrong with a value. */
export type ValueCheck = (value: unknown, path: ValuePath, mistakes: ValueMistake[]) => void

/** All that is wrong with a value. */
export function mistakesIn(value: unknown, check: ValueCheck): readonly ValueMistake[] {
  const mistakes: ValueMistake[] = []
  check(value, [], mistakes)
  return mistakes
}

/** A value that passes the test; `what` says what any other one is, as `no list`. */
export function is(what: string, advice: string, test: (value: unknown) => boolean): ValueCheck {
  return (value, path, mistakes) => {
    if (test(value)) return
    const why = `${spell(path)}${value === undefined ? ' is missing' : `${show(value)} is ${what}`}`
    mistakes.push({ path, part: 'value', why, advice })
  }
}

/** One of these words. */
export function oneOf(known: readonly string[]): ValueCheck {
  const words = new Set(known)
  return (value, ...rest) => {
    const word = typeof value === 'string' ? value : ''
    // A suggestion compares a word with all others.
    if (!words.has(word)) is('not known', suggest(word, known), () => false)(value, ...rest)
  }
}

/** A whole number from `least` up, or to `most`. */
export function wholeFrom(least: number, most?: number): ValueCheck {
  const test = (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= least && !(Number(value) > Number(most))
  return is(`no whole number from ${least} ${most ? `to ${most}` : 'up'}`, 'Give one.', test)
}

/** A list is checked up to so many mistakes: each is told in a sentence of its own. */
const MOST_MISTAKES = 20

/** A list of values that pass the check. `advice` is for what is no list. */
export function listOf(check: ValueCheck, advice = 'Write one.'): ValueCheck {
  return (value, path, mistakes) => {
    if (!Array.isArray(value)) return is('no list', advice, Array.isArray)(value, path, mistakes)
    for (const [index, item] of value.entries()) {
      if (mistakes.length >= MOST_MISTAKES) return
      check(item, [...path, index], mistakes)
    }
  }
}

/** A map of some of these names to values that pass the check. */
export function mapOf(what: string, names: readonly string[], check: ValueCheck): ValueCheck {
  return fields(Object.fromEntries(names.map((name) => [name, check])), [], what)
}

/** A map whose values pass the check of their name, `required` ones at least. `what` says what a name is, as `field`. */
export function fields(
  checks: Readonly<Record<string, ValueCheck>>,
  required: readonly string[] = [],
  what = 'field',
): ValueCheck {
  const known = new Map(Object.entries(checks))
  return (value, path, mistakes) => {
    if (!isMap(value)) return is('no map', 'Write one.', isMap)(value, path, mistakes)
    for (const name of new Set([...required, ...Object.keys(value)])) {
      const at = [...path, name]
      const check = known.get(name)
      // A name that is undefined counts as left out.
      if (value[name] === undefined && !required.includes(name)) continue
      if (check) check(value[name], at, mistakes)
      else
        mistakes.push({
          path: at,
          part: 'key',
          why: `${spell(at)} is no ${what}`,
          advice: suggest(name, [...known.keys()]),
        })
    }
  }
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As `rules[0].outcome`. */
export function spell(path: ValuePath): string {
  const spelt = path.map((step) => (typeof step === 'string' ? `.${step}` : `[${step}]`))
  return spelt.join('').slice(1) || 'the value'
}

/** A value after its path: of maps, lists and functions, the path alone will do. */
function show(value: unknown): string {
  if (typeof value === 'string') return ` ${JSON.stringify(value)}`
  return value === null || value === Object(value) ? '' : ` ${String(value)}`
}
