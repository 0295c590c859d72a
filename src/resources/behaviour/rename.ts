import type { Id, StoredRecord } from '../../records/record-table.ts'
import { RENAMED } from '../hidden-properties.ts'
import { shownId } from '../keys.ts'
import type { Records } from '../store/records.ts'
import type { RecordRequest } from './record-request.ts'
import { chosenId } from './sent-record.ts'

// Clients may change the name that they chose as the id of a record. It is then found by both names.

/** The record with the name that a change gives to it. A name that another record has is not given. */
export async function renamed(
  record: StoredRecord,
  { admitted, binding, records }: Pick<RecordRequest, 'admitted' | 'binding' | 'records'>,
): Promise<StoredRecord> {
  const { resource } = records
  if (!resource.hidden.has(RENAMED)) return record
  const name = chosenId(admitted, binding)
  if (typeof name !== 'string' || name === '' || name === shownId(record, resource)) return record
  const { [RENAMED]: _, ...first } = record
  if (name === record[resource.id]) return first

  return (await recordNamed(name, records)) ? record : { ...record, [RENAMED]: name }
}

/** The record that has a name or an id, whether it was created or renamed with it. */
export async function recordNamed(name: Id, records: Records): Promise<StoredRecord | undefined> {
  const found = await records.get(name)
  const isName = typeof name === 'string' && records.resource.hidden.has(RENAMED)

  return found ?? (isName ? records.get(await records.idNamed(name)) : undefined)
}
