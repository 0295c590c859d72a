import { isObject } from '../../validation/objects.ts'

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
