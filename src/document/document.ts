import { isObject } from '../validation/is-object.ts'
import { childOf, type Pointer, parseFragment } from './json-pointer.ts'
import { type JsonObject, refOf } from './json-value.ts'
import type { Source } from './source.ts'

/** A bundled OpenAPI document: every `$ref` starts with `#`. */
export interface Document {
  readonly root: JsonObject
  /** The document's own file, then the files that it refers to. Those are in `root`, under `FILES`, by their index. */
  readonly sources: readonly Source[]
}

/** The key under which a bundled document holds its other files. It is an extension, so the document stays valid. */
export const FILES = 'x-referenced-files'

/** A value, and the pointer under which it is written. */
export interface ResolvedValue {
  readonly value: unknown
  readonly pointer: Pointer
}

/** The part of a document that resolving a `$ref` needs. */
type Root = Pick<Document, 'root'>

/** Ends a cycle of `$ref`s. */
const MAX_REF_CHAIN = 50

/** The value at a pointer. Follows every `$ref` before the last key; `undefined` when there is no such value. */
export function findValue({ root }: Root, pointer: Pointer, hops = 0): ResolvedValue | undefined {
  let found: ResolvedValue | undefined = { value: root, pointer: [] }

  for (const key of pointer) {
    if (childOf(found.value, key) === undefined) found = followRefs({ root }, found, hops)
    const value = childOf(found?.value, key)
    if (!found || value === undefined) return undefined
    found = { value, pointer: [...found.pointer, key] }
  }

  return found
}

/** The value that the `$ref` of an object points to; `undefined` when it has no `$ref` or the target does not exist. */
export function refTarget(document: Root, value: unknown, hops = 0): ResolvedValue | undefined {
  const ref = refOf(value)

  return ref === undefined ? undefined : findValue(document, parseFragment(ref), hops)
}

/** Follows a chain of `$ref`s to its end; `undefined` when a target does not exist or the chain is a cycle. */
export function followRefs(
  document: Root,
  from: ResolvedValue,
  hops = 0,
): ResolvedValue | undefined {
  if (refOf(from.value) === undefined) return from
  if (hops > MAX_REF_CHAIN) return undefined
  const next = refTarget(document, from.value, hops + 1)

  return next && followRefs(document, next, hops + 1)
}

/** An object with its `$ref` replaced by the target. Keys next to the `$ref` override those of the target. */
export function resolveRef(document: Document, value: unknown): JsonObject {
  const target = followRefs(document, { value, pointer: [] })?.value
  if (target === value || !isObject(value)) return isObject(target) ? target : {}
  const { $ref: _, ...siblings } = value

  return { ...(isObject(target) && target), ...siblings }
}

/** `file:line:column` of the value at a pointer, or of its nearest existing ancestor. */
export function locationOf(document: Document, pointer: Pointer, part?: 'key' | 'value'): string {
  for (let length = pointer.length; length > 0; length -= 1) {
    const found = findValue(document, pointer.slice(0, length))
    if (found) {
      return locateInSource(document, found.pointer, length === pointer.length ? part : 'value')
    }
  }

  return locateInSource(document, [])
}

function locateInSource({ sources }: Document, pointer: Pointer, part?: 'key' | 'value'): string {
  const [top, index, ...rest] = pointer
  const other = top === FILES ? sources[Number(index)] : undefined

  return other ? other.locate(rest, part) : (sources[0]?.locate(pointer, part) ?? '')
}
