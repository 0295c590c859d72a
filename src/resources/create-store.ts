import { createRecords, type OpenRecords } from './create-records.ts'
import { MemoryStore } from './memory-store.ts'
import type { Records, RecordsSnapshot } from './records.ts'
import type { Resource } from './resource.ts'

/**
 * Creates a store with the records of collections without parents, by their names; `restoreNested` adds those of the others. Ids are
 * generated from the seed. Rejects with an InvalidRecordError.
 */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
  open: OpenRecords = async (resource, name) => createRecords(resource, seed, name),
): Promise<MemoryStore> {
  const opened: Records[] = []
  for (const resource of resources) {
    if (resource.parents?.length) continue
    const records = createRecords(resource, seed)
    await records.restore(snapshots.get(resource.name) ?? { rows: [] })
    opened.push(records)
  }
  return new MemoryStore(open, opened)
}
