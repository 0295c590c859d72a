import { getOwn } from '../validation/objects.ts'
import type { Id, StoredRecord } from './record-table.ts'

/** A property, with the value that it must have or a list of values of which it must have one. */
export type Condition = readonly [name: string, wanted: unknown]

/** Whether a record has the wanted values. */
export function matches(record: StoredRecord, conditions: readonly Condition[]): boolean {
  for (const [name, wanted] of conditions) {
    if (!hasValue(getOwn(record, name), wanted)) return false
  }
  return true
}

/** Whether a property has the wanted value, or one of several. A property that is a list has each of its items as a value. */
function hasValue(property: unknown, wanted: unknown): boolean {
  const values = [property].flat()
  return [wanted].flat().some((value) => values.includes(value))
}

/** The keys of a value in the index: of a list, those of its items. */
export function keysOf(value: unknown): readonly Id[] {
  return Array.isArray(value) ? value.map(keyOf) : [keyOf(value)]
}

/** The key of a value in the index. Only objects share one: they are compared when they are found. */
export function keyOf(value: unknown): Id {
  if (typeof value === 'string') return value.startsWith('\0') ? `\0${value}` : value
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  return hasObjects(value) ? '\0object' : `\0${value}`
}

/** Whether the key of a value may be that of another value. */
export function hasObjects(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
