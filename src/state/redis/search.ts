import type { Condition } from '../conditions.ts'
import type { Position } from '../record-table.ts'

/** Which records are searched, from which place on. */
export interface Search {
  readonly conditions: readonly Condition[]
  readonly by: string | undefined
  readonly place: Position | undefined
  readonly isReverse: boolean
  readonly skip: number
  readonly limit: number
}
