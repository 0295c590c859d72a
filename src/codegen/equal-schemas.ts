/** A schema without its subschemas. */
export interface SchemaNode {
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
export function findClasses(nodes: readonly SchemaNode[]): ReadonlyMap<unknown, number> {
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
