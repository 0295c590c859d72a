import type { Schema } from '../../contract/contract.ts'
import { LATEST_ADDED, type SortHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { plainName } from '../../contract/schema.ts'
import { FIRST_ADDED, readOrder, sortableNames } from '../../inference/sorting.ts'
import type { Sort } from '../../records/record-table.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'
import { ADDED } from '../hidden-properties.ts'
import { queryValue } from './read-page.ts'

/** The order of a list that a request asks for; `undefined` when it asks for none, or for one by an unknown property. */
export function readSort(
  hints: SortHints | undefined,
  query: Input['query'],
  schema: Schema,
): Sort | undefined {
  if (!hints) return undefined
  const names = namesOf(schema)
  const usual = usualOrder(hints, names)
  const [value, second] = hints.by === undefined ? [] : [sortedBy(query, hints.by)].flat()
  const given = hints.direction === undefined ? second : directionIn(query, hints.direction)
  const direction = DIRECTION.exec(String(given ?? ''))?.[1]
  if (value === undefined) return direction === undefined ? usual : directed(usual, direction)
  const text = String(value).trim()
  if (DIRECTION.test(text)) return directed(usual, text)
  const meant = getOwn(hints.values ?? {}, text)

  return addedIn(meant, direction) ?? orderIn(meant ?? String(value), names, direction) ?? usual
}

/** The order in which requests have added records, where an order means that; `undefined` for another one. */
function addedIn(order: string | undefined, direction?: string): Sort | undefined {
  if (order !== LATEST_ADDED && order !== FIRST_ADDED) return undefined
  const isLatest = direction === undefined ? order === LATEST_ADDED : isDown(direction)

  return isLatest ? { by: ADDED } : { by: ADDED, descending: true }
}

const namesOf = once(sortableNames)

const DIRECTION = /^(asc|desc)(ending)?$/i

/** What a request sorts by. `sort[name]=desc` is `name:desc`. */
function sortedBy(query: Input['query'], by: string): unknown {
  const value = queryValue(query, by)
  const inObject = isObject(value) ? Object.entries(value) : []
  const named = Object.entries(query).flatMap(([name, one]) =>
    name.startsWith(`${by}[`) && name.endsWith(']') ? [[name.slice(by.length + 1, -1), one]] : [],
  )
  const [first] = [...inObject, ...named].filter(([, one]) => one !== undefined && one !== '')

  return first ? first.join(':') : value
}

/** The direction that a request asks for. A flag is called by the direction that it means, or reverses the order. */
function directionIn(query: Input['query'], name: string): unknown {
  const value = queryValue(query, name)
  if (!/^(true|false)$/.test(String(value))) return value
  const isUp = /asc/i.test(name) && !/desc/i.test(name)

  return (String(value) === 'true') === isUp ? 'asc' : 'desc'
}

function usualOrder(
  { default: usual }: SortHints,
  names: ReadonlyMap<string, string>,
): Sort | undefined {
  return addedIn(usual) ?? (usual === undefined ? undefined : orderIn(usual, names))
}

/** The usual order in a direction. What was added is in the order of the ids then. */
function directed(usual: Sort | undefined, direction: string): Sort {
  return { ...(usual?.by !== ADDED && usual), descending: isDown(direction) }
}

/**
 * The order that a text means, such as `-name`, `name:desc` or `name` with a direction; of several, the first one. `undefined` when it names
 * no property.
 */
function orderIn(
  text: string,
  names: ReadonlyMap<string, string>,
  direction?: string,
): Sort | undefined {
  const whole = /^[+-]/.test(text) ? undefined : names.get(plainName(text))
  if (whole !== undefined) return { by: whole, descending: isDown(direction ?? '') }
  for (const one of [text, ...text.split(',')]) {
    const { name, ending, sign } = readOrder(one)
    const by = names.get(plainName(name))
    if (by !== undefined) return { by, descending: sign === '-' || isDown(direction ?? ending) }
  }
  return undefined
}

function isDown(direction: string): boolean {
  return /^desc/i.test(direction)
}
