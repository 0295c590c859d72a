import { propertiesOf } from '../contract/schema-properties.ts'
import type { Resource } from './bind.ts'
import { type IdMaker, idMakerFor } from './id.ts'
import { Records, type RecordsSnapshot } from './records.ts'

/** The records of every resource, by its name. */
export type Store = ReadonlyMap<string, Records>

/** A store with these records in it. Ids are made from the seed. Rejects with an InvalidRecordError. */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
): Promise<Store> {
  const store = new Map(
    resources.map((resource) => [resource.name, new Records(resource, createIds(resource, seed))]),
  )
  for (const [name, records] of store) {
    await records.restore(snapshots.get(name) ?? { rows: [] })
  }
  return store
}

/** Another store of the same records. A change in either does not show in the other. */
export function forkStore(store: Store): Store {
  return new Map([...store].map(([name, records]) => [name, records.fork()]))
}

function createIds(resource: Resource, seed: number): IdMaker {
  const maker = idMakerFor(propertiesOf(resource.schema).get(resource.id) ?? {}, seed)
  if (!maker) throw new TypeError(`No ids can be made for ${resource.name}`)
  return maker
}
