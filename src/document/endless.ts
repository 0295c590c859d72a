import { type Document, placeOf, targetOf } from './document.ts'
import type { Mistake } from './mistake.ts'
import { isNode, type Node, type Path } from './node.ts'
import { type Placed, subschemasOf } from './schema.ts'

/** The keywords whose schemas apply to the same value as the schema that has them. */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
])

const ADVICE = 'Remove this $ref, or move it below "properties" or "items".'

/**
 * The schemas that apply themselves to the same value: a validator would never come to an end. A schema that contains itself
 * below `properties` or `items` is none of them, because each step leads to a smaller value. Each circle is told once, at the
 * `$ref` that closes it.
 */
export function endlessSchemas(document: Document): Mistake[] {
  const mistakes: Mistake[] = []
  const open = new Set<Node>()
  const done = new Set<Node>()

  function visit(schema: unknown, at: Path): void {
    if (!isNode(schema) || done.has(schema)) return
    open.add(schema)
    for (const [inner, path] of subschemasOf(schema)) {
      if (IN_PLACE.has(path[0] ?? '')) visit(inner, [...at, ...path])
    }
    const target = targetOf(document, schema)
    if (target && isNode(target.value) && open.has(target.value)) {
      const why = `the schema "${target.path.at(-1)}" applies itself to the same value without end`
      mistakes.push({ why, place: placeOf(document, [...at, '$ref']), advice: ADVICE })
    } else if (target) visit(target.value, target.path)
    open.delete(schema)
    done.add(schema)
  }

  // Every circle passes a target of a `$ref`.
  for (const [schema, at] of targetsWithin(document)) visit(schema, at)

  return mistakes
}

/** What the `$ref`s of a document point to, wherever they stand. */
function targetsWithin(document: Document): Placed[] {
  const targets = new Map<unknown, Path>()

  function look(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const target = targetOf(document, value)
    if (target) targets.set(target.value, target.path)
    for (const child of Object.values(value)) look(child)
  }
  look(document.root)

  return [...targets]
}
