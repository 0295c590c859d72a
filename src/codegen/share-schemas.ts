import type { Schema } from '../contract/contract.ts'
import type { JsonObject } from '../document/json-value.ts'
import { mapSubschemas, subschemasOf } from '../document/schemas/subschemas.ts'
import { isObject } from '../validation/objects.ts'

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

/** A schema without its subschemas. */
interface SchemaNode {
  readonly schema: object
  /** The schema as JSON, with a mark in the place of each subschema. */
  readonly text: string
  readonly children: readonly object[]
}

/** The number of the class of each schema. Equal schemas are in one class. */
type Classes = Map<unknown, number>

/** How often cyclic schemas are compared. When this does not tell them apart, each is taken for a class of its own. */
const MAX_ROUNDS = 50

/** Finds equal schemas: first those without cycles in linear time, then the others. */
function findClasses(nodes: readonly SchemaNode[]): ReadonlyMap<unknown, number> {
  const classes: Classes = new Map()
  const ids = new Map<string, number>()
  const idOf = (key: string): number => {
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    return id
  }
  for (const { schema, text, children } of fromLeaves(nodes)) {
    classes.set(schema, idOf(`${children.map((one) => classes.get(one)).join(',')} ${text}`))
  }
  const cyclic = nodes.filter(({ schema }) => !classes.has(schema))
  for (const [schema, id] of compareCyclic(cyclic, classes)) classes.set(schema, ids.size + id)

  return classes
}

/** The schemas from which no path leads to a cycle, each after its subschemas. */
function fromLeaves(nodes: readonly SchemaNode[]): readonly SchemaNode[] {
  const parents = new Map<object, SchemaNode[]>()
  const open = new Map<SchemaNode, number>()
  for (const node of nodes) {
    open.set(node, node.children.length)
    for (const child of node.children) {
      const known = parents.get(child)
      if (known) known.push(node)
      else parents.set(child, [node])
    }
  }
  const ready = nodes.filter(({ children }) => children.length === 0)
  // A `for of` loop also visits what is added during the loop.
  for (const { schema } of ready) {
    for (const parent of parents.get(schema) ?? []) {
      const left = (open.get(parent) ?? 0) - 1
      open.set(parent, left)
      if (left === 0) ready.push(parent)
    }
  }

  return ready
}

/** Begins with the schemas without their parts, and splits classes until none has different members. */
function compareCyclic(nodes: readonly SchemaNode[], acyclic: Classes): Classes {
  let classes = classify(nodes, ({ text }) => text)
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const partOf = (schema: object): string => `${acyclic.get(schema) ?? `c${classes.get(schema)}`}`
    const next = classify(
      nodes,
      ({ schema, children }) => `${classes.get(schema)} ${children.map(partOf).join(',')}`,
    )
    if (new Set(next.values()).size === new Set(classes.values()).size) return classes
    classes = next
  }

  return new Map(nodes.map(({ schema }, index) => [schema, index]))
}

function classify(nodes: readonly SchemaNode[], keyOf: (node: SchemaNode) => string): Classes {
  const ids = new Map<string, number>()
  const classes: Classes = new Map()
  for (const node of nodes) {
    const key = keyOf(node)
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    classes.set(node.schema, id)
  }
  return classes
}
