import { childOf, isNode, type Node, type Path, pathOf, refOf } from './node.ts'
import type { Source } from './source.ts'

/** An OpenAPI document in one piece: its `$ref`s all start with `#`. */
export interface Document {
  readonly root: Node
  /**
   * The document's own file, then those that it refers to, which stand under `FILES` by their
   * number.
   */
  readonly sources: readonly Source[]
}

/**
 * Where a document in one piece keeps the other files; an extension, so that the document stays
 * valid.
 */
export const FILES = 'x-referenced-files'

/** A value and the path under which it is written down. */
export interface Found {
  readonly value: unknown
  readonly path: Path
}

/** All of a document that `$ref`s lead through. */
type Root = Pick<Document, 'root'>

/** A loop of `$ref`s ends here. */
const LONGEST_CHAIN = 50

/** Follows a path, and the `$ref`s on its way but not at its end; nothing when it leads nowhere. */
export function find({ root }: Root, path: Path, hops = 0): Found | undefined {
  let found: Found | undefined = { value: root, path: [] }

  for (const key of path) {
    if (childOf(found.value, key) === undefined) found = follow({ root }, found, hops)
    const value = childOf(found?.value, key)
    if (!found || value === undefined) return undefined
    found = { value, path: [...found.path, key] }
  }

  return found
}

/** What the `$ref` of a map points to; nothing when it has none, or one that leads nowhere. */
export function targetOf(document: Root, value: unknown, hops = 0): Found | undefined {
  const ref = refOf(value)

  return ref === undefined ? undefined : find(document, pathOf(ref), hops)
}

/** Follows a chain of `$ref`s to its end; nothing when it leads nowhere or back to itself. */
export function follow(document: Root, from: Found, hops = 0): Found | undefined {
  if (refOf(from.value) === undefined) return from
  if (hops > LONGEST_CHAIN) return undefined
  const next = targetOf(document, from.value, hops + 1)

  return next && follow(document, next, hops + 1)
}

/** A map with its `$ref` replaced by what it points to; what stands beside the `$ref` wins. */
export function resolve(document: Document, value: unknown): Node {
  const target = follow(document, { value, path: [] })?.value
  if (target === value || !isNode(value)) return isNode(target) ? target : {}
  const { $ref: _, ...beside } = value

  return { ...(isNode(target) && target), ...beside }
}

/** `file:line:column` of a value, however many `$ref`s lie on its path. */
export function placeOf(document: Document, path: Path, part?: 'key' | 'value'): string {
  for (let length = path.length; length > 0; length -= 1) {
    const found = find(document, path.slice(0, length))
    if (found) return placeIn(document, found.path, length === path.length ? part : 'value')
  }

  return placeIn(document, [])
}

function placeIn({ sources }: Document, path: Path, part?: 'key' | 'value'): string {
  const [top, number, ...rest] = path
  const other = top === FILES ? sources[Number(number)] : undefined

  return other ? other.place(rest, part) : (sources[0]?.place(path, part) ?? '')
}
