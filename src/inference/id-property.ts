import type { Schema } from '../contract/contract.ts'
import { plainName } from '../contract/plain-name.ts'
import { propertiesOf, withBranches } from '../contract/schema-properties.ts'
import { isNamedAfter } from './named-after.ts'
import { formsOf } from './names.ts'

/** What names the id of a record: the path parameter that contains it, and the word for the collection. */
export interface IdContext {
  /** Absent when no path leads to one record. */
  readonly parameter?: string | undefined
  /** The last segment of the collection's path, such as `books`. */
  readonly word: string
  /** The path of the collection, such as `/shops/{shopId}/books`. */
  readonly path?: string | undefined
  /** The schema of the path parameter. */
  readonly schema?: Schema | undefined
}

/** A property that may contain the id. */
export interface IdProperty {
  /** The name of the property; a JSON Pointer such as `/metadata/name` when it is in an object of the record. */
  readonly name: string
  /** How sure it is: 0 is the surest. */
  readonly rank: number
}

/** What ids are called after the word of the collection: `bookNumber`. */
const AFTER_WORD = /^(id|uuid|gid|sid|key|name|number|ref|identifier|slug|code|token)$/
/** What ids are called without it. */
const ALONE = /^(uuid|gid|sid|identifier|ref|key|slug|uid|guid|code|handle|token)$/
/** Objects of a record that contain its id. */
const CONTAINERS = /^(metadata|meta|sys|attributes|info|identity)$/
/** Path parameters that contain no name of the record. */
const NO_NAME = /(id|uuid|guid|number|no|key|code|token)$/
/** The rank of a property that is called after the records by other words than the last one of their path. */
const NAMED_AFTER = 2.5
/** The rank of a property that is a guess. */
const GUESS = 5

/** The property of a record that contains its id; `undefined` when none fits. */
export function idPropertyOf(record: Schema, context: IdContext): IdProperty | undefined {
  return [...candidatesIn(record, context)].sort((one, other) => one.rank - other.rank)[0]
}

function* candidatesIn(schema: Schema, context: IdContext): Generator<IdProperty> {
  yield* candidatesAmong(schema, context)
  for (const [name, property] of propertiesOf(schema)) {
    if (!CONTAINERS.test(plainName(name))) continue
    for (const inner of candidatesAmong(property, context))
      if (inner.rank < GUESS || inner.name === 'name')
        yield { name: `/${name}/${inner.name}`, rank: inner.rank + 3 }
  }
}

/** The properties of an object that may contain the id. */
function* candidatesAmong(schema: Schema, context: IdContext): Generator<IdProperty> {
  for (const [name, property] of propertiesOf(schema)) {
    const rank = rankOf(name, context) ?? rankOfNumber(name, property, context)
    if (rank === undefined || !isScalar(property)) continue
    yield { name, rank: isCompatible(property, context.schema) ? rank : rank + 3 }
  }
}

function rankOf(
  name: string,
  { parameter = 'id', word, path = word }: IdContext,
): number | undefined {
  const plain = plainName(name)
  const wanted = plainName(parameter)
  if (plain === wanted) return 0
  if (plain === 'id') return 1
  const rest = formsOf(word).flatMap((form) =>
    plain.startsWith(form) ? plain.slice(form.length) : [],
  )
  if (rest.some((one) => AFTER_WORD.test(one))) return 2
  if (isNamedAfter(name, { path, parameter })) return NAMED_AFTER
  if (ALONE.test(plain)) return 3
  if (plain.length > 1 && wanted.endsWith(plain)) return 4

  return plain === 'name' && !NO_NAME.test(wanted) ? GUESS : undefined
}

/** A number that counts the records is their id when the path contains a number. */
function rankOfNumber(name: string, property: Schema, { schema }: IdContext): number | undefined {
  const isCount = plainName(name) === 'number' && isCounted(typesOf(property))
  return isCount && schema && isCounted(typesOf(schema)) ? GUESS : undefined
}

function isScalar(schema: Schema): boolean {
  const types = typesOf(schema)
  return types.length === 0
    ? propertiesOf(schema).size === 0 && schema.items === undefined
    : types.some((type) => type === 'string' || type === 'integer' || type === 'number')
}

/** Whether an id in the path can be an id in the record: a number in the path is no text that is a date or a UUID. */
function isCompatible(property: Schema, parameter: Schema | undefined): boolean {
  if (!parameter) return true
  const types = typesOf(parameter)
  const own = typesOf(property)
  if (types.length === 0 || own.length === 0) return true
  if (isCounted(types) && !isCounted(own)) return property.format === undefined && !property.enum
  // Most documents declare path parameters as strings.
  return true
}

function isCounted(types: readonly string[]): boolean {
  return types.includes('integer') || types.includes('number')
}

function typesOf(schema: Schema): readonly string[] {
  return withBranches(schema).flatMap(({ type = [] }) => type)
}
