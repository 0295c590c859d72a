import type { Schema } from '../../contract/contract.ts'
import { areEqual } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { idOf } from '../id-generator.ts'
import type { RecordChange } from '../record-change.ts'
import type { Records } from '../records.ts'
import { mergeValues, pendingOf, refusedTransition, withPending } from './effects.ts'
import { DUE, withoutHidden } from './hidden-properties.ts'

/** Makes the changes of a record that have happened. Resolves with those that clients can see. */
export async function settleRecord(
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
