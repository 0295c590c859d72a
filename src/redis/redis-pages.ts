import { sortKey, sortValue } from '../records/record-index.ts'
import { type Id, idKey, type PageQuery, type Position } from '../records/record-table.ts'
import { matcherOf, type RecordMatcher } from '../records/selection.ts'
import {
  MissingCollectionError,
  type StoredPage,
  type VersionedRecord,
} from '../records/stored-records.ts'
import {
  candidatesFor,
  groupsOf,
  ID_INDEX,
  type IndexGroup,
  indexOfAll,
  type LexRange,
  memberOf,
  orderIndex,
  rangeFrom,
} from './indexes.ts'
import { type Index, type IndexPart, memberIn, type RedisCollection } from './redis-collection.ts'
import { FILL_ORDER } from './scripts/record-scripts.ts'

/**
 * A page of a collection. It takes one round trip, unless few of many records match several conditions, or the indexes do not tell
 * which records match.
 */
export async function readPage(
  collection: RedisCollection,
  query: PageQuery,
  filters: readonly string[],
): Promise<StoredPage> {
  const { sort, before, skip = 0, limit = Number.POSITIVE_INFINITY } = query
  const matcher = matcherOf(query)
  const given = before ?? query.after
  const place = given === undefined ? undefined : await positionOf(collection, given, sort?.by)
  if (limit < 1 || (given !== undefined && !place)) return { records: [], hasMore: false }
  const isReverse = (sort?.descending === true) !== (before !== undefined)
  const search = { matcher, by: sort?.by, place, isReverse, skip, limit }
  const groups = groupsOf(matcher, filters)
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

/** Selects every record. */
const ALL = matcherOf({})

/** A page of an index whose records all match. */
async function partOf(
  collection: RedisCollection,
  index: Index,
  search: Search,
): Promise<StoredPage> {
  const { skip, limit } = search
  if (!Number.isFinite(limit)) return walked(collection, index, { ...search, matcher: ALL })
  const { records } = await readPart(collection, index, rangeOf(search), skip, limit + 1)

  return { records: records.slice(0, limit), hasMore: records.length > limit }
}

/** A page of the records that match, which are looked at one by one. */
function filteredPage(
  collection: RedisCollection,
  filters: readonly string[],
  search: Search,
): Promise<StoredPage> {
  const { by, matcher } = search
  const index =
    by === undefined ? { suffix: candidatesFor(matcher.conditions, filters) } : orderOf(by)

  return walked(collection, index, search)
}

async function walked(
  collection: RedisCollection,
  index: Index,
  search: Search,
): Promise<StoredPage> {
  const { matcher, skip, limit } = search
  const records: VersionedRecord[] = []
  let toSkip = skip
  let hasMore = false
  await walkIndex(collection, index, rangeOf(search), (one) => {
    if (!matcher.matches(one.record ?? {})) return true
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
  return found?.record && { id: place, value: sortValue(found.record, by) }
}

/**
 * A page of the records that are in one index of each group. The store looks at many records at once and replies those that match.
 * `undefined` when the indexes do not tell a page.
 */
async function searchPage(
  collection: RedisCollection,
  groups: readonly IndexGroup[],
  search: Search,
): Promise<StoredPage | undefined> {
  const { limit } = search
  let records: readonly VersionedRecord[] = []
  let range = rangeOf(search)
  let { skip } = search
  for (;;) {
    const most = Number.isFinite(limit) ? limit + 1 - records.length : BATCH
    const part = await collection.search({ groups, by: search.by, range, skip, limit: most })
    if (part.kind === 'unknown') return undefined
    if (part.kind === 'unsorted') return sorted(part.records, search)
    if (part.kind === 'unready') {
      await makeOrder(collection, search.by ?? '')
      continue
    }
    records = [...records, ...part.records]
    if (records.length > limit || !part.rest)
      return { records: records.slice(0, limit), hasMore: records.length > limit }
    range = part.rest
    skip = part.skip
  }
}

/** A page of these records, in the order of their ids or of a property. */
function sorted(
  found: readonly VersionedRecord[],
  { by, place, isReverse, skip, limit }: Search,
): StoredPage {
  const sign = isReverse ? -1 : 1
  const start = place && sortKey(place.value, place.id)
  const isAfter = (key: string): boolean =>
    start === undefined || (isReverse ? key < start : key > start)
  const keyOf = ({ id, record = {} }: VersionedRecord): string =>
    sortKey(by === undefined ? undefined : sortValue(record, by), id)
  const rest = found
    .map((one) => ({ one, key: keyOf(one) }))
    .filter(({ key }) => isAfter(key))
    .sort((a, b) => (a.key < b.key ? -sign : sign))
    .slice(skip)

  return {
    records: rest.slice(0, limit).map(({ one }) => one),
    hasMore: rest.length > limit,
  }
}

/**
 * A page of the records that have one of several values, in the order of the ids: the pages of the values, which are asked at once. The
 * values are those of the smallest group. `undefined` when the indexes do not tell a page.
 */
async function unionPage(
  search: Search,
  groups: readonly IndexGroup[],
  pageOf: (groups: readonly IndexGroup[], limit: number) => Promise<StoredPage | undefined>,
): Promise<StoredPage | undefined> {
  const [values = [], ...others] = [...groups].sort((one, other) => one.length - other.length)
  const most = search.skip + search.limit
  const all = await Promise.all(values.map((value) => pageOf([[value], ...others], most)))
  const pages = all.filter((page) => page !== undefined)
  if (pages.length < all.length) return undefined
  // A record may have several of the values, in a list.
  const found = new Map(
    pages.flatMap(({ records }) => records).map((one) => [idKey(one.id), one] as const),
  )
  const page = sorted([...found.values()], { ...search, place: undefined })
  return { ...page, hasMore: page.hasMore || pages.some(({ hasMore }) => hasMore) }
}

/** Which records are searched, from which place on. */
interface Search {
  readonly matcher: RecordMatcher
  readonly by: string | undefined
  readonly place: Position | undefined
  readonly isReverse: boolean
  readonly skip: number
  readonly limit: number
}

/** The members of an index from the place of a search on. */
function rangeOf({ by, place, isReverse }: Search): LexRange {
  const member = place && (by === undefined ? memberOf(place.id) : memberOf(place.id, place.value))
  return rangeFrom(member, isReverse)
}

/** How many records are read at once. */
const BATCH = 200

/** Calls `visit` with the records of an index until it returns `false`. */
export async function walkIndex(
  collection: RedisCollection,
  index: Index,
  start: LexRange,
  visit: (record: VersionedRecord) => boolean,
): Promise<void> {
  let range: LexRange | undefined = start
  while (range) {
    const part: IndexPart = await readPart(collection, index, range, 0, BATCH)
    for (const record of part.records) if (!visit(record)) return
    range = part.rest
  }
}

/** A part of an index. Makes an order that is not made. */
async function readPart(
  collection: RedisCollection,
  index: Index,
  range: LexRange,
  skip: number,
  limit: number,
): Promise<IndexPart> {
  for (;;) {
    const part = await collection.part(index, range, skip, limit)
    if (part) return part
    await makeOrder(collection, index.by ?? '')
  }
}

/** How many records are added to an order at once. */
const ORDER_BATCH = 500

/**
 * Makes the index of all records in the order of a property. From the first step on, every writer keeps the order, because a
 * commit that does not know it is refused. Then the records that were there before are added, unless they have changed since.
 * Rejects with a MissingCollectionError when the collection is not opened.
 */
async function makeOrder(collection: RedisCollection, property: string): Promise<void> {
  await addTo(collection, 'orders', property)
  let range: LexRange | undefined = rangeFrom(undefined, false)
  while (range) {
    const part: IndexPart | undefined = await collection.part(
      { suffix: ID_INDEX },
      range,
      0,
      ORDER_BATCH,
    )
    const { records, rest } = part ?? { records: [], rest: undefined }
    await collection.run(FILL_ORDER, [
      orderIndex(property),
      records.length,
      ...records.flatMap((one) => [JSON.stringify(one.id), one.version, memberIn(one, property)]),
    ])
    range = rest
  }
  await addTo(collection, 'ready', property)
}

async function addTo(
  collection: RedisCollection,
  field: 'orders' | 'ready',
  property: string,
): Promise<void> {
  for (;;) {
    const state = await collection.state()
    if (!state) throw new MissingCollectionError()
    if (state[field].includes(property)) return
    if (await collection.replaceOrders(field, state[field], [...state[field], property])) return
  }
}
