import { findCollection, hasParents, parentsFirst } from './collection-name.ts'
import { createRecords } from './create-records.ts'
import { withIds } from './ids/with-ids.ts'
import type { MemoryStore } from './memory-store.ts'
import type { RecordsSnapshot } from './records.ts'
import type { Resource } from './resource.ts'

/** Adds the collections with parents to a store, those of the parents first. Rejects with an InvalidRecordError. */
export async function restoreNested(
  store: MemoryStore,
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
): Promise<void> {
  const named = [...snapshots].map(([name, saved]) => ({ name, saved }))
  for (const { name, saved } of parentsFirst(named)) {
    const found = findCollection(resources, name)
    if (!found || !hasParents(found.resource)) continue
    const records = createRecords(withIds(found.resource), seed, found.name)
    await records.restore(saved)
    await store.add(records)
  }
}
