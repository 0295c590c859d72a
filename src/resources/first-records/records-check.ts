import { isObject } from '../../validation/objects.ts'
import { fields, is, listOf, type ValueCheck } from '../../validation/value-check.ts'
import { isCollectionOf, type NamedCollection, OTHERS } from './start-of.ts'

/** Whether a value can be the number of records. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isNumber(value: unknown): boolean {
  return value === 'default' || isCount(value)
}

/** What each collection below some parents starts with. The records of one of them are given by its path. */
const NUMBER = is('an integer ≥ 0', isNumber)

/** What one collection starts with. */
const START: ValueCheck = (value, ...rest) =>
  (Array.isArray(value) ? listOf(is('an object', isObject)) : NUMBER_OR_LIST)(value, ...rest)

const NUMBER_OR_LIST = is('an integer ≥ 0 or an array', isNumber)

/** Records, or their number, by collection. `checkFirstRecords` checks the records themselves. */
export function recordsCheck(collections: readonly NamedCollection[]): ValueCheck {
  const byName = collections.map(
    ({ name, path }) => [name, path.includes('{') ? NUMBER : START] as const,
  )
  return (value, ...rest) => {
    const byPath = Object.keys(Object(value))
      .filter((name) => name.includes('/') && collections.some((one) => isCollectionOf(one, name)))
      .map((name) => [name, START] as const)
    const checks = Object.fromEntries([...byName, [OTHERS, NUMBER], ...byPath])
    fields(checks, [], 'collection')(value, ...rest)
  }
}
