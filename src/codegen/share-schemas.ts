import type { Schema } from '../contract/contract.ts'
import type { JsonObject } from '../document/json-value.ts'
import { mapSubschemas, subschemasOf } from '../document/schemas/subschemas.ts'
import { isObject } from '../validation/objects.ts'
import { findClasses, type SchemaNode } from './equal-schemas.ts'

/** Schemas in which equal parts are one object. */
export interface SharedSchemas {
  /** What takes the place of a schema that was given. */
  get(schema: Schema): Schema
  /** Whether a schema that `get` returned, or a part of it, is printed once and has a name. */
  isShared(schema: Schema): boolean
}

/** Whether a keyword is no example. The modules that ship do without them: their records are generated when they are built. */
export function isNoExample(keyword: string): boolean {
  return keyword !== 'example' && keyword !== 'examples'
}

interface Node extends SchemaNode {
  readonly schema: JsonObject
}

/**
 * Merges equal schemas, and equal parts of them. Schemas may be cyclic: two are equal when no path through them leads to a
 * difference. Only the keywords of `isKept` remain.
 */
export function shareSchemas(
  roots: readonly Schema[],
  isKept: (keyword: string) => boolean = () => true,
): SharedSchemas {
  const nodes = collect(roots, isKept)
  const classes = findClasses([...nodes.values()])
  const merged = new Map<number, Schema>()
  for (const id of classes.values()) if (!merged.has(id)) merged.set(id, {})
  const get = (schema: unknown): Schema => {
    const found = merged.get(classes.get(schema) ?? -1)
    if (found) return found
    throw new TypeError('The schema is not part of the schemas that were given')
  }
  const complete = new Set<Schema>()
  for (const { schema } of nodes.values()) {
    const target = get(schema)
    if (complete.has(target)) continue
    complete.add(target)
    const kept = keep(schema, isKept)
    Object.assign(
      target,
      mapSubschemas(kept, (inner) => (isObject(inner) ? get(inner) : inner)),
    )
  }
  const shared = findShared(roots.map(get))

  return { get, isShared: (schema) => shared.has(schema) }
}

function keep(schema: JsonObject, isKept: (keyword: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isKept(keyword)))
}

function collect(
  roots: readonly Schema[],
  isKept: (keyword: string) => boolean,
): ReadonlyMap<JsonObject, Node> {
  const nodes = new Map<JsonObject, Node>()
  const open: JsonObject[] = [...roots].reverse()
  for (let schema = open.pop(); schema; schema = open.pop()) {
    if (nodes.has(schema)) continue
    const children: JsonObject[] = []
    const local = mapSubschemas(keep(schema, isKept), (inner) => {
      if (!isObject(inner)) return inner
      children.push(inner)
      return 0
    })
    nodes.set(schema, { schema, text: JSON.stringify(local), children })
    open.push(...children.reverse())
    children.reverse()
  }

  return nodes
}

/** Schemas that are nested deeper get a name, so that no text is nested too deeply. */
const MAX_DEPTH = 30

/** A schema without parts is repeated up to this length, because its name is hardly shorter. */
const MAX_REPEATED = 40

function findShared(roots: readonly Schema[]): ReadonlySet<Schema> {
  const shared = new Set<Schema>(roots)
  const visited = new Set<unknown>(roots)
  const open = [...shared].map((schema) => ({ schema, depth: 0 }))
  for (let one = open.pop(); one; one = open.pop()) {
    const isTooDeep = one.depth >= MAX_DEPTH
    for (const inner of subschemasOf(one.schema).flatMap(([schema]) =>
      isObject(schema) ? [schema] : [],
    )) {
      const isRepeated = visited.has(inner)
      if (isTooDeep || (isRepeated && isWorthAName(inner))) shared.add(inner)
      if (!isRepeated) open.push({ schema: inner, depth: isTooDeep ? 0 : one.depth + 1 })
      visited.add(inner)
    }
  }

  return shared
}

function isWorthAName(schema: Schema): boolean {
  return subschemasOf(schema).length > 0 || JSON.stringify(schema).length > MAX_REPEATED
}
