import type { Schema } from './contract.ts'

/** The properties of the objects that match a schema, including those of its branches. */
export interface SchemaProperties {
  readonly properties: ReadonlyMap<string, Schema>
  /** The defaults of the properties that have one. */
  readonly defaults: readonly (readonly [name: string, value: unknown])[]
  /** Whether the schema allows further properties, by `additionalProperties` or similar keywords. */
  readonly isOpen: boolean
}

/** The properties that a schema names, including those of its branches (`allOf`, `anyOf`, `oneOf`). */
export function propertiesOf(schema: Schema): ReadonlyMap<string, Schema> {
  return schemaPropertiesOf(schema).properties
}

const cache = new WeakMap<Schema, SchemaProperties>()

/** The properties of a schema. They are computed once. */
export function schemaPropertiesOf(schema: Schema): SchemaProperties {
  const known = cache.get(schema)
  if (known) return known
  const inherited = branchesOf(schema).flatMap((branch) => [
    ...schemaPropertiesOf(branch).properties,
  ])
  const properties = new Map([...inherited, ...Object.entries(schema.properties ?? {})])
  const defaults = [...properties].flatMap(([name, property]) =>
    property.default === undefined ? [] : [[name, property.default] as const],
  )
  // A schema without a keyword about properties allows any.
  const namesNone = properties.size === 0 && !schema.properties
  const computed = { properties, defaults, isOpen: namesNone || allowsMore(schema) }
  cache.set(schema, computed)

  return computed
}

/** Whether a schema explicitly allows further properties. A branch that only restricts, such as `required`, does not. */
function allowsMore(schema: Schema): boolean {
  if (schema.additionalProperties !== undefined || schema.patternProperties !== undefined)
    return true

  return branchesOf(schema).some((branch) => isAnyObject(branch) || allowsMore(branch))
}

function isAnyObject(schema: Schema): boolean {
  const namesNone = !schema.properties && branchesOf(schema).length === 0
  return namesNone && [schema.type].flat().includes('object')
}

/** The schemas in `allOf`, `anyOf` and `oneOf` of a schema. */
function branchesOf({ allOf = [], anyOf = [], oneOf = [] }: Schema): Schema[] {
  return [...allOf, ...anyOf, ...oneOf]
}

/**
 * A schema and all its branches, at any depth, each once: documents often write `anyOf: [{ type: integer }, { type: 'null' }]`, and
 * some refer to the same branch many times.
 */
export function withBranches(schema: Schema): readonly Schema[] {
  const all = new Set<Schema>()
  const open = [schema]
  for (let one = open.pop(); one; one = open.pop()) {
    if (all.has(one)) continue
    all.add(one)
    // The last one is visited first.
    for (const branch of branchesOf(one).reverse()) open.push(branch)
  }
  return [...all]
}
