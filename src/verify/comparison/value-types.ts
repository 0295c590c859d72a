import { isObject } from '../../validation/objects.ts'

/** The types of the values at each path, for instance `number` at `[].price`. */
export type TypesByPath = ReadonlyMap<string, ReadonlySet<string>>

/** Deeper values are ignored. */
const MAX_DEPTH = 12

/** The types in several values together, so that optional properties are included. */
export function typesByPath(values: readonly unknown[]): TypesByPath {
  const types = new Map<string, Set<string>>()
  for (const value of values) collectTypes(value, '', types, 0)

  return types
}

function collectTypes(
  value: unknown,
  path: string,
  types: Map<string, Set<string>>,
  depth: number,
): void {
  const atPath = types.get(path) ?? new Set()
  types.set(path, atPath.add(typeOf(value)))
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) {
    for (const item of value) collectTypes(item, `${path}[]`, types, depth + 1)
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      collectTypes(member, path === '' ? name : `${path}.${name}`, types, depth + 1)
    }
  }
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'not JSON'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
