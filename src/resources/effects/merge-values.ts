import type { Schema } from '../../contract/contract.ts'
import { propertiesOf, withBranches } from '../../contract/schema.ts'
import { isObject } from '../../validation/objects.ts'

/** The text in a hint that stands for the time of the change. */
const NOW = '{now}'

/**
 * The values with others merged into them: objects property by property, other values as a whole. `{now}` is the time, in the
 * form that the schema of the property has: a date and time (RFC 3339), a date, or Unix time in seconds.
 */
export function mergeValues(
  values: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
  time: number,
  schema: Schema = {},
): Readonly<Record<string, unknown>> {
  const properties = propertiesOf(schema)
  const merged = Object.entries(changes).map(([name, change]) => {
    const before = values[name]
    const value = isObject(change)
      ? mergeValues(isObject(before) ? before : {}, change, time, properties.get(name))
      : timeOr(change, time, properties.get(name))
    return [name, value] as const
  })

  return { ...values, ...Object.fromEntries(merged) }
}

function timeOr(value: unknown, time: number, schema: Schema = {}): unknown {
  if (value !== NOW) return value
  const branches = withBranches(schema)
  const types = branches.flatMap(({ type = [] }) => type)
  if (types.includes('integer') || types.includes('number')) return Math.floor(time / 1000)
  const text = new Date(time).toISOString()

  return branches.some(({ format }) => format === 'date') ? text.slice(0, 10) : text
}
