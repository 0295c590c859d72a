import { parsePointer } from '../contract/parse-pointer.ts'
import { decodeComponent } from '../contract/parse-text.ts'
import { isObject } from '../validation/objects.ts'

/** A JSON Pointer (RFC 6901) as its keys and list positions, from the top of a document to a value. */
export type Pointer = readonly string[]

/** A value, and the pointer under which it is written. */
export interface ResolvedValue {
  readonly value: unknown
  readonly pointer: Pointer
}

/** Parses the fragment of a `$ref`, with or without its `#`. */
export function parseFragment(fragment: string): Pointer {
  return parsePointer(decodeComponent(fragment.replace(/^#/, '')))
}

/** A pointer as one string, to be the key of a `Map`. */
export function pointerKey(pointer: Pointer): string {
  return pointer.join('\n')
}

/** The value of an object's own property or of a list position; `undefined` when there is none. */
export function childOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)]

  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
