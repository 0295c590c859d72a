import type { Contract } from '../contract/contract.ts'
import { listedValues, propertiesOf } from '../contract/schema.ts'
import { hasPlaceholders } from '../contract/templates.ts'
import { wordsOf } from '../inference/id-property.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { addGivenRecord } from '../resources/behaviour/add-record.ts'
import { resourceNamed } from '../resources/bind.ts'
import { hasParents } from '../resources/collection-name.ts'
import { applyEffect } from '../resources/effects.ts'
import { idOf } from '../resources/id-generator.ts'
import type { Resource } from '../resources/resource.ts'
import type { RecordChange } from '../resources/store/record-change.ts'
import type { Store } from '../resources/store/store.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import { kindNamed, namesAction } from './event-names.ts'
import { actionsOn } from './known-events.ts'

// What an event that is sent by hand is about: its name tells the collection and what happened there.

/** What a name says: records of which collection, and what happened to one. */
interface Named {
  readonly kind: RecordChange['kind']
  readonly resource: Resource
}

/** The collections that the name of an event may mean. A record below others needs more than a name. */
function collectionsNamed(type: string, contract: Contract): readonly Named[] {
  return Object.entries(contract.resources ?? {}).flatMap(([name, hints]) => {
    const path = contract.resourcePaths?.[name] ?? hints?.path ?? ''
    const kind = kindNamed(type, path)
    const resource = kind && resourceNamed(contract, name)
    return resource && !hasParents(resource) ? { kind, resource } : []
  })
}

/** What may have happened by the name of an event: to the first record of the collection. */
export async function changeNamed(
  type: string,
  contract: Contract,
  store: Store,
): Promise<RecordChange | undefined> {
  for (const { kind, resource } of collectionsNamed(type, contract)) {
    const records = await store.open(resource)
    const { records: rows } = await records.page({ limit: 1 })
    const [record] = rows
    if (record) return { kind, resource, collection: records.name, record }
  }
  return undefined
}

/** A change of a record that was made for it, and how to undo that. */
interface MadeChange {
  readonly change: RecordChange
  readonly undo: () => Promise<void>
}

/**
 * The same, to a record that is made for the event: as the action leaves it that the name tells, else with the value that it tells. Of an
 * event about a removed record, the record is gone.
 */
export async function makeChangeNamed(
  type: string,
  { service, contract }: { readonly service: AnsweringService; readonly contract: Contract },
  store: Store,
  now: number,
): Promise<MadeChange | undefined> {
  const [named] = collectionsNamed(type, contract)
  if (!named) return undefined
  const { kind, resource } = named
  const records = await store.open(resource)
  const values = valuesNamed(type, resource, now)
  const record = await addGivenRecord({ records, parameters: {}, service }, values, now)
  const id = idOf(record, resource.id) ?? ''
  if (kind === 'deleted') await records.remove(id)

  return {
    change: { kind, resource, collection: records.name, record },
    undo: () => records.undo(id, undefined, record),
  }
}

/** The values that the name of an event tells: `cancelled` of `order.cancelled`. */
function valuesNamed(type: string, resource: Resource, now: number): StoredRecord {
  const { path, schema } = resource
  const action = actionsOn(resource).find(({ name }) => namesAction(type, { path, action: name }))
  const { set } = action?.hints ?? {}
  if (set && !hasPlaceholders(set)) return applyEffect({}, { set }, now, schema)
  const last = wordsOf(type).at(-1)
  const values = [...propertiesOf(schema)].flatMap(([name, property]) => {
    const value = listedValues(property).find((one) => wordsOf(String(one)).join('') === last)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}
