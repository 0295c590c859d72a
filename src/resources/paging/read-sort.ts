import type { Schema } from '../../contract/contract.ts'
import type { SortHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { plainName, propertiesOf, typesIn } from '../../contract/schema.ts'
import type { Sort } from '../../records/record-table.ts'
import { queryValue } from './query-value.ts'

const DIRECTION = /^(asc|desc)(ending)?$/i
const SORTED = /^([+-]?)(.*?)(?:[\s:.,_]+(asc|desc)(?:ending)?)?$/i

/** The order of a list that a request asks for; `undefined` when it asks for none, or for one by an unknown property. */
export function readSort(
  hints: SortHints | undefined,
  query: Input['query'],
  schema: Schema,
): Sort | undefined {
  if (!hints) return undefined
  const [value, second] = [queryValue(query, hints.by)].flat().map(String)
  const given = hints.direction === undefined ? second : queryValue(query, hints.direction)
  const direction = DIRECTION.exec(String(given ?? ''))?.[1]
  if (value === undefined || value === 'undefined')
    return direction === undefined ? undefined : { descending: isDown(direction) }
  if (DIRECTION.test(value)) return { descending: isDown(value) }
  const names = sortableNames(schema)
  const whole = /^[+-]/.test(value) ? undefined : names.get(plainName(value))
  const [, sign, name = '', ending] = whole ? [] : (SORTED.exec(value.trim()) ?? [])
  const by = whole ?? names.get(plainName(name))
  if (by === undefined) return undefined

  return { by, descending: sign === '-' || isDown(direction ?? ending ?? '') }
}

function isDown(direction: string): boolean {
  return /^desc/i.test(direction)
}

/** The properties with one value, by their names without spelling. */
function sortableNames(schema: Schema): ReadonlyMap<string, string> {
  const properties = [...propertiesOf(schema)].filter(([, property]) => {
    const types = typesIn(property)
    return !(types.has('object') || types.has('array'))
  })
  return new Map(properties.map(([name]) => [plainName(name), name]))
}
