import { type Condition, hasObjects } from '../conditions.ts'
import { idKey } from '../id-key.ts'
import { sortKey } from '../sort-key.ts'
import type { StoredPage } from '../stored-records.ts'
import type { Search } from './search.ts'

/** For more values, the records are searched one by one. */
const MAX_VALUES = 50

/**
 * A page of the records that have one of several values: the pages of the values, which are asked at once, in one order. `undefined`
 * for other conditions.
 */
export async function unionPage(
  { conditions, by, isReverse, skip, limit }: Search,
  filters: readonly string[],
  pageOf: (conditions: readonly Condition[], limit: number) => Promise<StoredPage>,
): Promise<StoredPage | undefined> {
  const [condition, ...others] = conditions
  if (!condition || others.length > 0 || by !== undefined) return undefined
  const [name, wanted] = condition
  if (!Array.isArray(wanted) || !filters.includes(name)) return undefined
  const values = [...new Set<unknown>(wanted)]
  if (values.length > MAX_VALUES || values.some(hasObjects)) return undefined

  const pages = await Promise.all(values.map((value) => pageOf([[name, value]], skip + limit)))
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
