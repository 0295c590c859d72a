import { isObject } from '../validation/objects.ts'
import type { Schema } from './contract.ts'

/** The number of schemas inside each other, and of values in all. Deeper and further parts are left out. */
const MAX_DEPTH = 8
const MAX_VALUES = 5000

/**
 * A copy of a schema that JSON can represent. Schemas of a document are shared and may contain themselves: such a schema, and
 * parts of a very large one, are replaced by `{}`, which allows any value.
 */
export function plainSchema(schema: Schema): Schema {
  let left = MAX_VALUES
  const copy = (value: unknown, open: readonly unknown[]): unknown => {
    left -= 1
    if (Array.isArray(value)) return value.map((item) => copy(item, open))
    if (!isObject(value)) return value
    if (open.includes(value) || open.length > 2 * MAX_DEPTH || left < 0) return {}
    const inner = [...open, value]
    const entries = Object.entries(value).filter(([, part]) => typeof part !== 'function')

    return Object.fromEntries(entries.map(([key, part]) => [key, copy(part, inner)]))
  }
  const { examples: _examples, ...rest } = schema
  const copied = copy(rest, [schema])

  return isObject(copied) ? copied : {}
}
