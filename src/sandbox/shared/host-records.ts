import type { WorldState } from '../../engine/world-state.ts'
import { hasParents } from '../../resources/collection-name.ts'
import { writeCollections } from '../../resources/first-state.ts'
import type { StoredRecords } from '../../state/stored-records.ts'

/**
 * Which records of a state are written: none when it has those that every world starts with, those of the collections that were
 * used, or those of all collections without parents.
 */
export type WrittenRecords = 'none' | 'opened' | 'all'

/** Writes the records of a state in memory to the store. */
export async function writeRecords(
  { store: present, service }: WorldState,
  target: StoredRecords,
  written: WrittenRecords,
): Promise<void> {
  if (written === 'none') return
  const store = await present
  if (written === 'all') {
    for (const resource of service.resources) {
      if (!hasParents(resource)) await store.open(resource)
    }
  }
  await writeCollections(await store.opened(), target)
}
