import { isNumeric, parsePointer, plainName, propertiesOf } from '../contract/schema.ts'
import { matches } from '../generate/matches.ts'
import { RandomSource } from '../generate/random.ts'
import { type Awaitable, allKnown, whenKnown } from '../records/awaitable.ts'
import { type Id, idsLike, type RecordTable, type StoredRecord } from '../records/record-table.ts'
import type { RecordSelection } from '../records/selection.ts'
import { digitsOf } from '../validation/large-integers.ts'
import { getOwn, isObject, once } from '../validation/objects.ts'
import { RENAMED } from './hidden-properties.ts'
import { createIdGenerator, idOf } from './id-generator.ts'
import type { Resource } from './resource.ts'

// Besides its id, a record may have further keys, such as a slug: a path may name it by each of them.

/** The properties by which records are found without reading all of them. */
export function indexedProperties({ filters, keys, aliases, unique }: Resource): readonly string[] {
  if (!(keys || aliases || unique)) return filters
  const bound = (aliases ?? []).flatMap(({ by }) =>
    by.flatMap(({ place: [name, ...inner] }) => (inner.length === 0 ? name : [])),
  )
  const own = (keys ?? []).filter((key) => !isPlace(key))
  return [...new Set([...filters, ...own, ...Object.keys(unique ?? {}), ...bound])]
}

/** The id of the record that a text names: by the id, else by a further key. A text that names none is returned as it is. */
export function findNamed(
  text: string,
  { id, keys = [] }: Resource,
  table: RecordTable,
): Awaitable<Id> {
  const values = idsLike(text)
  const byKey = (at: number): Awaitable<Id> => {
    const key = keys[at]
    if (key === undefined) return text
    return whenKnown(table.page({ ...havingKey(key, values), limit: 1 }), ({ records }) => {
      const [record] = records
      return record ? (idOf(record, id) ?? text) : byKey(at + 1)
    })
  }
  return whenKnown(allKnown(values.map((one) => table.get(one))), (found) =>
    found.some((one) => one !== undefined) ? text : byKey(0),
  )
}

/** Whether a key is in an object of the record. */
function isPlace(key: string): boolean {
  return key.startsWith('/')
}

/** The records that have one of these values as a key. */
function havingKey(key: string, values: readonly Id[]): RecordSelection {
  if (!isPlace(key)) return { where: { [key]: values } }
  return { tests: [{ places: [parsePointer(key)], is: 'equal', wanted: values }] }
}

/** The further keys of a record, as paths have them. */
export function keyTexts(record: StoredRecord, { keys = [] }: Resource): readonly string[] {
  return keys.flatMap((key) => {
    const [name = key, ...inner] = isPlace(key) ? parsePointer(key) : [key]
    const parent = inner
      .slice(0, -1)
      .reduce<unknown>(innerOf, inner.length > 0 ? record[name] : record)
    const text = isObject(parent) ? idOf(parent, inner.at(-1) ?? name) : undefined
    return text === undefined ? [] : digitsOf(String(text))
  })
}

function innerOf(value: unknown, name: string): unknown {
  return isObject(value) ? getOwn(value, name) : undefined
}

/** The id that responses show: the present name of a record that a client has renamed. */
export function shownId(
  record: StoredRecord,
  { id, hidden }: Pick<Resource, 'id' | 'hidden'>,
): unknown {
  return (hidden.has(RENAMED) && record[RENAMED]) || record[id]
}

/** A selection that finds records by the present and by the first one of the names that clients gave them. */
export function byBothNames(
  selection: RecordSelection,
  { id, hidden }: Pick<Resource, 'id' | 'hidden'>,
): RecordSelection {
  const { where = {}, tests = [] } = selection
  if (!hidden.has(RENAMED) || !Object.hasOwn(where, id)) return selection
  const { [id]: name, ...others } = where
  const places = [[id], [RENAMED]]

  return { where: others, tests: [...tests, { places, is: 'equal', wanted: [name].flat() }] }
}

/**
 * The text by which a path names a record: a further key where the parameter of the path is called so, or is a text while the id is a number,
 * else the id.
 */
export function nameInPath(record: StoredRecord, resource: Resource): string {
  const id = idOf(record, resource.id) ?? ''
  const { keys = [], idParameter = resource.id } = resource
  const named = keys.filter((key) => plainName(key) === plainName(idParameter))
  const key = typeof id === 'number' && isNamedByText(resource) ? keys : named
  const text = key.map((name) => record[name]).find((one) => typeof one === 'string' && one !== '')

  return digitsOf(String(text ?? shownId(record, resource) ?? id))
}

const isNamedByText = once(({ operations = [], idParameter }: Resource): boolean => {
  const parameters = operations.flatMap(({ operation }) => operation.parameters)
  const own = parameters.find((one) => one.in === 'path' && one.name === idParameter)
  return own !== undefined && !isNumeric(own.schema)
})

/** Numbers by which paths name records besides their ids have up to nine digits, so that two records rarely have the same. */
const MAX_KEY = 999_999_999

/** Keys that number the records of a collection, such as `number` of an issue. */
const POSITION = /^(iid|index|position|sequence)$|^(\w*_)?(number|no)$/i

/** The numbers and UUIDs among the further keys of a record with an id: the same for the same record, and others for each. */
export function serviceKeys(
  { keys = [], schema }: Pick<Resource, 'keys' | 'schema'>,
  collection: string,
  id: unknown,
): StoredRecord {
  const values = keys.flatMap((key): readonly (readonly [key: string, value: Id])[] => {
    const property = propertiesOf(schema).get(key) ?? {}
    const random = RandomSource.from([collection, String(id), key])
    if (property.format === 'uuid') {
      const ids = createIdGenerator(property, random.integer(0, MAX_KEY))
      return ids ? [[key, ids.next(ids.start).id]] : []
    }
    if (!isNumeric(property)) return []
    // Records of one collection are numbered in their order.
    if (POSITION.test(key) && typeof id === 'number' && matches(property, id)) return [[key, id]]
    const { minimum = 1, maximum = MAX_KEY } = property
    const number = random.integer(Math.max(1, minimum), Math.min(MAX_KEY, maximum))
    return matches(property, number) ? [[key, number]] : []
  })
  return Object.fromEntries(values)
}
