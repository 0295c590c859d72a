import { suggest } from '../validation/usage-error.ts'
import { type Document, placeOf } from './document.ts'
import type { Mistake } from './mistake.ts'
import { isNode, type Node, nodeOf, type Path } from './node.ts'

/** The field that holds what a document says to the sandbox alone. */
const HINTS = 'x-sandbox'

/** What it may say, by what it stands on. */
const FIELDS = {
  schema: ['default'],
  response: ['forced'],
} as const

/**
 * A schema with its `x-sandbox: { default: … }` as its `default`. The document keeps the two apart because generators of
 * clients take `default` to mean that a value is always there, in requests too. The contract needs only one of them.
 */
export function withHints(schema: Node): Node {
  const { [HINTS]: hints, ...rest } = schema
  if (!isNode(hints)) return rest

  return Object.hasOwn(hints, 'default') ? { ...rest, default: hints.default } : rest
}

/**
 * Whether a response is given only when a developer forces it: `x-sandbox: { forced: true }`. It is in the document so that
 * clients and validators know its status; the service does not promise it.
 */
export function isForced(response: Node): boolean {
  return nodeOf(response[HINTS]).forced === true
}

/** What is wrong with the hints of a schema or response at a path. */
export function hintMistakes(
  what: keyof typeof FIELDS,
  node: Node,
  at: Path,
  document: Document,
): Mistake[] {
  const hints = node[HINTS]
  const path = [...at, HINTS]
  const known: readonly string[] = FIELDS[what]
  if (hints === undefined) return []
  if (!isNode(hints)) {
    const advice = `Write a map with ${known.map((name) => `"${name}"`).join(', ')}.`
    return [{ why: `"${HINTS}" is not a map`, place: placeOf(document, path), advice }]
  }
  return Object.keys(hints)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      why: `"${HINTS}" of a ${what} has no field "${name}"`,
      place: placeOf(document, [...path, name], 'key'),
      advice: suggest(name, known),
    }))
}
