import { isObject } from '../validation/objects.ts'
import { childOf, type Pointer, parseFragment, type ResolvedValue } from './json-pointer.ts'
import { type JsonObject, refOf } from './json-value.ts'
import type { Place } from './mistake.ts'
import { findNamed } from './schema-names.ts'
import type { Part, Source } from './source.ts'

/** A bundled OpenAPI document: every `$ref` starts with `#`. */
export interface Document {
  readonly root: JsonObject
  /** The document's own file, then the files that it refers to. Those are in `root`, under `FILES`, by their index. */
  readonly sources: readonly Source[]
}

/** The key under which a bundled document holds its other files. It is an extension, so the document stays valid. */
export const FILES = 'x-referenced-files'

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

/** The targets of the `$ref`s of each document. Many places refer to the same value. */
const targets = new WeakMap<JsonObject, Map<string, ResolvedValue | undefined>>()

/** The value that the `$ref` of an object points to; `undefined` when it has no `$ref` or the target does not exist. */
export function refTarget(document: Root, value: unknown, hops = 0): ResolvedValue | undefined {
  const ref = refOf(value)
  if (ref === undefined) return undefined
  const known = targets.get(document.root) ?? new Map<string, ResolvedValue | undefined>()
  targets.set(document.root, known)
  if (known.has(ref)) return known.get(ref)
  const target = isPointer(ref)
    ? findValue(document, parseFragment(ref), hops)
    : findNamed(document.root, ref)
  // Within a chain of references, the result may only say that the chain is long.
  if (hops === 0) known.set(ref, target)

  return target
}

/** Whether a `$ref` of a bundled document is a JSON Pointer. Else it is the name of an anchor, or a schema's `$id`. */
function isPointer(ref: string): boolean {
  return ref === '#' || ref.startsWith('#/')
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

/** The place of the value at a pointer, or of its nearest existing ancestor. */
export function locationOf(document: Document, pointer: Pointer, part?: Part): Place {
  for (let length = pointer.length; length > 0; length -= 1) {
    const found = findValue(document, pointer.slice(0, length))
    if (found) {
      return locateInSource(document, found.pointer, length === pointer.length ? part : 'value')
    }
  }

  return locateInSource(document, [])
}

function locateInSource({ sources }: Document, pointer: Pointer, part?: Part): Place {
  const [top, index, ...rest] = pointer
  const other = top === FILES ? sources[Number(index)] : undefined
  const [own] = sources
  if (!own) throw new TypeError('A document has a source')

  return other ? { source: other, pointer: rest, part } : { source: own, pointer, part }
}
