import { isObject } from '../validation/is-object.ts'

/** Whether two JSON values are equal. The order of properties does not matter. */
export function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => areEqual(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)

  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && areEqual(one[name], other[name]))
  )
}

/** Whether no two items are equal. */
export function isDistinct(list: readonly unknown[]): boolean {
  return list.every((item, at) => list.findIndex((other) => areEqual(other, item)) === at)
}

/** The length of a text as JSON Schema counts it. */
export function codePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1
  return count
}

/** Whether a value has a type of JSON Schema. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}
