import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import { integerFrom, words } from './parse-setting.ts'

const count = integerFrom(0, 1_000_000)

/**
 * Options and the environment contain a number for all collections, `pets=3` for one, or both. Then collections that are not named
 * start with the usual number. The configuration file may contain the records or their number by collection, as in process.
 */
export function records(value: unknown, name: string): unknown {
  if (isObject(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean') return count(value, name)
  const parts = words(value, name).map((word) => partOf(word, name))
  const named = parts.filter(([collection]) => collection !== OTHERS)
  const [, others = 'default'] = parts.findLast(([collection]) => collection === OTHERS) ?? []

  return named.length === 0 ? others : { ...Object.fromEntries(named), [OTHERS]: others }
}

/** The name for every collection that is not named. */
const OTHERS = '*'

function partOf(word: string, name: string): readonly [collection: string, count: unknown] {
  const at = word.lastIndexOf('=')
  if (at < 0) return [OTHERS, count(word, name)]
  const collection = word.slice(0, at)
  if (collection === '') {
    throw new UsageError({
      code: 'invalid_setting',
      task: `use ${name}`,
      reason: `it must be a number or COLLECTION=NUMBER (got ${word})`,
      help: 'Write it as 20 or pets=3.',
    })
  }
  return [collection, count(word.slice(at + 1), `${name} ${collection}`)]
}
