import type { Id } from '../../records/record-table.ts'
import type { IdGenerator } from '../id-generator.ts'

/** How ids are counted. */
export interface Counting {
  readonly toId: (count: number) => Id
  /** The count in an id that a client chose; `NaN` when it has none. Default: the id as a number. */
  readonly countOf?: (id: Id) => number
  readonly first?: number
  /** The last count. After it, ids start over. */
  readonly last?: number
}

/** Ids that count. An id that a client chose raises the count, so that the next one is free. */
export function countedIds({
  toId,
  countOf = Number,
  first = 1,
  last = Number.MAX_SAFE_INTEGER,
}: Counting): IdGenerator {
  return {
    start: first - 1,
    size: last - first + 1,
    next: (state) => {
      const count = state >= first - 1 && state < last ? state + 1 : first
      return { id: toId(count), state: count }
    },
    stateAfter: (state, id) => {
      const count = countOf(id)
      return Number.isSafeInteger(count) && count <= last ? Math.max(state, count) : state
    },
  }
}

/** Ids of a list, in its order. */
export function listedIds(ids: readonly Id[]): IdGenerator {
  return countedIds({
    toId: (count) => ids[count - 1] ?? '',
    countOf: () => Number.NaN,
    last: Math.max(1, ids.length),
  })
}

/** Ids that a function makes of their count. A client's own ids do not change the count. */
export function derivedIds(toId: (count: number) => Id): IdGenerator {
  return countedIds({ toId, countOf: () => Number.NaN })
}
