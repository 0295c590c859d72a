import { normalize } from '../../contract/normalize.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { AnsweringService } from '../../responses/answering-service.ts'
import { isObject } from '../../validation/objects.ts'
import type { Records } from '../records.ts'
import type { RecordRequest } from './record-request.ts'
import { viewOf } from './record-view.ts'
import { parentValues, timesOf } from './sent-record.ts'

/** Adds a record that has these values, and whatever its main view shows besides. */
export function addRecord(
  request: RecordPlace,
  values: StoredRecord,
  now: number,
): Promise<StoredRecord> {
  return request.records.create(knownValues(request, values, now), (record) =>
    completed(request, record),
  )
}

/** The record that `addRecord` adds, without adding it. The values have its id. */
export function makeRecord(
  request: RecordPlace,
  values: StoredRecord,
  now: number,
): Promise<StoredRecord> {
  const { id } = request.records.resource
  return completed(request, { [id]: values[id], ...knownValues(request, values, now) })
}

/** Where a record is, or may be. */
type RecordPlace = Pick<RecordRequest, 'records' | 'parameters' | 'view'>

function knownValues(
  { records: { resource }, parameters }: RecordPlace,
  values: StoredRecord,
  now: number,
): StoredRecord {
  return { ...parentValues(resource, parameters), ...timesOf(resource, now, true), ...values }
}

async function completed(
  { records: { resource }, view }: RecordPlace,
  record: StoredRecord,
): Promise<StoredRecord> {
  const hints = resource.viewHints ?? view.hints
  const main = await viewOf(record, resource.schema, { ...view, hints })

  return isObject(main) ? { ...main, ...record } : record
}

/** Where a test adds records. */
export interface AddressedRecords {
  readonly records: Records
  /** The ids of the parents, by the names of the path parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly service: AnsweringService
}

/** Adds the record that the API makes of these values. They may include an id and read-only properties. */
export function addGivenRecord(
  { records, parameters, service }: AddressedRecords,
  values: StoredRecord,
  now: number,
): Promise<StoredRecord> {
  const { resource, name: collection } = records
  const schema = resource.creation?.schema ?? resource.schema
  const normalized = normalize(schema, values, '', { useDefaults: true })
  const hints = resource.viewHints ?? { action: 'read' }
  const view = { resource, collection, hints, service }

  return addRecord({ records, parameters, view }, isObject(normalized) ? normalized : values, now)
}
