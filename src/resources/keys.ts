import type { Schema } from '../contract/contract.ts'
import { isNumeric, parsePointer, plainName, propertiesOf, schemaAt } from '../contract/schema.ts'
import { matches } from '../generate/matches.ts'
import { RandomSource } from '../generate/random.ts'
import { isPlainText, isSameWord, wordsOf } from '../inference/id-property.ts'
import { shapeOf, withoutNames } from '../inference/path-shape.ts'
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
  const { keys = [] } = resource
  const key = typeof id === 'number' && isNamedByText(resource) ? keys : keysInPath(resource)
  const text = key.map((name) => record[name]).find((one) => typeof one === 'string' && one !== '')

  return digitsOf(String(text ?? shownId(record, resource) ?? id))
}

/**
 * The further keys that the parameter of the path is called after: `slug` of `{slug}`, and of the `{project_slug}` of projects. A name that
 * changes may give a record is none: its address would be another one from then on.
 */
const keysInPath = once((resource: Resource): readonly string[] => {
  const { keys = [], id, idParameter = id, path = '' } = resource
  if (plainName(id) === plainName(idParameter)) return []
  const words = wordsOf(idParameter)
  const above = withoutNames(path).split('/').flatMap(wordsOf)
  const isOfRecords = (word: string): boolean => above.some((one) => isSameWord(one, word))
  const names = words.flatMap((_, at) =>
    words.slice(0, at).every(isOfRecords) ? words.slice(at).join('') : [],
  )
  return keys.filter((key) => {
    const plain = plainName(key)
    const isChanging = /^(name|title|label)$/.test(plain) && isSentInChanges(key, resource)
    return plain === plainName(idParameter) || (names.includes(plain) && !isChanging)
  })
})

function isSentInChanges(name: string, { operations = [] }: Resource): boolean {
  return operations.some(({ operation: { body }, hints }) => {
    const isChange = /^(update|replace)$/.test(hints.action)
    const sent = isChange ? schemaAt(body?.schema ?? {}, hints.body ?? '') : undefined
    return sent !== undefined && propertiesOf(sent).has(name)
  })
}

const isNamedByText = once(({ operations = [], idParameter }: Resource): boolean => {
  const parameters = operations.flatMap(({ operation }) => operation.parameters)
  const own = parameters.find((one) => one.in === 'path' && one.name === idParameter)
  return own !== undefined && !isNumeric(own.schema)
})

/** The path templates of the operations on one record. */
export const itemPathsOf: (resource: Resource) => readonly string[] = once(({ operations = [] }) =>
  operations.flatMap(({ hints: { action }, operation }) => {
    const isItem = /^(read|replace|update|remove)$/.test(action)
    return isItem && shapeOf(operation.path).stem !== undefined ? operation.path : []
  }),
)

/** What a path template has after its last name: a slash, or the name of a format. */
export function endingOf(template: string): string {
  return template.slice(shapeOf(template).path.length)
}

/** What the path of a record has after its name. */
export const itemEnding: (resource: Resource) => string = once((resource) => {
  const own = withoutNames(resource.path)
  const item = itemPathsOf(resource).find((path) => withoutNames(shapeOf(path).stem ?? '') === own)
  return item === undefined ? '' : endingOf(item)
})

/** Numbers by which paths name records besides their ids have up to nine digits, so that two records rarely have the same. */
const MAX_KEY = 999_999_999

/** Keys that number the records of a collection, such as `number` of an issue. */
const POSITION = /^(iid|index|position|sequence)$|^(\w*_)?(number|no)$/i

/** What ids are called, which nobody but the service chooses. */
const ID = /^(id|uid|guid|gid|sid)$/i

/** A text that looks like the example of a schema: `cus_` and some digits for `cus_1`; `undefined` without such an example. */
function textLike(example: Schema['example'], random: RandomSource): string | undefined {
  const text = typeof example === 'string' ? example : ''
  const [, prefix = '', rest = ''] = /^(.*[^A-Za-z0-9])?([A-Za-z0-9]+)$/.exec(text) ?? []
  if (!/\d/.test(rest)) return undefined
  if (/^\d+$/.test(rest)) return `${prefix}${random.integer(1, MAX_KEY)}`
  const letters = /^[\da-f]+$/.test(rest) ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz'
  const letter = (): string => letters[random.integer(0, letters.length - 1)] ?? ''

  return (
    prefix +
    rest.replace(/\d|[a-z]|[A-Z]/g, (own) => {
      if (/\d/.test(own)) return String(random.integer(0, 9))
      return /[a-z]/.test(own) ? letter() : letter().toUpperCase()
    })
  )
}

/** The numbers, UUIDs and ids among the further keys of a record with an id: the same for the same record, and others for each. */
export function serviceKeys(
  { keys = [], schema }: Pick<Resource, 'keys' | 'schema'>,
  collection: string,
  id: unknown,
): StoredRecord {
  const values = keys.flatMap((key): readonly (readonly [key: string, value: Id])[] => {
    const property = propertiesOf(schema).get(key) ?? {}
    const random = RandomSource.from([collection, String(id), key])
    const value = serviceKey(key, property, { id, random })
    return value !== undefined && matches(property, value) ? [[key, value]] : []
  })
  return Object.fromEntries(values)
}

/** The value of one of these keys. */
function serviceKey(
  key: string,
  property: Schema,
  { id, random }: { readonly id: unknown; readonly random: RandomSource },
): Id | undefined {
  if (isPlainText(property) && !ID.test(key)) return undefined
  // Records of one collection are numbered in their order.
  if (POSITION.test(key) && typeof id === 'number' && matches(property, id)) return id
  return ownId(property, random)
}

/** A number, a UUID, or a text that looks like the example of the schema; `undefined` for another schema. */
export function ownId(property: Schema, random: RandomSource): Id | undefined {
  if (property.format === 'uuid') {
    const ids = createIdGenerator(property, random.integer(0, MAX_KEY))
    return ids?.next(ids.start).id
  }
  if (isPlainText(property)) return textLike(property.example, random)
  if (!isNumeric(property)) return undefined
  const { minimum = 1, maximum = MAX_KEY } = property

  return random.integer(Math.max(1, minimum), Math.min(MAX_KEY, maximum))
}
