import type { Schema } from '../contract/contract.ts'
import { findCircles } from './circles.ts'
import { type Document, find, targetOf } from './document.ts'
import { withHints } from './hints.ts'
import { isNode, keyOf, listOf, type Node, nodeOf, type Path } from './node.ts'
import { mapSubschemas, upgradeSchema } from './schema.ts'

/** Who sends a value: requests have no read-only properties, responses no write-only ones. */
export type Audience = 'request' | 'response'

/** Turns a schema of a document into one that stands alone, for what those senders send. */
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
    const key = keyOf(path)
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
    const target = targetOf(document, schema)
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
  const entries = Object.entries(withHints(schema))
  return Object.fromEntries(entries.filter(([key]) => !DROPPED.has(key)))
}

/** Notes beside a `$ref` replace those of its target; demands are added to it. */
function combine(base: Node, beside: Node): Node {
  const isAdded = Object.keys(beside).every(
    (key) => NOTES.has(key) || key.startsWith('x-') || !Object.hasOwn(base, key),
  )

  return isAdded ? { ...base, ...beside } : { ...beside, allOf: [base, ...listOf(beside.allOf)] }
}

/**
 * The schema without the properties that its values do not have, at any depth; a `$ref` is left
 * alone.
 */
function forAudience(schema: Node, audience: Audience): Node {
  return without(schema, audience === 'request' ? 'readOnly' : 'writeOnly', new Set())
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf']

/** `hidden` are names that the schemas around this one, which describe the same value, hide. */
function without(schema: Node, mark: string, hidden: ReadonlySet<string>): Node {
  const names = new Set([...hidden, ...marked(schema, mark)])
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (BRANCHES.includes(key)) {
      return [[key, listOf(value).map((branch) => without(nodeOf(branch), mark, names))]]
    }
    if (key === 'properties') return [[key, omit(nodeOf(value), names)]]
    if (key !== 'required') return [[key, value]]
    const left = listOf(value).filter((name) => !names.has(String(name)))

    return left.length > 0 ? [[key, left]] : []
  })
  const { allOf, anyOf, oneOf, ...rest } = Object.fromEntries(entries)
  const inner = mapSubschemas(rest, (value) => without(nodeOf(value), mark, new Set()))

  return { ...inner, ...present({ allOf, anyOf, oneOf }) }
}

/** The names of the properties that a schema, or a branch of it, marks. */
function marked(schema: Node, mark: string): string[] {
  const own = Object.entries(nodeOf(schema.properties)).filter(([, property]) =>
    isMarked(property, mark),
  )
  const branches = BRANCHES.flatMap((key) => listOf(schema[key]))

  return [
    ...own.map(([name]) => name),
    ...branches.flatMap((branch) => marked(nodeOf(branch), mark)),
  ]
}

function isMarked(property: unknown, mark: string): boolean {
  const { allOf, [mark]: flag } = nodeOf(property)

  return flag === true || listOf(allOf).some((branch) => isMarked(branch, mark))
}

function omit(properties: Node, names: ReadonlySet<string>): Node {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)))
}

function present(node: Node): Node {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined))
}
