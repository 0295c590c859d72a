import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import { isSchemaList, isSchemaMap, isSingleSchema, subschemasOf } from './subschemas.ts'

/** The keyword that takes the place of a shared schema: its value is the number of that schema. */
export const LINK = 'linkedSchema'

/** The keyword that takes the place of a keyword with many subschemas: its value is a {@link Group}. */
export const GROUP = 'linkedSchemas'

/** A keyword with more subschemas than this is no part of a function. Ajv's time for a function is quadratic in its size. */
const MAX_SUBSCHEMAS = 200

/** The keywords of a schema that have many subschemas, and the number of that schema. */
export interface Group {
  readonly id: number
  readonly keywords: readonly string[]
}

/** Writes schemas of a graph as trees that Ajv can compile. */
export interface SchemaWriter {
  /** A schema as a tree. Shared schemas in it are links. */
  write(schema: Schema): JsonObject
  /** The schema of a link or of a group. */
  schemaAt(id: number): Schema
}

/** The keywords that say what a description says of a value. */
export const DESCRIBED: readonly string[] = [
  'describedValues',
  'describedTime',
  'describedLater',
  'describedOnce',
  'describedReference',
]

/** Keywords that mean nothing for a validation. */
const UNCHECKED: ReadonlySet<string> = new Set([
  ...['default', 'readOnly', 'writeOnly', 'discriminator', 'contentEncoding', 'contentMediaType'],
  ...['xml', 'example', 'examples'],
  ...DESCRIBED,
])

/** Whether a keyword means anything for a validation. */
export function isChecked(keyword: string): boolean {
  return !UNCHECKED.has(keyword) && !keyword.startsWith('x-')
}

/** The keywords whose subschemas apply to the same value. */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
])

/** Whether the subschemas of a keyword apply to the same value as the schema itself. */
export function isInPlace(keyword: string): boolean {
  return IN_PLACE.has(keyword)
}

/** A keyword with more than `max` subschemas becomes a group. */
export function createSchemaWriter(
  isShared: (schema: Schema) => boolean,
  max: number = MAX_SUBSCHEMAS,
): SchemaWriter {
  const ids = new Map<Schema, number>()
  const schemas: Schema[] = []

  function idOf(schema: Schema): number {
    const id = ids.get(schema) ?? schemas.push(schema) - 1
    ids.set(schema, id)
    return id
  }

  function writeInner(value: unknown, isInPlace: boolean): unknown {
    if (!isObject(value)) return value
    const schema: Schema = value
    // `unevaluatedProperties` must see what the schemas beside it evaluate. A link would hide it.
    if (isInPlace || !isShared(schema)) return writeTree(schema, isInPlace)
    return { [LINK]: idOf(schema) }
  }

  function writeTree(schema: Schema, isVisible: boolean): JsonObject {
    const isLarge = !isVisible && hasManyBranches(schema)
    const seesBranches =
      isVisible ||
      (!isLarge &&
        (schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined))
    const checked = Object.entries(withPatternForPrototype(schema)).filter(([keyword]) =>
      isChecked(keyword),
    )
    const isSeen = (keyword: string): boolean => seesBranches && IN_PLACE.has(keyword)
    const keywords = groupedKeywords(schema, max).filter((keyword) => !isSeen(keyword))
    const written = checked.flatMap(([keyword, value]): [string, unknown][] => {
      // What so many branches evaluate cannot be seen, so what is left over is not known.
      if (isLarge && keyword.startsWith('unevaluated')) return []
      if (keywords.includes(keyword)) {
        // `additionalProperties` needs the names of the properties only.
        return keyword === 'properties' ? [[keyword, namesOnly(value)]] : []
      }
      const isInPlace = isSeen(keyword) || isComparedType(schema, keyword, value)
      return [[keyword, writeValue(keyword, value, (inner) => writeInner(inner, isInPlace))]]
    })
    if (keywords.length > 0) written.push([GROUP, { id: idOf(schema), keywords }])

    return Object.fromEntries(written)
  }

  return {
    write: (schema) => writeTree(schema, false),
    schemaAt: (id) => {
      const schema = schemas[id]
      if (schema) return schema
      throw new TypeError(`There is no schema ${id}`)
    },
  }
}

