import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { idOf } from '../id-generator.ts'
import type { Records } from '../records.ts'
import type { Resource } from '../resource.ts'
import { settle } from './effects.ts'
import { DUE } from './hidden-properties.ts'

/** So many changes are made before the next ones are read. */
const BATCH = 100

/**
 * Makes the changes of a collection that have happened until a time, so that reads, filters and lists see them. Costs nothing in
 * collections whose operations change nothing later.
 */
export function settleDue(records: Records, now: number): Awaitable<void> {
  if (!hasLaterChanges(records.resource)) return
  const found = records.page({ sort: { by: DUE }, limit: BATCH })

  return whenKnown(found, ({ records: next }) => {
    const due = next.filter((record) => isDue(record, now))
    return due.length === 0 ? undefined : settleAll(due, records, now)
  })
}

/** Whether an operation of the resource changes records some time later. Then they have an index of the time. */
function hasLaterChanges({ sorts = [] }: Pick<Resource, 'sorts'>): boolean {
  return sorts.includes(DUE)
}

function isDue(record: StoredRecord, now: number): boolean {
  return Number(record[DUE]) <= now
}

async function settleAll(
  due: readonly StoredRecord[],
  records: Records,
  now: number,
): Promise<void> {
  const { id: name, schema } = records.resource
  await Promise.all(
    due.map((record) =>
      records.update(idOf(record, name) ?? '', (present) => settle(present, now, schema)),
    ),
  )
  if (due.length === BATCH) await settleDue(records, now)
}
