import { propertiesOf } from '../contract/schema-properties.ts'
import type { Resource } from './bind.ts'
import { createIdGenerator, type IdGenerator } from './id-generator.ts'
import { Records, type RecordsSnapshot } from './records.ts'

/** The records of each resource, by the name of the resource. */
export type Store = ReadonlyMap<string, Records>

/** Creates a store with these records. Ids are generated from the seed. Rejects with an InvalidRecordError. */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
): Promise<Store> {
  const store = new Map(
    resources.map((resource) => [
      resource.name,
      new Records(resource, idGeneratorOf(resource, seed)),
    ]),
  )
  for (const [name, records] of store) {
    await records.restore(snapshots.get(name) ?? { rows: [] })
  }
  return store
}

/** A store with the same records. Changing one store does not change the other. */
export function forkStore(store: Store): Store {
  return new Map([...store].map(([name, records]) => [name, records.fork()]))
}

function idGeneratorOf(resource: Resource, seed: number): IdGenerator {
  const generator = createIdGenerator(propertiesOf(resource.schema).get(resource.id) ?? {}, seed)
  if (!generator) throw new TypeError(`Cannot generate ids for ${resource.name}`)
  return generator
}
