import type { Condition } from '../conditions.ts'
import type { Position } from '../record-table.ts'
import { memberOf } from './index-members.ts'
import { type LexRange, rangeFrom } from './index-ranges.ts'

/** Which records are searched, from which place on. */
export interface Search {
  readonly conditions: readonly Condition[]
  readonly by: string | undefined
  readonly place: Position | undefined
  readonly isReverse: boolean
  readonly skip: number
  readonly limit: number
}

/** The members of an index from the place of a search on. */
export function rangeOf({ by, place, isReverse }: Search): LexRange {
  const member = place && (by === undefined ? memberOf(place.id) : memberOf(place.id, place.value))
  return rangeFrom(member, isReverse)
}
