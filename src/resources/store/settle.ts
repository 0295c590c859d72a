import type { Schema } from '../../contract/contract.ts'
import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { areEqual } from '../../validation/objects.ts'
import { mergeValues, pendingOf, refusedTransition, withPending } from '../effects.ts'
import { DUE, withoutHidden } from '../hidden-properties.ts'
import { idOf } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import type { ChangeListener, RecordChange } from './record-change.ts'
import type { Records } from './records.ts'
import type { Store } from './store.ts'

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
  const changes = await Promise.all(due.map((record) => settleRecord(record, records, now)))
  const told = changes.flat().sort((one, other) => one.at - other.at)
  if (tell && told.length > 0) await tell(told, store)
  if (due.length === BATCH) await settleDue(records, store, now, tell)
}

/** Makes the changes of a record that have happened. Resolves with those that clients can see. */
async function settleRecord(
  record: StoredRecord,
  records: Records,
  now: number,
): Promise<readonly SettledRecordChange[]> {
  const { resource, name: collection } = records
  let settled: readonly SettledChange[] = []
  await records.update(idOf(record, resource.id) ?? '', (present) => {
    settled = settle(present, now, resource.schema)
    return settled.at(-1)?.record ?? present
  })
  const isSeen = ({ before, record }: SettledChange): boolean =>
    !areEqual(withoutHidden(before, resource), withoutHidden(record, resource))

  return settled
    .filter(isSeen)
    .map((change) => ({ kind: 'updated', resource, collection, ...change }))
}

type SettledRecordChange = RecordChange & Required<Pick<RecordChange, 'at'>>

/** A change of a record that has happened since, at its own time. */
export interface SettledChange {
  /** Epoch milliseconds. */
  readonly at: number
  readonly before: StoredRecord
  readonly record: StoredRecord
}

/** The changes of a record that have happened until a time, the first one first. One that its `from` refuses changes nothing. */
export function settle(
  record: StoredRecord,
  now: number,
  schema?: Schema,
): readonly SettledChange[] {
  if (!(Number(record[DUE]) <= now)) return []
  const pending = pendingOf(record)
  const changes: SettledChange[] = []
  let present = record
  for (const [index, { at, set, from }] of pending.entries()) {
    if (at > now) break
    const before = present
    const changed = refusedTransition(before, from) ? before : mergeValues(before, set, at, schema)
    present = withPending(changed, pending.slice(index + 1))
    changes.push({ at, before, record: present })
  }
  return changes
}
