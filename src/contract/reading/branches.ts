import type { Schema } from '../contract.ts'
import { withBranches } from '../schema-properties.ts'

/** The schemas that may apply to one value: a schema and all its branches. */
export type Branches = readonly Schema[]

export function branchesOf(schema: Schema | undefined): Branches {
  return schema === undefined ? [] : withBranches(schema)
}

/** The types that the branches allow. Without `type`, they follow from other keywords; empty when any value is allowed. */
export function typesOf(branches: Branches): ReadonlySet<string> {
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
  const named = branches.flatMap(({ properties }) =>
    properties && Object.hasOwn(properties, name) ? branchesOf(properties[name]) : [],
  )
  if (named.length > 0) return named
  return branches.flatMap(({ additionalProperties }) =>
    typeof additionalProperties === 'object' ? branchesOf(additionalProperties) : [],
  )
}

/** The names of the properties, each once. */
export function propertyNames(branches: Branches): readonly string[] {
  return [...new Set(branches.flatMap(({ properties }) => Object.keys(properties ?? {})))]
}

/** The schemas of an item of a list. */
export function itemBranches(branches: Branches, index: number): Branches {
  return branches.flatMap(({ items, prefixItems }) => {
    const own: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined
    return branchesOf(isSchema(own) ? own : items)
  })
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
