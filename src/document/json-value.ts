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
