import { idKey } from '../id-key.ts'
import { sortKey } from '../sort-key.ts'
import type { StoredPage } from '../stored-records.ts'
import type { IndexGroup } from './index-groups.ts'
import type { Search } from './search.ts'

/**
 * A page of the records that have one of several values, in the order of the ids: the pages of the values, which are asked at once. The
 * values are those of the smallest group. `undefined` when the indexes do not tell a page.
 */
export async function unionPage(
  { isReverse, skip, limit }: Search,
  groups: readonly IndexGroup[],
  pageOf: (groups: readonly IndexGroup[], limit: number) => Promise<StoredPage | undefined>,
): Promise<StoredPage | undefined> {
  const [values = [], ...others] = [...groups].sort((one, other) => one.length - other.length)
  const all = await Promise.all(values.map((value) => pageOf([[value], ...others], skip + limit)))
  const pages = all.filter((page) => page !== undefined)
  if (pages.length < all.length) return undefined
  const sign = isReverse ? -1 : 1
  // A record may have several of the values, in a list.
  const found = new Map(
    pages.flatMap(({ records }) => records).map((one) => [idKey(one.id), one] as const),
  )
  const sorted = [...found.values()]
    .map((one) => ({ one, key: sortKey(undefined, one.id) }))
    .sort((one, other) => (one.key < other.key ? -sign : sign))
    .map(({ one }) => one)
  const records = sorted.slice(skip, skip + limit)

  return {
    records,
    hasMore: sorted.length > skip + limit || pages.some(({ hasMore }) => hasMore),
  }
}
