import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { ChangeListener } from '../record-change.ts'
import type { Records } from '../records.ts'
import type { Resource } from '../resource.ts'
import type { Store } from '../store.ts'
import { DUE } from './hidden-properties.ts'

/** So many changes are made before the next ones are read. */
const BATCH = 100

/**
 * Makes the changes of a collection that have happened until a time, so that reads, filters and lists see them. Costs nothing in
 * collections whose operations change nothing later.
 */
export function settleDue(
  records: Records,
  store: Store,
  now: number,
  tell: ChangeListener | undefined,
): Awaitable<void> {
  if (!hasLaterChanges(records.resource)) return
  const found = records.page({ sort: { by: DUE }, limit: BATCH })

  return whenKnown(found, ({ records: next }) => {
    const due = next.filter((record) => isDue(record, now))
    return due.length === 0 ? undefined : settleAll(due, records, store, now, tell)
  })
}

/** Whether an operation of the resource changes records some time later. Then they have an index of the time. */
export function hasLaterChanges({ sorts = [] }: Pick<Resource, 'sorts'>): boolean {
  return sorts.includes(DUE)
}

/** The time of the next change of a record, in epoch milliseconds; `undefined` when there is none. */
export function nextChangeOf({ [DUE]: due }: StoredRecord): number | undefined {
  return typeof due === 'number' ? due : undefined
}

function isDue(record: StoredRecord, now: number): boolean {
  return Number(record[DUE]) <= now
}

async function settleAll(
  due: readonly StoredRecord[],
  records: Records,
  store: Store,
  now: number,
  tell: ChangeListener | undefined,
): Promise<void> {
  // Few documents have such changes, and a page should not load what it does not need.
  const { settleRecord } = await import('./settle-record.ts')
  const changes = await Promise.all(due.map((record) => settleRecord(record, records, now)))
  const told = changes.flat().sort((one, other) => one.at - other.at)
  if (tell && told.length > 0) await tell(told, store)
  if (due.length === BATCH) await settleDue(records, store, now, tell)
}
