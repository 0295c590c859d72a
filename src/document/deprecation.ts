import type { Deprecation } from '../contract/deprecation-dates.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { parseInstant } from '../time/clock.ts'
import { asObject, asString, type JsonObject } from './json-value.ts'

/**
 * The deprecation and removal dates of an operation, else those of the document's `x-sandbox`; `undefined` when it is not
 * deprecated.
 */
export function deprecationOf(operation: JsonObject, root: JsonObject): Deprecation | undefined {
  const extension = operation['x-deprecation'] ?? asObject(root['x-sandbox']).deprecation
  if (operation.deprecated !== true && extension === undefined) return undefined
  const fields = asObject(extension)
  const date = instantOf(fields.date)
  const sunset = instantOf(fields.sunset)
  const successor = asString(fields.successor)

  return {
    ...(date !== undefined && { date }),
    ...(sunset !== undefined && { sunset }),
    ...(successor !== undefined && { successor: encodeLiteral(successor) }),
  }
}

/** Epoch milliseconds of a date or an instant, which YAML may have parsed already; `undefined` when it is neither. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === 'string') return parseInstant(value)
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined
}
