import type { OtherChangeHints } from '../../contract/hints.ts'
import { propertiesOf } from '../../contract/schema.ts'
import {
  filled,
  filledForComparison,
  filledPath,
  type LookUp,
  placeholdersIn,
  valueIn,
} from '../../contract/templates.ts'
import { uuid } from '../../generate/named-values.ts'
import { RandomSource } from '../../generate/random.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { isObject } from '../../validation/objects.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { collectionIn } from '../bind.ts'
import { applyEffect } from '../effects.ts'
import { schemasOf } from '../first-records/given-records.ts'
import { idOf, typedId } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import type { RecordChange } from '../store/record-change.ts'
import { valuesFor } from './operation-scope.ts'
import { collectionNamed } from './record-collection.ts'
import type { Change, RecordRequest } from './record-request.ts'

/** A change of a record, with what the operation changes, adds and removes in other records: all of it, or nothing. */
export async function withOtherChanges(change: Change, request: RecordRequest): Promise<Change> {
  const { also = [] } = request.binding.hints
  const undos = change.undo ? [change.undo] : []
  const others: RecordChange[] = []
  const undo = async (): Promise<void> => {
    for (const one of undos.reverse()) await one()
  }
  try {
    for (const [at, hints] of also.entries())
      await changeOthers({ ...hints, at }, change.record, request, { undos, others })
  } catch (error) {
    await undo()
    throw error
  }
  return { ...(await latest(change, request)), undo, ...(others.length > 0 && { others }) }
}

/** The change, with the record as the changes of others have left it: it may count or list them. */
async function latest(change: Change, { records, binding }: RecordRequest): Promise<Change> {
  const id = idOf(change.record, binding.resource.id)
  const record = id === undefined ? undefined : await records.get(id)
  return record ? { ...change, record } : change
}

async function changeOthers(
  hints: OtherChangeHints & { readonly at: number },
  record: StoredRecord,
  request: RecordRequest,
  { undos, others }: { readonly undos: (() => Promise<void>)[]; readonly others: RecordChange[] },
): Promise<void> {
  const { admitted, store } = request
  const { service, now } = admitted
  const lookUp = valuesFor(request, record)
  const path = filledPath(hints.in, lookUp)
  const found = collectionIn(service.settings.contract, path)
  if (!found) return
  const { resource } = found
  const collection = collectionNamed(
    {
      service,
      openStore: () => Promise.resolve(store),
      now: () => now,
      onChange: (undo) => void undos.push(undo),
      tell: (changes) => void others.push(...changes),
    },
    path,
  )
  // Each record gets a UUID of its own, and another one with each change.
  const valuesOf = (name: unknown, present?: StoredRecord): StoredRecord => {
    const own: LookUp = (names, place) => {
      if (names[0] !== 'uuid') return lookUp(names, place)
      const before = String(valueIn(present, place))
      const { seed } = service.settings
      return uuid(RandomSource.from([seed, path, hints.at, String(name), before, ...place]))
    }
    const given = filled(hints.set ?? {}, own)
    return applyEffect({}, { set: isObject(given) ? given : {} }, now, resource.schema)
  }
  const hasUuid = placeholdersIn(hints.set).some(([name]) => name === 'uuid')
  // The id of a new record is not known yet: the ids of the others tell it from those.
  const presentNames = async (): Promise<string> =>
    hasUuid ? (await collection.list()).map((one) => String(idOf(one, resource.id))).join() : ''
  if (hints.each !== undefined) {
    const items = [filled(hints.each, lookUp)].flat().filter(isObject)
    for (const item of items) {
      const values = valuesOf(await presentNames())
      await addItem({ ...item, ...values }, resource, collection)
    }
    return
  }
  if (hints.id === undefined && hints.where === undefined) {
    await collection.create(valuesOf(await presentNames()))
    return
  }
  const where = filledForComparison(hints.where, lookUp)
  const ids = isObject(where)
    ? (await collection.list({ where })).flatMap((one) => idOf(one, resource.id) ?? [])
    : await presentIds(String(filled(hints.id, lookUp)), resource, collection)
  for (const id of ids)
    await (hints.remove
      ? collection.remove(id)
      : collection.update(id, valuesOf(id, await collection.get(id))))
}

/** Adds a record of an item, with what such records have. An item that cannot be one, as when its id is taken, adds none. */
async function addItem(
  item: StoredRecord,
  resource: Resource,
  collection: ReturnType<typeof collectionNamed>,
): Promise<void> {
  const schemas = schemasOf(resource)
  const known = Object.entries(item).filter(([name]) =>
    schemas.some((one) => propertiesOf(one).has(name)),
  )
  try {
    await collection.create(Object.fromEntries(known))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
  }
}

/** The id that a text means, if there is a record with it. */
async function presentIds(
  text: string,
  resource: Resource,
  collection: ReturnType<typeof collectionNamed>,
): Promise<readonly Id[]> {
  const id = typedId(text, resource)
  return (await collection.get(id)) ? [id] : []
}
