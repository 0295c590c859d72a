import type { Schema } from '../contract/contract.ts'
import { type Audience, forAudience } from './audience.ts'
import { findCircles } from './circles.ts'
import { type Document, find } from './document.ts'
import { isNode, listOf, type Node, type Path, pathOf, refOf } from './node.ts'
import { mapSubschemas } from './subschemas.ts'
import { upgradeSchema } from './upgrade-schema.ts'

/** Turns a schema of the document into one that stands alone, as senders of that kind see it. */
export type Expand = (schema: unknown, audience: Audience) => Schema

/** What a sandbox has no use for; hints (`x-faker`, other `x-`) are kept. */
const DROPPED = new Set([
  ...[
    'title',
    'description',
    'example',
    'examples',
    'externalDocs',
    'xml',
    'deprecated',
    'x-decision',
  ],
  ...['$id', 'id', '$schema', '$anchor', '$dynamicAnchor', '$comment', '$defs', 'definitions'],
  // With its anchor gone, it leads nowhere.
  '$dynamicRef',
  // Ajv's own: a check that gives a promise would be taken for one that is content.
  '$async',
])
/** Keywords that say something about a value and demand nothing of it. */
const NOTES = new Set(['default', 'nullable', 'readOnly', 'writeOnly'])

/**
 * Every `$ref` is replaced by what it points to. A schema that contains itself is replaced once;
 * within it, it is a `$ref` to the `$defs` at the top, so that the schema stays finite and
 * complete.
 */
export function createExpand(document: Document): Expand {
  const circles = findCircles(document)
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const defs = new Map<string, Schema>()

  function nameOf(path: Path): string {
    const key = path.join('\n')
    const known = names.get(key)
    if (known !== undefined) return known
    const word = (path.at(-1) ?? '').replaceAll(/[^\w.-]/g, '_')
    const name = taken.has(word) ? `${word}_${names.size}` : word
    names.set(key, name)
    taken.add(name)

    return name
  }

  function expand(schema: unknown, isInside: boolean): Node {
    if (!isNode(schema)) return schema === false ? { not: {} } : {}
    const own = mapSubschemas(kept(schema), (inner) => expand(inner, isInside))
    const ref = refOf(schema)
    const target = ref === undefined ? undefined : find(document, pathOf(ref))
    if (!target) return upgradeSchema(own)
    const { $ref: _, ...beside } = own
    const isCircular = circles.has(target.path)
    const base =
      isCircular && isInside
        ? { $ref: `#/$defs/${nameOf(target.path)}` }
        : expand(target.value, isInside || isCircular)

    return upgradeSchema(combine(base, beside))
  }

  function defOf(path: Path, audience: Audience): [name: string, schema: Schema] {
    const name = nameOf(path)
    const key = `${audience} ${name}`
    const value = find(document, path)?.value
    const schema = defs.get(key) ?? forAudience(expand(value, true), audience)
    defs.set(key, schema)

    return [name, schema]
  }

  return (schema, audience) => {
    const expanded = forAudience(expand(schema, false), audience)
    const circular = circles.within(schema)
    if (circular.length === 0) return expanded

    return { ...expanded, $defs: Object.fromEntries(circular.map((path) => defOf(path, audience))) }
  }
}

function kept(schema: Node): Node {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !DROPPED.has(key)))
}

/** Notes beside a `$ref` replace those of its target; demands are added to it. */
function combine(base: Node, beside: Node): Node {
  const isAdded = Object.keys(beside).every(
    (key) => NOTES.has(key) || key.startsWith('x-') || !(key in base),
  )

  return isAdded ? { ...base, ...beside } : { ...beside, allOf: [base, ...listOf(beside.allOf)] }
}
