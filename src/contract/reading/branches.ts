import { getOwn } from '../../validation/objects.ts'
import type { Schema } from '../contract.ts'
import { withBranches } from '../schema-properties.ts'

/** The schemas that may apply to one value: a schema and all its branches. */
export type Branches = readonly Schema[]

/** What follows from branches, found once: a body may have a hundred thousand values of the same schema. */
interface Known {
  types?: ReadonlySet<string>
  names?: readonly string[]
  /** The branches of the properties that the schemas name. */
  readonly properties: Map<string, Branches>
  /** The branches of the other properties. */
  others?: Branches
  /** The branches of the items that have no schema of their own. */
  items?: Branches
}

const bySchema = new WeakMap<Schema, Branches>()
const known = new WeakMap<Branches, Known>()

function knownOf(branches: Branches): Known {
  const found = known.get(branches) ?? { properties: new Map() }
  known.set(branches, found)
  return found
}

export function branchesOf(schema: Schema | undefined): Branches {
  if (schema === undefined) return NONE
  const found = bySchema.get(schema) ?? withBranches(schema)
  bySchema.set(schema, found)
  return found
}

const NONE: Branches = []

/** The branches of several schemas. Those of a single one are always the same list. */
function branchesOfAll(schemas: readonly Schema[]): Branches {
  return schemas.length > 1 ? schemas.flatMap(branchesOf) : branchesOf(schemas[0])
}

/** The types that the branches allow. Without `type`, they follow from other keywords; empty when any value is allowed. */
export function typesOf(branches: Branches): ReadonlySet<string> {
  const own = knownOf(branches)
  own.types ??= findTypes(branches)
  return own.types
}

function findTypes(branches: Branches): ReadonlySet<string> {
  const types = branches.flatMap(({ type }) => type ?? [])
  return new Set(types.length > 0 ? types : branches.flatMap(impliedTypes))
}

function impliedTypes(schema: Schema): readonly string[] {
  return [
    ...(schema.properties || typeof schema.additionalProperties === 'object' ? ['object'] : []),
    ...(schema.items || schema.prefixItems ? ['array'] : []),
    ...(schema.pattern !== undefined || schema.minLength !== undefined ? ['string'] : []),
    ...(schema.minimum !== undefined || schema.maximum !== undefined ? ['number'] : []),
  ]
}

/** The schemas of a property. */
export function propertyBranches(branches: Branches, name: string): Branches {
  const own = knownOf(branches)
  const found = own.properties.get(name)
  if (found) return found
  const named = branches.flatMap(({ properties = {} }) => schemaIn(getOwn(properties, name)))
  if (named.length > 0) {
    const all = branchesOfAll(named)
    own.properties.set(name, all)
    return all
  }
  own.others ??= branchesOfAll(
    branches.flatMap(({ additionalProperties }) => schemaIn(additionalProperties)),
  )
  return own.others
}

/** The names of the properties, each once. */
export function propertyNames(branches: Branches): readonly string[] {
  const own = knownOf(branches)
  own.names ??= [...new Set(branches.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  return own.names
}

/** The schemas of an item of a list. */
export function itemBranches(branches: Branches, index: number): Branches {
  const isOwn = branches.some(
    ({ prefixItems }) => Array.isArray(prefixItems) && index < prefixItems.length,
  )
  if (isOwn) return findItemBranches(branches, index)
  const own = knownOf(branches)
  own.items ??= findItemBranches(branches, index)
  return own.items
}

function findItemBranches(branches: Branches, index: number): Branches {
  return branchesOfAll(
    branches.flatMap(({ items, prefixItems }) => {
      const own: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined
      return isSchema(own) ? own : schemaIn(items)
    }),
  )
}

/** The schema as a list; none for `true` and `false`. */
function schemaIn(value: unknown): readonly Schema[] {
  return isSchema(value) ? [value] : []
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
