import { listOf, type Node, nodeOf } from './node.ts'
import { mapSubschemas } from './subschemas.ts'

/** Who sends a value: requests have no read-only properties, responses no write-only ones. */
export type Audience = 'request' | 'response'

/**
 * The schema without the properties that its values do not have, at any depth; a `$ref` is left
 * alone.
 */
export function forAudience(schema: Node, audience: Audience): Node {
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

function omit(properties: Node, names: ReadonlySet<string>): Node {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)))
}

function present(node: Node): Node {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined))
}

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
