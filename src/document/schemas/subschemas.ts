import { isObject } from '../../validation/objects.ts'
import { asArray, asObject, type JsonObject, type Pointer } from '../json-value.ts'

/** A schema, and the pointer to it. */
export type LocatedSchema = readonly [schema: unknown, pointer: Pointer]

/** The keywords that hold schemas: by name, as a list, or a single one. */
const SCHEMA_MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs']
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const SINGLE_SCHEMAS = [
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]

export function isSchemaMap(keyword: string): boolean {
  return SCHEMA_MAPS.includes(keyword)
}

export function isSchemaList(keyword: string): boolean {
  return SCHEMA_LISTS.includes(keyword)
}

export function isSingleSchema(keyword: string): boolean {
  return SINGLE_SCHEMAS.includes(keyword)
}

/** The direct subschemas of a schema. Their pointers are relative to the schema. */
export function subschemasOf(schema: JsonObject): LocatedSchema[] {
  const maps = SCHEMA_MAPS.flatMap((keyword) =>
    Object.entries(asObject(schema[keyword])).map(
      ([name, value]): LocatedSchema => [value, [keyword, name]],
    ),
  )
  const lists = SCHEMA_LISTS.flatMap((keyword) =>
    asArray(schema[keyword]).map(
      (value, index): LocatedSchema => [value, [keyword, String(index)]],
    ),
  )
  const singles = SINGLE_SCHEMAS.filter((keyword) => Object.hasOwn(schema, keyword)).map(
    (keyword): LocatedSchema => [schema[keyword], [keyword]],
  )

  return [...maps, ...lists, ...singles]
}

/** A copy of a schema with each direct subschema replaced. Single keywords that hold `true` or `false` stay as they are. */
export function mapSubschemas(
  schema: JsonObject,
  replace: (schema: unknown) => unknown,
): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (SCHEMA_MAPS.includes(keyword) && isObject(value)) {
      const replaced = Object.entries(value).map(([name, inner]) => [name, replace(inner)])
      return [keyword, Object.fromEntries(replaced)]
    }
    if (SCHEMA_LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map(replace)]

    return [keyword, SINGLE_SCHEMAS.includes(keyword) && isObject(value) ? replace(value) : value]
  })

  return Object.fromEntries(entries)
}
