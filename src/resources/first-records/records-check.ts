import { isObject } from '../../validation/objects.ts'
import type { Suggestion } from '../../validation/usage-error.ts'
import { fields, is, type ValueCheck } from '../../validation/value-check.ts'
import { type NamedCollection, OTHERS } from '../start-of.ts'

/** Whether a value can be the number of records. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isNumber(value: unknown): boolean {
  return value === 'default' || isCount(value)
}

const NUMBER = is('an integer ≥ 0', isNumber)

/** What one collection starts with. */
const START = is('an integer ≥ 0 or an array', (value) => {
  return isNumber(value) || Array.isArray(value) || isObject(value)
})

/** What each of several collections starts with: one of them is named by its path. */
const EACH = is(
  'an integer ≥ 0',
  isNumber,
  'Name one collection by its path, such as "orgs/acme/repos".',
)

/**
 * Records, or their number, by collection. `readFirstRecords` checks the records themselves. `find` finds the collection of a name, and
 * `nearest` the one that is like an unknown name.
 */
export function recordsCheck(
  collections: readonly NamedCollection[],
  find: (name: string) => { readonly name: string; readonly resource: NamedCollection } | undefined,
  nearest: (name: string, known: readonly string[]) => Suggestion,
): ValueCheck {
  const names = collections.map(({ name }) => name)
  return (value, ...rest) => {
    const given = Object.keys(Object(value)).flatMap((text) => {
      const found = find(text)
      const isOne =
        found && !(found.name === found.resource.name && found.resource.path.includes('{'))
      return found ? [[text, isOne ? START : EACH] as const] : []
    })
    const known = names.map((name) => [name, START] as const)
    const checks = Object.fromEntries([...known, [OTHERS, NUMBER], ...given])
    fields(checks, [], 'collection', nearest)(value, ...rest)
  }
}
