import { getOwn } from '../validation/objects.ts'
import type { WrittenRecord } from './collection-writes.ts'
import { matches } from './conditions.ts'
import { idKey } from './id-key.ts'
import type { Page, PageQuery, StoredRecord } from './record-table.ts'
import { sortKey } from './sort-key.ts'
import type { StoredPage } from './stored-records.ts'

type Row = Pick<WrittenRecord, 'id'> & { readonly record: StoredRecord }

/** A page of the records of the store, with the few that a transaction has written in their places. */
export async function pageWith(
  query: PageQuery,
  writes: () => readonly WrittenRecord[],
  ask: (query: PageQuery) => Promise<StoredPage>,
): Promise<Page> {
  const { limit = Number.POSITIVE_INFINITY, skip = 0 } = query
  if (limit < 1) return { records: [] }
  const written = writes()
  if (written.length === 0) {
    const { records, hasMore } = await ask(query)
    return toPage(query, records.flatMap(rowOf), hasMore)
  }
  const { skip: _, limit: __, ...rest } = query
  // As many more as may be removed, or in another place.
  const most = limit === Number.POSITIVE_INFINITY ? {} : { limit: skip + limit + written.length }
  const page = await ask({ ...rest, ...most })
  const isBefore = query.before !== undefined
  const rows = merge(query, page.records.flatMap(rowOf), writes())
  const inWalk = isBefore ? rows.reverse() : rows
  const found = inWalk.slice(skip, skip + limit)
  const hasMore = page.hasMore || inWalk.length > skip + limit

  return toPage(query, isBefore ? found.reverse() : found, hasMore)
}

function rowOf({ id, record }: WrittenRecord | StoredPage['records'][number]): Row | [] {
  return record ? { id, record } : []
}

/** In the order of the list. */
function merge(query: PageQuery, stored: readonly Row[], written: readonly WrittenRecord[]): Row[] {
  const { where = {}, sort, before, after } = query
  const conditions = Object.entries(where)
  const by = sort?.by
  const keyOf = ({ id, record }: Row): string =>
    sortKey(by === undefined ? undefined : getOwn(record, by), id)
  const direction = sort?.descending ? -1 : 1
  const compare = (one: string, other: string): number =>
    one === other ? 0 : (one < other ? -1 : 1) * direction
  const start = before ?? after
  const startKey = start === undefined ? undefined : keyAt(start, by)
  const isInRange = (row: Row): boolean => {
    if (startKey === undefined) return true
    const place = compare(keyOf(row), startKey)
    return before === undefined ? place > 0 : place < 0
  }
  const replaced = new Set(written.map(({ id }) => idKey(id)))
  const own = written
    .flatMap(rowOf)
    .filter((row) => matches(row.record, conditions) && isInRange(row))
  const kept = stored.filter(({ id }) => !replaced.has(idKey(id)))

  return [...kept, ...own].sort((one, other) => compare(keyOf(one), keyOf(other)))
}

function keyAt(start: NonNullable<PageQuery['after']>, by: string | undefined): string {
  const place = typeof start === 'object' ? start : { id: start }
  return sortKey(by === undefined ? undefined : place.value, place.id)
}

function toPage({ before }: PageQuery, rows: readonly Row[], hasMore: boolean): Page {
  const [first] = rows
  const last = rows.at(-1)
  const records = rows.map(({ record }) => record)
  if (!first || !last) return { records }
  if (before === undefined) return hasMore ? { records, next: last.id } : { records }
  // The record before which the page ends follows it.
  return { records, next: last.id, ...(hasMore && { previous: first.id }) }
}
