import { getOwn } from '../../validation/objects.ts'
import { sortKey } from '../sort-key.ts'
import type { StoredPage, VersionedRecord } from '../stored-records.ts'
import type { RedisCollection } from './collection.ts'
import type { IndexGroup } from './index-groups.ts'
import { makeOrder } from './make-order.ts'
import { rangeOf, type Search } from './search.ts'

/** How many records are found at once when all of them are asked for. */
const BATCH = 200

/**
 * A page of the records that are in one index of each group. The store looks at many records at once and replies those that match.
 * `undefined` when the indexes do not tell a page.
 */
export async function searchPage(
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

/** A page of these records, in the order of a property. */
function sorted(
  found: readonly VersionedRecord[],
  { by = '', place, isReverse, skip, limit }: Search,
): StoredPage {
  const sign = isReverse ? -1 : 1
  const start = place && sortKey(place.value, place.id)
  const isAfter = (key: string): boolean =>
    start === undefined || (isReverse ? key < start : key > start)
  const rest = found
    .map((one) => ({ one, key: sortKey(getOwn(one.record ?? {}, by), one.id) }))
    .filter(({ key }) => isAfter(key))
    .sort((a, b) => (a.key < b.key ? -sign : sign))
    .slice(skip)

  return {
    records: rest.slice(0, limit).map(({ one }) => one),
    hasMore: rest.length > limit,
  }
}
