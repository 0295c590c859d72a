import type { RecordTypes } from '../../contract/contract.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import type { AnsweringService } from '../../responses/answering-service.ts'
import { roundedValue } from '../../validation/large-integers.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { requireCollection } from '../bind.ts'
import { asUnchecked, withoutHidden } from '../hidden-properties.ts'
import { idOf, typedId } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import type { ChangeListener, RecordChange } from '../store/record-change.ts'
import type { Records } from '../store/records.ts'
import { settleDue } from '../store/settle.ts'
import type { Store } from '../store/store.ts'
import { removeBelow } from '../views/aliases.ts'
import { shownOf } from '../views/record-view.ts'
import { type AddressedRecords, addGivenRecord } from './add-record.ts'
import { checkChanges, checkNew, checkQuery, refuseInvalid } from './check-collection.ts'
import { counted, countedByAliases } from './counts.ts'
import type { Change } from './record-request.ts'

/** Reads and changes the records of one collection. It returns copies. */
export interface RecordCollection<Types extends RecordTypes = RecordTypes> {
  /** How many records there are. */
  count(): Promise<number>
  /**
   * The records in ascending order of their ids that match `where`, at most `limit`. Rejects with a UsageError for a property
   * that no record can have.
   */
  list(query?: RecordQuery<Types['record']>): Promise<Types['record'][]>
  /** One record, by its id or what else a path may name it by; `undefined` when there is none. */
  get(id: Types['id']): Promise<Types['record'] | undefined>
  /**
   * Adds a record as the API does: the service sets its properties and the defaults. `values` may include an id and read-only
   * properties. Rejects with a UsageError for values that the contract does not allow, and for unknown properties.
   */
  create(values: Types['created']): Promise<Types['record']>
  /**
   * Changes the given properties. The id stays. Rejects with a UsageError when no record has this id, and for values that the
   * contract does not allow.
   */
  update(id: Types['id'], changes: Partial<Types['record']>): Promise<Types['record']>
  /** Removes a record. Resolves with `false` when no record has this id. */
  remove(id: Types['id']): Promise<boolean>
}

/** Which records of a collection to list. */
export interface RecordQuery<Record> {
  /** The value that each of these properties must have, or a list of values of which it must have one. */
  readonly where?: { readonly [Name in keyof Record]?: Record[Name] | readonly Record[Name][] }
  /** How many of the matching records are left out at the start; default: 0. */
  readonly skip?: number
  /** The most records; default: all. */
  readonly limit?: number
}

/** The records of a collection, the ids of its parents, and the store that has them. */
interface OpenedRecords extends Omit<AddressedRecords, 'service'> {
  readonly store: Store
}

/** What has the collections. */
export interface CollectionOwner {
  readonly service: AnsweringService
  readonly openStore: () => Promise<Store>
  readonly now: () => number
  /** Called with a function that undoes each change. */
  readonly onChange?: ((undo: () => Promise<void>) => void) | undefined
  /** Told of what happened to records, before a call resolves. Events tell of it. */
  readonly tell?: ChangeListener | undefined
}

/** A collection by its name or path. Throws a UsageError for an unknown one. */
export function collectionNamed(
  { service, openStore, now, onChange, tell }: CollectionOwner,
  name: string,
): RecordCollection {
  const { resource, parameters: given } = requireCollection(name, service.settings.contract)
  const open: Parameters<typeof openCollection>[1] = async () => {
    const store = await openStore()
    const parameters = await store.locate(resource, given)
    return { records: await store.open(resource, parameters), parameters, store }
  }
  return openCollection(service, open, now, { onChange, tell })
}

/**
 * A collection of a service, for tests and the control interface. `open` resolves when the first records are stored. `now` is
 * the time for dates that the service sets.
 */
