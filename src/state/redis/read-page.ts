import { getOwn } from '../../validation/own-property.ts'
import { type Condition, matches } from '../conditions.ts'
import type { Id, PageQuery, Position } from '../record-table.ts'
import { sortKey } from '../sort-key.ts'
import type { StoredPage, VersionedRecord } from '../stored-records.ts'
import type { Index, IndexPart, RedisCollection } from './collection.ts'
import { ID_INDEX, memberOf, orderIndex } from './index-members.ts'
import { type Candidates, candidatesFor, type LexRange, rangeFrom } from './index-ranges.ts'
import { BATCH, readPart, walkIndex } from './index-walk.ts'
import type { Search } from './search.ts'
import { unionPage } from './union-page.ts'

/** At most so many candidates are sorted here when a page has conditions and an order. */
const MAX_SORTED = 1000

/** A page of a collection. It takes one command, unless several conditions or an order with a condition make it search. */
export async function readPage(
  collection: RedisCollection,
  query: PageQuery,
  filters: readonly string[],
): Promise<StoredPage> {
  const { where = {}, sort, before, skip = 0, limit = Number.POSITIVE_INFINITY } = query
  const conditions = Object.entries(where)
  const given = before ?? query.after
  const place = given === undefined ? undefined : await positionOf(collection, given, sort?.by)
  if (limit < 1 || (given !== undefined && !place)) return { records: [], hasMore: false }
  const isReverse = (sort?.descending === true) !== (before !== undefined)
  const search = { conditions, by: sort?.by, place, isReverse, skip, limit }
  const pageOf = (one: readonly Condition[], most: number): Promise<StoredPage> =>
    searchIn(collection, candidatesFor(one, filters), {
      ...search,
      ...{ conditions: one, skip: 0, limit: most },
    })
  const page =
    (await unionPage(search, filters, pageOf)) ??
    (await searchIn(collection, candidatesFor(conditions, filters), search))

  return before === undefined ? page : { ...page, records: [...page.records].reverse() }
}

async function searchIn(
  collection: RedisCollection,
  lists: readonly Candidates[],
  search: Search,
): Promise<StoredPage> {
  const candidates = await smallestOf(collection, lists)
  const { by, place, isReverse, conditions, skip, limit } = search
  const member = place && (by === undefined ? memberOf(place.id) : memberOf(place.id, place.value))
  const range = rangeFrom(member, isReverse)
  if (by === undefined) {
    return candidates.isExact
      ? partOf(collection, candidates, range, skip, limit)
      : filtered(collection, candidates, range, search)
  }
  const order = { suffix: orderIndex(by), by }
  if (conditions.length === 0) return partOf(collection, order, range, skip, limit)
  // Few candidates are all here after one command.
  const all = rangeFrom(undefined, false)
  const part = await readPart(collection, candidates, all, 0, BATCH)
  return part.total <= MAX_SORTED
    ? sorted(collection, candidates, part, by, search)
    : filtered(collection, order, range, search)
}

/** A page of an index whose records all match. */
async function partOf(
  collection: RedisCollection,
  index: Index,
  range: LexRange,
  skip: number,
  limit: number,
): Promise<StoredPage> {
  if (Number.isFinite(limit)) {
    const { records, total } = await readPart(collection, index, range, skip, limit + 1)
    return { records: records.slice(0, limit), hasMore: records.length > limit, total }
  }
  const search = { conditions: [], skip, limit }
  return filtered(collection, index, range, search)
}

/** The records of an index that match. */
async function filtered(
  collection: RedisCollection,
  index: Index,
  range: LexRange,
  { conditions, skip, limit }: Pick<Search, 'conditions' | 'skip' | 'limit'>,
): Promise<StoredPage> {
  const records: VersionedRecord[] = []
  let toSkip = skip
  let hasMore = false
  await walkIndex(collection, index, range, (one) => {
    if (!matches(one.record ?? {}, conditions)) return true
    if (toSkip > 0) {
      toSkip -= 1
      return true
    }
    hasMore = records.length >= limit
    if (!hasMore) records.push(one)
    return !hasMore
  })
  return { records, hasMore }
}

/** The matching candidates in the order of a property. */
async function sorted(
  collection: RedisCollection,
  index: Index,
  first: IndexPart,
  by: string,
  { conditions, place, isReverse, skip, limit }: Search,
): Promise<StoredPage> {
  const found: { readonly one: VersionedRecord; readonly key: string }[] = []
  const add = (one: VersionedRecord): boolean => {
    const record = one.record ?? {}
    if (matches(record, conditions)) found.push({ one, key: sortKey(getOwn(record, by), one.id) })
    return true
  }
  first.records.forEach(add)
  if (first.rest) await walkIndex(collection, index, first.rest, add)
  const sign = isReverse ? -1 : 1
  const start = place && sortKey(place.value, place.id)
  const isAfter = (key: string): boolean =>
    start === undefined || (isReverse ? key < start : key > start)
  const rest = found
    .filter(({ key }) => isAfter(key))
    .sort((a, b) => (a.key < b.key ? -sign : sign))
    .slice(skip)

  return {
    records: rest.slice(0, limit).map(({ one }) => one),
    hasMore: rest.length > limit,
  }
}

/** The smallest of several lists of candidates. */
async function smallestOf(
  collection: RedisCollection,
  lists: readonly Candidates[],
): Promise<Candidates> {
  const [first = { suffix: ID_INDEX, isExact: false }, ...others] = lists
  if (others.length === 0) return first
  const sizes = await Promise.all(lists.map(({ suffix }) => collection.size(suffix)))
  const smallest = sizes.indexOf(Math.min(...sizes))

  return lists[smallest] ?? first
}

/** A place in a list; `undefined` for an id alone in a sorted list, when no record has it. */
async function positionOf(
  collection: RedisCollection,
  place: Id | Position,
  by: string | undefined,
): Promise<Position | undefined> {
  if (typeof place === 'object') return place
  if (by === undefined) return { id: place }
  const found = await collection.get(place)
  return found?.record && { id: place, value: getOwn(found.record, by) }
}
