import { type Condition, hasObjects, keyOf } from '../conditions.ts'
import { filterIndex, ID_INDEX } from './index-members.ts'

/** An index, and whether all of its records match. */
export interface Candidates {
  readonly suffix: string
  readonly isExact: boolean
}

/** The indexes that have every matching record: those of the values of filters, else that of the ids. */
export function candidatesFor(
  conditions: readonly Condition[],
  filters: readonly string[],
): readonly Candidates[] {
  const [single, ...others] = conditions
  if (!single) return [{ suffix: ID_INDEX, isExact: true }]
  const indexed = conditions.flatMap(([name, wanted]) =>
    filters.includes(name) && !Array.isArray(wanted)
      ? [
          {
            suffix: filterIndex(name, keyOf(wanted)),
            isExact: others.length === 0 && !hasObjects(wanted),
          },
        ]
      : [],
  )
  return indexed.length > 0 ? indexed : [{ suffix: ID_INDEX, isExact: false }]
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
