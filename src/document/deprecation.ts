import type { Deprecation } from '../contract/contract.ts'
import { asSent } from '../contract/match.ts'
import { type Node, nodeOf, textOf } from './node.ts'

const DAY = /^\d{4}-\d{2}-\d{2}/
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/**
 * Epoch milliseconds of an ISO 8601 date, which starts at midnight UTC, or instant; nothing when it
 * is neither.
 */
export function instantOf(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime()
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined
  const [day = ''] = DAY.exec(value) ?? []
  const midnight = new Date(day)
  // Date rolls 2030-02-30 over to March instead of refusing it.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day)
    return undefined
  const instant = Date.parse(value)

  return Number.isNaN(instant) ? undefined : instant
}

/** When an operation was deprecated and goes away; nothing when it is not deprecated. */
export function deprecationOf(operation: Node): Deprecation | undefined {
  const notice = operation['x-deprecation']
  if (operation.deprecated !== true && notice === undefined) return undefined
  const { date, sunset, successor } = nodeOf(notice)
  const [deprecated, removed, next] = [instantOf(date), instantOf(sunset), textOf(successor)]

  return {
    ...(deprecated !== undefined && { date: deprecated }),
    ...(removed !== undefined && { sunset: removed }),
    ...(next !== undefined && { successor: asSent(next) }),
  }
}