/** The keywords of a schema for whose subschemas Ajv would take too long. */
function groupedKeywords(schema: Schema, max: number = MAX_SUBSCHEMAS): readonly string[] {
  const large = Object.keys(schema).filter((keyword) => hasMany(keyword, schema[keyword], max))
  const needsPatterns = schema.additionalProperties !== undefined

  return large.includes('patternProperties') && needsPatterns
    ? [...large, 'additionalProperties']
    : large
}

function hasMany(keyword: string, value: unknown, max: number): boolean {
  if (!GROUPED.has(keyword)) return false
  return (Array.isArray(value) ? value : Object.keys(Object(value))).length > max
}

const GROUPED: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'properties', 'patternProperties', 'dependentSchemas'],
  'prefixItems',
])

/** So many branches of a schema with `unevaluatedProperties` or `unevaluatedItems` are seen. */
const MAX_VISIBLE = 500

/** Whether a schema with its branches, at any depth, is too large for one function. */
function hasManyBranches(schema: Schema): boolean {
  let count = 0
  const open: Schema[] = [schema]
  for (let one = open.pop(); one && count <= MAX_VISIBLE; one = open.pop()) {
    count += 1
    for (const [inner, [keyword = '']] of subschemasOf(one)) {
      if (IN_PLACE.has(keyword) && isObject(inner)) open.push(inner)
    }
  }
  return count > MAX_VISIBLE
}

function namesOnly(properties: unknown): JsonObject {
  return Object.fromEntries(Object.keys(Object(properties)).map((name) => [name, true]))
}

/** Ajv ignores a property with this name, but not a pattern that matches the name. */
export const PROTOTYPE = '__proto__'

function withPatternForPrototype(schema: Schema): JsonObject {
  const { properties = {}, patternProperties } = schema
  if (!Object.hasOwn(properties, PROTOTYPE)) return schema
  const others = Object.entries(properties).filter(([name]) => name !== PROTOTYPE)
  const patterns = { ...asObject(patternProperties), [`^${PROTOTYPE}$`]: properties[PROTOTYPE] }

  return { ...schema, properties: Object.fromEntries(others), patternProperties: patterns }
}

/** Whether these are items without subschemas of `uniqueItems`, which compares values faster when it sees their type. */
function isComparedType({ uniqueItems }: Schema, keyword: string, value: unknown): boolean {
  return (
    uniqueItems === true &&
    keyword === 'items' &&
    isObject(value) &&
    subschemasOf(value).length === 0
  )
}

function writeValue(keyword: string, value: unknown, write: (schema: unknown) => unknown): unknown {
  if (Array.isArray(value)) return isSchemaList(keyword) ? value.map(write) : value
  if (!isSchemaMap(keyword) || !isObject(value))
    return isSingleSchema(keyword) ? write(value) : value

  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, write(inner)]))
}

/** How many schemas one function validates. Ajv's time for a function is quadratic in its size. */
const MAX_SIZE = 200

/** Finds the parts of large schemas that get a function of their own, in time that is linear in the number of schemas. */
export class LargeSchemas {
  readonly #isShared: (schema: Schema) => boolean
  readonly #sizes = new Map<Schema, number>()
  readonly #parts = new Set<Schema>()

  constructor(isShared: (schema: Schema) => boolean) {
    this.#isShared = isShared
  }

  /** Whether a schema is a part of a large one that was split. */
  isPart(schema: Schema): boolean {
    return this.#parts.has(schema)
  }

  /** Splits a schema and those in it, where they are too large. Returns how many schemas its own function validates. */
  split(schema: Schema): number {
    return this.#sizeOf(schema)
  }

  /** The number of schemas in the function of a schema. One with a function of its own counts as one. */
  #sizeOf(schema: Schema): number {
    const known = this.#sizes.get(schema)
    if (known !== undefined) return known
    this.#sizes.set(schema, 1)
    const grouped = new Set(groupedKeywords(schema))
    const inner = subschemasOf(schema).flatMap(([one, [keyword = '']]) =>
      isObject(one) ? [{ one, isGrouped: grouped.has(keyword) }] : [],
    )
    const sizes = inner.map(({ one }) => (this.#isShared(one) ? 1 : this.#sizeOf(one)))
    let size = sizes.reduce((sum, one) => sum + one, 1)
    if (size > MAX_SIZE) {
      for (const { one } of inner) this.#parts.add(one)
      size = 1 + inner.filter(({ isGrouped }) => !isGrouped).length
    }
    this.#sizes.set(schema, size)

    return size
  }
}
