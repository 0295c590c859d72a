import { getOwn } from '../../validation/objects.ts'
import { matches } from '../conditions.ts'
import type { Id, PageQuery, Position } from '../record-table.ts'
import type { StoredPage, VersionedRecord } from '../stored-records.ts'
import type { Index, RedisCollection } from './collection.ts'
import { groupsOf, type IndexGroup, indexOfAll } from './index-groups.ts'
import { orderIndex } from './index-members.ts'
import { candidatesFor } from './index-ranges.ts'
import { readPart, walkIndex } from './index-walk.ts'
import { rangeOf, type Search } from './search.ts'
import { searchPage } from './search-page.ts'
import { unionPage } from './union-page.ts'

/**
 * A page of a collection. It takes one round trip, unless few of many records match several conditions, or the indexes do not tell
 * which records match.
 */
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
  const groups = groupsOf(conditions, filters)
  const page =
    (groups && (await indexedPage(collection, groups, search))) ??
    (await filteredPage(collection, filters, search))

  return before === undefined ? page : { ...page, records: [...page.records].reverse() }
}

/** A page of the records that are in one index of each group; `undefined` when the indexes do not tell it. */
async function indexedPage(
  collection: RedisCollection,
  groups: readonly IndexGroup[],
  search: Search,
): Promise<StoredPage | undefined> {
  const { by } = search
  if (groups.some((group) => group.length === 0)) return { records: [], hasMore: false }
  if (by !== undefined && groups.length === 0) return partOf(collection, orderOf(by), search)
  if (by !== undefined) return searchPage(collection, groups, search)
  const suffix = indexOfAll(groups)
  if (suffix !== undefined) return partOf(collection, { suffix }, search)
  if (groups.some((group) => group.length === 1)) return searchPage(collection, groups, search)

  return unionPage(search, groups, (some, most) =>
    indexedPage(collection, some, { ...search, skip: 0, limit: most }),
  )
}

/** A page of an index whose records all match. */
async function partOf(
  collection: RedisCollection,
  index: Index,
  search: Search,
): Promise<StoredPage> {
  const { skip, limit } = search
  if (!Number.isFinite(limit)) return walked(collection, index, { ...search, conditions: [] })
  const { records } = await readPart(collection, index, rangeOf(search), skip, limit + 1)

  return { records: records.slice(0, limit), hasMore: records.length > limit }
}

/** A page of the records that match, which are looked at one by one. */
function filteredPage(
  collection: RedisCollection,
  filters: readonly string[],
  search: Search,
): Promise<StoredPage> {
  const { by, conditions } = search
  const index = by === undefined ? { suffix: candidatesFor(conditions, filters) } : orderOf(by)

  return walked(collection, index, search)
}

async function walked(
  collection: RedisCollection,
  index: Index,
  search: Search,
): Promise<StoredPage> {
  const { conditions, skip, limit } = search
  const records: VersionedRecord[] = []
  let toSkip = skip
  let hasMore = false
  await walkIndex(collection, index, rangeOf(search), (one) => {
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

function orderOf(by: string): Index {
  return { suffix: orderIndex(by), by }
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