function openCollection(
  service: AnsweringService,
  open: () => Promise<OpenedRecords>,
  now: () => number,
  { onChange, tell }: Pick<CollectionOwner, 'onChange' | 'tell'>,
): RecordCollection {
  const opened = async (): Promise<OpenedRecords> => {
    const found = await open()
    await settleDue(found.records, found.store, now(), tell)
    return found
  }
  const records = async (): Promise<Records> => (await opened()).records
  const changed = async (
    change: Omit<RecordChange, 'resource' | 'collection'>,
    { records: { resource, name }, store }: OpenedRecords,
    undo: () => Promise<void>,
  ): Promise<void> => {
    onChange?.(undo)
    await tell?.([{ ...change, resource, collection: name }], store)
  }

  return {
    count: async () => (await records()).count(),
    list: async (query = {}) => {
      const found = await records()
      checkQuery(query, found.resource)
      const { records: listed } = await found.page(query)
      return listed.map((record) => shown(record, found.resource))
    },
    get: async (id) => {
      const found = await records()
      const record = await found.get(await idNamed(id, found))
      return record && shown(record, found.resource)
    },
    create: async (given) => {
      const found = await opened()
      const { records: present } = found
      const { resource } = present
      const values = checkNew(given, resource)
      const added = addGivenRecord({ ...found, service }, values, now())
      const record = await added.catch(refuseInvalid(resource))
      const id = idOf(record, resource.id) ?? ''
      const undo = (): Promise<void> => present.undo(id, undefined, record)
      await changed(
        { kind: 'created', record },
        found,
        await undoOfCounted({ record, added: 1, undo }, found, service),
      )
      return shown(record, resource)
    },
    update: async (name, given) => {
      const found = await opened()
      const id = await idNamed(name, found.records)
      const { record, before, undo } = await updateIn(found, { id, given, service })
      await changed({ kind: 'updated', record, ...(before && { before }) }, found, undo)
      return shown(record, found.records.resource)
    },
    remove: async (id) => {
      const found = await opened()
      const removed = await removeFrom(found, await idNamed(id, found.records), service)
      if (removed) await changed({ kind: 'deleted', record: removed.record }, found, removed.undo)
      return removed !== undefined
    },
  }
}

/** The id of the record that a name means as in a path: by its id of either type, or by a further key. Another name stays as it is. */
async function idNamed(name: Id, records: Records): Promise<Id> {
  if (await records.get(name)) return name
  const id = typedId(String(await records.idNamed(String(name))), records.resource)
  return (await records.get(id)) ? id : name
}

/** Changes a record. Resolves with it, the one before, and a function that undoes it. Rejects with a UsageError. */
async function updateIn(
  opened: OpenedRecords,
  {
    id,
    given,
    service,
  }: {
    readonly id: Id
    readonly given: StoredRecord
    readonly service: AnsweringService
  },
): Promise<Required<Pick<Change, 'record' | 'undo'>> & Pick<Change, 'before'>> {
  const { records } = opened
  const { resource, name } = records
  const changes = checkChanges(given, id, resource, await records.get(id))
  let before: StoredRecord | undefined
  const change = async (record: StoredRecord): Promise<StoredRecord> => {
    before = record
    const all = await shownOf(record, { resource, collection: name, service })
    const changed = { ...all, ...record, ...changes }
    return roundedValue(changes) === changes ? changed : asUnchecked(changed, resource)
  }
  const record = await records.update(id, change).catch(refuseInvalid(resource))
  if (!record) throw unknownRecord(id, resource)

  const undo = (): Promise<void> => records.undo(id, before, record)
  const own = { record, ...(before && { before }) }

  return { ...own, undo: await undoOfCounted({ ...own, undo }, opened, service) }
}

/** Removes a record with what is below it. Resolves with it and a function that undoes it; with `undefined` when there is no such record. */
async function removeFrom(
  opened: OpenedRecords,
  id: Id,
  service: AnsweringService,
): Promise<{ readonly record: StoredRecord; readonly undo: () => Promise<void> } | undefined> {
  const { records, parameters, store } = opened
  const record = await records.get(id)
  if (!((await records.remove(id)) && record)) return undefined
  const undoBelow = await removeBelow(records.resource, { parameters, record, store })

  const undo = async (): Promise<void> => {
    await records.undo(id, record, undefined)
    await undoBelow()
  }
  return { record, undo: await undoOfCounted({ record, added: -1, undo }, opened, service) }
}

/** Changes the counts and lists of the records above, as requests do. Resolves with a function that undoes the whole change. */
async function undoOfCounted(
  change: Change & { readonly undo: () => Promise<void> },
  { records: { resource, name }, parameters, store }: OpenedRecords,
  service: AnsweringService,
): Promise<() => Promise<void>> {
  const view = { collection: name, service }
  const place = { store, parameters, binding: { resource }, view }
  const whole = await countedByAliases(await counted(change, place), place)

  return whole.undo ?? change.undo
}

export function unknownRecord(id: Id, { name }: Resource): UsageError {
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
