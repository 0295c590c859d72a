import { decodeComponent } from '../contract/parse-text.ts'

/** A map of an OpenAPI document. */
export type Node = Readonly<Record<string, unknown>>

/** Keys and list positions from the top of a document to a value. */
export type Path = readonly string[]

/** Whether a value is a map, as opposed to a list, a scalar or nothing. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as a map; an empty one when it is none. */
export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {}
}

/** The value as a list; an empty one when it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value as text; nothing when it is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** What a map or list holds under a key of its own. */
export function childOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)]

  return isNode(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The `$ref` of a map, if it has one. */
export function refOf(value: unknown): string | undefined {
  return isNode(value) ? textOf(value.$ref) : undefined
}

/** Reads the fragment of a `$ref`, with or without its `#`, as a path. */
export function pathOf(fragment: string): Path {
  return pathOfPointer(decodeComponent(fragment.replace(/^#/, '')))
}

/** Reads a JSON Pointer, in which percent signs stand for themselves, as a path. */
export function pathOfPointer(pointer: string): Path {
  const keys = pointer.split('/').slice(1)

  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A path as one text, to be the key of a map. */
export function keyOf(path: Path): string {
  return path.join('\n')
}
