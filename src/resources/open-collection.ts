import type { Contract } from '../contract/contract.ts'
import { toInputErrors } from '../contract/validation-errors.ts'
import { UsageError } from '../validation/usage-error.ts'
import type * as Checks from './check-collection-call.ts'
import { idOf } from './id-generator.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { RecordCollection } from './record-collection.ts'
import type { StoredRecord } from './record-index.ts'
import { completeRecord } from './record-values.ts'
import type { Records } from './records.ts'

/** The checks of arguments, loaded with the first call: most pages never call a collection. */
function loadChecks(): Promise<typeof Checks> {
  return import('./check-collection-call.ts')
}

/**
 * A collection of a contract, for tests and the control interface. `records` resolves when the first records are stored. `now` is
 * the time for dates that the service sets. `onChange` gets a function that undoes the change.
 */
export function openCollection(
  contract: Contract,
  records: () => Promise<Records>,
  now: () => number,
  onChange: (undo: () => Promise<void>) => void = () => undefined,
): RecordCollection {
  return {
    count: async () => (await records()).size,
    list: async (query = {}) => {
      const [found, { checkQuery }] = await Promise.all([records(), loadChecks()])
      checkQuery(query, found.resource, contract)
      return structuredClone([...found.page(query).records])
    },
    get: async (id) => structuredClone((await records()).get(id)),
    create: async (values) => {
      const [present, checks] = await Promise.all([records(), loadChecks()])
      const { resource } = present
      checks.checkNew(values, resource, contract)
      const completed = completeRecord(resource, values, now())
      const record = await present.create(completed).catch(asUsageError(present, checks))
      const id = idOf(record, resource.id) ?? ''
      onChange(() => present.undo(id, undefined, record))
      return structuredClone(record)
    },
    update: async (id, changes) => {
      const [present, checks] = await Promise.all([records(), loadChecks()])
      const { resource } = present
      checks.checkChanges(changes, id, resource, contract)
      let before: StoredRecord | undefined
      const change = (record: StoredRecord): StoredRecord => {
        before = record
        return { ...record, ...changes }
      }
      const record = await present.update(id, change).catch(asUsageError(present, checks))
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
      const record = present.get(id)
      const isRemoved = await present.remove(id)
      if (record && isRemoved) onChange(() => present.undo(id, record, undefined))
      return isRemoved
    },
  }
}

function asUsageError(
  { resource: { name } }: Records,
  { invalidRecord }: typeof Checks,
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof InvalidRecordError)) throw error
    throw invalidRecord(`change ${name}`, toInputErrors('', error.errors), error)
  }
}
