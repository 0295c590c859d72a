import type { Deprecation } from '../contract/contract.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { asObject, asString, type JsonObject } from './json-value.ts'

/** The deprecation and removal dates of an operation; `undefined` when it is not deprecated. */
export function deprecationOf(operation: JsonObject): Deprecation | undefined {
  const extension = operation['x-deprecation']
  if (operation.deprecated !== true && extension === undefined) return undefined
  const fields = asObject(extension)
  const date = parseInstant(fields.date)
  const sunset = parseInstant(fields.sunset)
  const successor = asString(fields.successor)

  return {
    ...(date !== undefined && { date }),
    ...(sunset !== undefined && { sunset }),
    ...(successor !== undefined && { successor: encodeLiteral(successor) }),
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}/
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Epoch milliseconds of an ISO 8601 date (midnight UTC) or instant; `undefined` when it is neither. */
export function parseInstant(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime()
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined
  const [day = ''] = DAY.exec(value) ?? []
  const midnight = new Date(day)
  // Date turns 2030-02-30 into a day in March.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day)
    return undefined
  const instant = Date.parse(value)

  return Number.isNaN(instant) ? undefined : instant
}
