import type { Schema } from '../contract/contract.ts'
import { areEqualLists, isObject, once } from '../validation/objects.ts'

/** A schema that no value matches. */
const NEVER: Schema = { not: {} }

/** A schema that every value matches. */
const ANYTHING: Schema = {}

/** The schema of a keyword. JSON Schema has `true` for anything and `false` for nothing. */
function toSchema(value: unknown): Schema | undefined {
  if (value === false) return NEVER
  if (value === true) return ANYTHING
  return isObject(value) ? value : undefined
}

/** The schema that a keyword holds. */
export function schemaOf(schema: Schema, keyword: string): Schema | undefined {
  return toSchema(schema[keyword])
}

/** The schemas that a keyword lists, such as those of `oneOf`. */
export function schemasOf(schema: Schema, keyword: string): readonly Schema[] {
  const list = schema[keyword]
  return Array.isArray(list) ? schemasIn(list) : NO_SCHEMAS
}

const NO_SCHEMAS: readonly Schema[] = []

const schemasIn = once((list: readonly unknown[]): readonly Schema[] =>
  list.flatMap((one) => listOf(toSchema(one))),
)

/** The schemas that a keyword holds by name, such as those of `properties`. */
export function schemaMapOf(schema: Schema, keyword: string): NamedSchemas {
  const map = schema[keyword]
  return isObject(map) ? namedSchemasIn(map) : NO_NAMES
}

type NamedSchemas = readonly (readonly [name: string, schema: Schema])[]

const NO_NAMES: NamedSchemas = []

const namedSchemasIn = once(
  (map: Readonly<Record<string, unknown>>): NamedSchemas =>
    Object.entries(map).flatMap(([name, one]) => {
      const inner = toSchema(one)
      return inner ? [[name, inner] as const] : []
    }),
)

/** The number that a keyword holds. */
export function numberOf(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}

/** The text that a keyword holds. */
export function textOf(schema: Schema, keyword: string): string | undefined {
  const value = schema[keyword]
  return typeof value === 'string' ? value : undefined
}

/** The texts that a keyword lists. */
export function textsOf(schema: Schema, keyword: string): readonly string[] {
  const value = schema[keyword]
  return Array.isArray(value) ? textsIn(value) : NO_TEXTS
}

const NO_TEXTS: readonly string[] = []

const textsIn = once((list: readonly unknown[]): readonly string[] =>
  list.filter((one) => typeof one === 'string'),
)

/** The types that a schema names; `undefined` when it allows all. */
export function typesOf({ type }: Schema): readonly string[] | undefined {
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type : undefined
}

/** The schema of a property that is named in `properties`. */
export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const { properties } = schema
  return properties && Object.hasOwn(properties, name) ? toSchema(properties[name]) : undefined
}

/** A schema as a list; an empty one when there is none. */
export function listOf(schema: Schema | undefined): readonly Schema[] {
  return schema ? [schema] : []
}

/** Of the lists that start with the same schema, so many are known. */
const MAX_LISTS = 100

const listsFrom = once((_: Schema): (readonly Schema[])[] => [])

/** The same list for the same schemas, so that what is computed once for a list is known for the next value, too. */
export function sharedList(schemas: readonly Schema[]): readonly Schema[] {
  const [first] = schemas
  if (!first) return NO_SCHEMAS
  const lists = listsFrom(first)
  const known = lists.find((list) => areEqualLists(list, schemas))
  if (known) return known
  if (lists.length < MAX_LISTS) lists.push(schemas)

  return schemas
}
