import type { Schema } from './contract.ts'
import { parsePointer } from './parse-pointer.ts'
import { propertiesOf, withBranches } from './schema-properties.ts'

/** A schema within the schema of a body, and its place as a JSON Pointer. */
export interface SchemaPlace {
  readonly place: string
  readonly schema: Schema
}

/** How deep envelopes are. */
const MAX_DEPTH = 2

/** The schema of a body and those of the properties in it, from the outside. Those of the items of lists are not among them. */
export function placesIn(body: Schema): readonly SchemaPlace[] {
  const found: SchemaPlace[] = [{ place: '', schema: body }]
  let level: readonly SchemaPlace[] = found
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    level = level.flatMap(({ place, schema }) =>
      isList(schema)
        ? []
        : [...propertiesOf(schema)].map(([name, property]) => ({
            place: `${place}/${escapeKey(name)}`,
            schema: property,
          })),
    )
    found.push(...level)
  }
  return found
}

/** The name at the end of a place, such as `items` of `/data/items`. */
export function nameAt(place: string): string {
  return place
    .slice(place.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
}

export function depthOf(place: string): number {
  return place.split('/').length - 1
}

function isList(schema: Schema): boolean {
  return itemsOf(schema) !== undefined
}

/** The schema of the items of a list; `undefined` when the schema is of no list. */
export function itemsOf(schema: Schema): Schema | undefined {
  const list = withBranches(schema).find(({ type, items }) =>
    type === undefined ? items !== undefined : [type].flat().includes('array'),
  )
  return list && (list.items ?? {})
}

/** The schema of the values of an object that may have any names, such as ids; `undefined` for other schemas. */
export function valuesOf(schema: Schema): Schema | undefined {
  if (propertiesOf(schema).size > 0) return undefined
  const map = withBranches(schema).find(({ additionalProperties }) => isMap(additionalProperties))
  const { additionalProperties } = map ?? {}

  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Whether a schema describes objects. */
export function isObjectSchema(schema: Schema): boolean {
  return withBranches(schema).some(
    ({ type, properties, additionalProperties }) =>
      [type].flat().includes('object') ||
      (type === undefined && (properties !== undefined || isMap(additionalProperties))),
  )
}

/** Whether objects may have properties that their schema does not name, with any values. */
export function allowsAnyProperty(schema: Schema): boolean {
  return withBranches(schema).every(
    ({ additionalProperties = true, unevaluatedProperties = true }) =>
      [additionalProperties, unevaluatedProperties].every(isAnything),
  )
}

function isAnything(schema: unknown): boolean {
  return schema === true || (isMap(schema) && Object.keys(Object(schema)).length === 0)
}

/** The properties that a schema or one of its branches requires. */
export function requiredNames(schema: Schema): ReadonlySet<string> {
  return new Set(withBranches(schema).flatMap(({ required = [] }) => required))
}

function isMap(additional: unknown): boolean {
  return typeof additional === 'object'
}

function escapeKey(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The schema at a place of a body; `undefined` when no property leads there. */
export function schemaAt(body: Schema, place: string): Schema | undefined {
  let schema: Schema | undefined = body
  for (const name of parsePointer(place)) schema = schema && propertiesOf(schema).get(name)

  return schema
}
