import type { Awaitable } from '../records/awaitable.ts'
import type { Id, StoredRecord } from '../records/record-table.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import { UsageError } from '../validation/usage-error.ts'
import type * as Checks from './check-collection-call.ts'
import type { AddressedRecords } from './documented/add-record.ts'
import { withoutHidden } from './effects/hidden-properties.ts'
import { settleDue } from './effects/settle-due.ts'
import { idOf } from './id-generator.ts'
import type { RecordCollection } from './record-collection.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'

/** The checks of arguments, loaded with the first call: most pages never call a collection. */
function loadChecks(): Promise<typeof Checks> {
  return import('./check-collection-call.ts')
}

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
      const [found, { checkQuery }] = await Promise.all([records(), loadChecks()])
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
      const [found, checks] = await Promise.all([opened(), loadChecks()])
      const { records: present } = found
      const { resource } = present
      checks.checkNew(values, resource, contract)
      const added = addRecord({ ...found, service }, values, now())
      const record = await added.catch(checks.refuseInvalid(resource))
      const id = idOf(record, resource.id) ?? ''
      onChange(() => present.undo(id, undefined, record))
      return shown(record, resource)
    },
    update: async (id, changes) => {
      const [present, checks] = await Promise.all([records(), loadChecks()])
      const { resource } = present
      checks.checkChanges(changes, id, resource, contract, await present.get(id))
      const shownOf = await loadShown(present, service)
      let before: StoredRecord | undefined
      const change = async (record: StoredRecord): Promise<StoredRecord> => {
        before = record
        return { ...(await shownOf(record)), ...record, ...changes }
      }
      const record = await present.update(id, change).catch(checks.refuseInvalid(resource))
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

/** Adds the record that the API makes of these values. */
async function addRecord(
  place: AddressedRecords,
  values: StoredRecord,
  now: number,
): Promise<StoredRecord> {
  const { addGivenRecord } = await import('./documented/add-record.ts')
  return addGivenRecord(place, values, now)
}

/** Loads what finds all that responses show of a record: nothing, unless they show different parts of it. */
async function loadShown(
  { resource, name: collection }: Records,
  service: AnsweringService,
): Promise<(record: StoredRecord) => Awaitable<StoredRecord>> {
  const { shownOf } = await import('./documented/record-view.ts')
  return (record) => shownOf(record, { resource, collection, service })
}
