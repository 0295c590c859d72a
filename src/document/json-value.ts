import { decodeComponent } from '../contract/parse-text.ts'
import { parsePointer } from '../contract/schema.ts'
import { isObject } from '../validation/objects.ts'

/** An object of a JSON or YAML document. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The value if it is an object, otherwise an empty one. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value if it is an array, otherwise an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value if it is a string, otherwise `undefined`. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The `$ref` of an object, if it has one. */
export function refOf(value: unknown): string | undefined {
  return isObject(value) ? asString(value.$ref) : undefined
}

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

/** Aliases of YAML can expand a few lines to billions of values. */
export const MAX_VALUES = 5_000_000

/** Thrown when a copy would have too many values. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValues'
}

/**
 * A copy of a document as JSON that shares no objects, because conversions and overlays change objects in place. It has no key
 * `__proto__`. Dates become text, and numbers that JSON does not have become `null`.
 */
export function copyDocument(value: unknown): unknown {
  let count = 0

  function copy(one: unknown): unknown {
    count += 1
    if (count > MAX_VALUES) throw new TooManyValuesError()
    if (Array.isArray(one)) return one.map(copy)
    if (one instanceof Date) return one.toISOString()
    if (isObject(one)) {
      const entries = Object.entries(one).filter(([key]) => key !== '__proto__')
      return Object.fromEntries(entries.map(([key, child]) => [key, copy(child)]))
    }
    if (typeof one === 'bigint') return Number(one)

    return typeof one === 'number' && !Number.isFinite(one) ? null : one
  }

  return copy(value)
}
