import type { AnsweringService } from '../responses/answering-service.ts'
import type { StoredRecord } from '../state/record-table.ts'
import { UsageError } from '../validation/usage-error.ts'
import type * as Checks from './check-collection-call.ts'
import type { AddressedRecords } from './documented/add-record.ts'
import { settleDue } from './effects/settle-due.ts'
import { idOf } from './id-generator.ts'
import type { RecordCollection } from './record-collection.ts'
import { completeRecord } from './record-values.ts'
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
      return structuredClone([...(await found.page(query)).records])
    },
    get: async (id) => structuredClone(await (await records()).get(id)),
    create: async (values) => {
      const [found, checks] = await Promise.all([opened(), loadChecks()])
      const { records: present } = found
      const { resource } = present
      checks.checkNew(values, resource, contract)
      const added = addRecord({ ...found, service }, values, now())
      const record = await added.catch(checks.refuseInvalid(resource))
      const id = idOf(record, resource.id) ?? ''
      onChange(() => present.undo(id, undefined, record))
      return structuredClone(record)
    },
    update: async (id, changes) => {
      const [present, checks] = await Promise.all([records(), loadChecks()])
      const { resource } = present
      checks.checkChanges(changes, id, resource, contract, await present.get(id))
      const shownBesides = await loadShown(resource)
      let before: StoredRecord | undefined
      const change = (record: StoredRecord): StoredRecord => {
        before = record
        return { ...shownBesides(record), ...record, ...changes }
      }
      const record = await present.update(id, change).catch(checks.refuseInvalid(resource))
      if (record) {
        onChange(() => present.undo(id, before, record))
        return structuredClone(record)
      }
      throw new UsageError({
        code: 'unknown_record',
        task: `change ${resource.name} ${id}`,
        reason: 'the record does not exist',
        help: 'Create it first.',
      })
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

/** Adds the record that the API makes of these values. */
async function addRecord(
  place: AddressedRecords,
  values: StoredRecord,
  now: number,
): Promise<StoredRecord> {
  const { records } = place
  const { resource } = records
  if (!resource.hasViews) return records.create(completeRecord(resource, values, now))
  const { addGivenRecord } = await import('./documented/add-record.ts')
  return addGivenRecord(place, values, now)
}

/** Finds what responses have shown of a record besides its properties: nothing, unless they show different parts of it. */
async function loadShown({ hasViews }: Resource): Promise<(record: StoredRecord) => StoredRecord> {
  if (!hasViews) return () => ({})
  const { shownBesides } = await import('./documented/record-view.ts')
  return shownBesides
}
