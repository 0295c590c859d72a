import { type Listed, type RecordIndex, SortedRecords, sortKey, sortValue } from './record-index.ts'
import {
  hasObjects,
  type Id,
  type Page,
  type PageQuery,
  type Position,
  type StoredRecord,
} from './record-table.ts'
import { matcherOf, type RecordMatcher, type RecordSelection } from './selection.ts'
import { type Range, type SortedMap, walkMap } from './sorted-map.ts'

/** A list that has every matching record, in the order of a query. */
interface OrderedList<R extends StoredRecord> {
  /** Whether every record of the list matches. */
  readonly isExact: boolean
  /** Calls `visit` with the records of a range until it returns `false`. */
  readonly walk: (range: Range, visit: (listed: Listed<R>) => boolean) => void
}

/** A page that is sorted by a property, is in descending order, skips records, or ends before a record. */
export function pageOf<R extends StoredRecord>(index: RecordIndex<R>, query: PageQuery): Page<R> {
  const { sort, before, skip = 0, limit = Number.POSITIVE_INFINITY } = query
  const matcher = matcherOf(query)
  const start = before ?? query.after
  const after = start === undefined ? undefined : keyAt(index, start, sort?.by)
  const candidates = index.shortestList(matcher.conditions)
  const isNowhere = start !== undefined && after === undefined
  if (!candidates || limit < 1 || isNowhere) return { records: [] }

  const { isExact, walk } = orderedList(index, candidates, matcher, query)
  const isBackward = (sort?.descending === true) !== (before !== undefined)
  const found: Listed<R>[] = []
  let toSkip = isExact ? 0 : skip
  let hasMore = false
  walk({ after, isBackward, skip: isExact ? skip : 0 }, (listed) => {
    if (!(isExact || matcher.matches(listed.record))) return true
    if (toSkip > 0) {
      toSkip -= 1
      return true
    }
    hasMore = found.length >= limit
    if (!hasMore) found.push(listed)
    return !hasMore
  })
  return before === undefined ? pageAfter(found, hasMore) : pageBefore(found.reverse(), hasMore)
}

function pageAfter<R extends StoredRecord>(found: readonly Listed<R>[], hasMore: boolean): Page<R> {
  const last = found.at(-1)
  const records = found.map(({ record }) => record)

  return hasMore && last ? { records, next: last.id } : { records }
}

/** The record before which the page ends follows it. */
function pageBefore<R extends StoredRecord>(
  found: readonly Listed<R>[],
  hasMore: boolean,
): Page<R> {
  const [first] = found

  return {
    ...pageAfter(found, true),
    ...(hasMore && first && { previous: first.id }),
  }
}

/** The key of a place in the list; `undefined` for an id alone in a sorted list, when no record has it. */
function keyAt<R extends StoredRecord>(
  index: RecordIndex<R>,
  place: Id | Position,
  by: string | undefined,
): Id | undefined {
  const { id } = typeof place === 'object' ? place : { id: place }
  if (by === undefined) return id
  if (typeof place === 'object') return sortKey(place.value, id)
  const record = index.get(place)

  return record && sortKey(sortValue(record, by), id)
}

/** How many records match. */
export function countOf<R extends StoredRecord>(
  index: RecordIndex<R>,
  selection: RecordSelection,
): number {
  const matcher = matcherOf(selection)
  const list = index.shortestList(matcher.conditions)
  if (!list || isExactFor(index, matcher)) return list?.size ?? 0
  let count = 0
  list.forEachAfter(undefined, (record) => {
    if (matcher.matches(record)) count += 1
    return true
  })
  return count
}

/** Whether the shortest list of an index has only records that match. */
function isExactFor<R extends StoredRecord>(
  index: RecordIndex<R>,
  { conditions: [first, ...others], isPlain }: RecordMatcher,
): boolean {
  if (!isPlain) return false
  if (!first) return true
  const [name, wanted] = first

  return others.length === 0 && index.hasListsOf(name) && !hasObjects(wanted)
}

function orderedList<R extends StoredRecord>(
  index: RecordIndex<R>,
  list: SortedMap<R>,
  matcher: RecordMatcher,
  query: PageQuery,
): OrderedList<R> {
  const isExact = isExactFor(index, matcher)
  const by = query.sort?.by
  if (by === undefined) {
    return {
      isExact,
      walk: (range, visit) => walkMap(list, range, (record, id) => visit({ id, record })),
    }
  }
  const isSorted = isWorthSorting(list.size, index.size, query)
  const sorted = isSorted ? new SortedRecords<R>(by, list) : orderOf(index, by)

  return {
    isExact: isExact && (isSorted || list.size === index.size),
    walk: (range, visit) => walkMap(sorted.list, range, visit),
  }
}

/** The records in the order of a property. The list is made when it is first needed, and gets every change from then on. */
function orderOf<R extends StoredRecord>(index: RecordIndex<R>, by: string): SortedRecords<R> {
  const known = index.followers.get(by)
  if (known instanceof SortedRecords) return known
  const order = new SortedRecords<R>(by, index.shortestList([]))
  index.followers.set(by, order)
  return order
}

/**
 * Whether it takes less to sort the candidates than to search all records in their order: among many candidates, a page of them
 * is found soon.
 */
function isWorthSorting(candidates: number, all: number, { skip = 0, limit }: PageQuery): boolean {
  if (candidates === all) return false
  const searched = limit === undefined ? all : ((skip + limit) * all) / Math.max(candidates, 1)

  return candidates * Math.log2(candidates + 1) < Math.min(all, searched)
}
