import type { Contract } from '../contract/contract.ts'
import { toInputErrors } from '../contract/validation-errors.ts'
import { UsageError } from '../validation/usage-error.ts'
import { checkChanges, checkNew, checkQuery, invalidRecord } from './check-collection-call.ts'
import { idOf } from './id-generator.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { RecordCollection } from './record-collection.ts'
import type { StoredRecord } from './record-index.ts'
import { completeRecord } from './record-values.ts'
import type { Records } from './records.ts'

/**
 * The records of one collection of a contract. `records` resolves once the first ones are in; `now` gives the time for the
 * dates that the service sets. `note` is given what undoes each change.
 */
export function openCollection(
  contract: Contract,
  records: () => Promise<Records>,
  now: () => number,
  note: (undo: () => Promise<void>) => void = () => undefined,
): RecordCollection {
  return {
    count: async () => (await records()).size,
    list: async (query = {}) => {
      const found = await records()
      checkQuery(query, found.resource, contract)
      return structuredClone([...found.page(query).records])
    },
    get: async (id) => structuredClone((await records()).get(id)),
    create: async (values) => {
      const present = await records()
      const { resource } = present
      checkNew(values, resource, contract)
      const record = completeRecord(resource, values, now())
      const row = await present.create(record).catch(asUsageError(present))
      const id = idOf(row, resource.id) ?? ''
      note(() => present.undo(id, undefined, row))
      return structuredClone(row)
    },
    update: async (id, changes) => {
      const present = await records()
      const { resource } = present
      checkChanges(changes, id, resource, contract)
      let before: StoredRecord | undefined
      const change = (row: StoredRecord): StoredRecord => {
        before = row
        return { ...row, ...changes }
      }
      const row = await present.update(id, change).catch(asUsageError(present))
      if (row) {
        note(() => present.undo(id, before, row))
        return structuredClone(row)
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
      const row = present.get(id)
      const isRemoved = await present.remove(id)
      if (row && isRemoved) note(() => present.undo(id, row, undefined))
      return isRemoved
    },
  }
}

function asUsageError({ resource: { name } }: Records): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof InvalidRecordError)) throw error
    throw invalidRecord(`change ${name}`, toInputErrors('', error.errors), error)
  }
}
