import type { Id, StoredRecord } from '../records/record-table.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import { UsageError } from '../validation/usage-error.ts'
import { checkChanges, checkNew, checkQuery, refuseInvalid } from './check-collection-call.ts'
import { type AddressedRecords, addGivenRecord } from './documented/add-record.ts'
import { shownOf } from './documented/record-view.ts'
import { withoutHidden } from './effects/hidden-properties.ts'
import { settleDue } from './effects/settle-due.ts'
import { idOf } from './id-generator.ts'
import type { RecordCollection } from './record-collection.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'

/** The records of a collection, and the ids of its parents. */
type OpenedRecords = Omit<AddressedRecords, 'service'>

/**
 * A collection of a service, for tests and the control interface. `open` resolves when the first records are stored. `now` is
 * the time for dates that the service sets. `onChange` gets a function that undoes the change.
 */
export function openCollection(
  service: AnsweringService,
  open: () => Promise<OpenedRecords>,
  now: () => number,
  onChange: (undo: () => Promise<void>) => void = () => undefined,
): RecordCollection {
  const { contract } = service.settings
  const opened = async (): Promise<OpenedRecords> => {
    const found = await open()
    await settleDue(found.records, now())
    return found
  }
  const records = async (): Promise<Records> => (await opened()).records

  return {
    count: async () => (await records()).count(),
    list: async (query = {}) => {
      const found = await records()
      checkQuery(query, found.resource, contract)
      const { records: listed } = await found.page(query)
      return listed.map((record) => shown(record, found.resource))
    },
    get: async (id) => {
      const found = await records()
      const record = await found.get(id)
      return record && shown(record, found.resource)
    },
    create: async (values) => {
      const found = await opened()
      const { records: present } = found
      const { resource } = present
      checkNew(values, resource, contract)
      const added = addGivenRecord({ ...found, service }, values, now())
      const record = await added.catch(refuseInvalid(resource))
      const id = idOf(record, resource.id) ?? ''
      onChange(() => present.undo(id, undefined, record))
      return shown(record, resource)
    },
    update: async (id, changes) => {
      const present = await records()
      const { resource } = present
      checkChanges(changes, id, resource, contract, await present.get(id))
      let before: StoredRecord | undefined
      const change = async (record: StoredRecord): Promise<StoredRecord> => {
        before = record
        const all = await shownOf(record, { resource, collection: present.name, service })
        return { ...all, ...record, ...changes }
      }
      const record = await present.update(id, change).catch(refuseInvalid(resource))
      if (record) {
        onChange(() => present.undo(id, before, record))
        return shown(record, resource)
      }
      throw unknownRecord(id, resource)
    },
    remove: async (id) => {
      const present = await records()
      const record = await present.get(id)
      const isRemoved = await present.remove(id)
      if (record && isRemoved) onChange(() => present.undo(id, record, undefined))
      return isRemoved
    },
  }
}

function unknownRecord(id: Id, { name }: Resource): UsageError {
  return new UsageError({
    code: 'unknown_record',
    task: `change ${name} ${id}`,
    reason: 'the record does not exist',
    help: 'Create it first.',
  })
}

/** A copy for the caller. */
function shown(record: StoredRecord, resource: Resource): StoredRecord {
  return structuredClone(withoutHidden(record, resource))
}
