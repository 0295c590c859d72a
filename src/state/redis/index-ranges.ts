import { type Condition, keyOf } from '../conditions.ts'
import { filterIndex, ID_INDEX } from './index-members.ts'

/** An index that has every matching record, and others: that of a value, else that of the ids. */
export function candidatesFor(
  conditions: readonly Condition[],
  filters: readonly string[],
): string {
  for (const [name, wanted] of conditions) {
    if (filters.includes(name) && !Array.isArray(wanted)) return filterIndex(name, keyOf(wanted))
  }
  return ID_INDEX
}

/** A range of an index in the order of its bytes. */
export interface LexRange {
  readonly from: string
  readonly to: string
  readonly isReverse: boolean
}

/** The members after a place, exclusively, or all; backward: those before it. */
export function rangeFrom(member: string | undefined, isReverse: boolean): LexRange {
  const start = member === undefined ? undefined : `(${member}`
  return isReverse
    ? { from: start ?? '+', to: '-', isReverse }
    : { from: start ?? '-', to: '+', isReverse }
}
