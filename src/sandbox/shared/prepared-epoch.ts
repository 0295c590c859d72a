import type { WorldState } from '../../engine/world-state.ts'
import { writeCollections } from '../../resources/first-state.ts'
import type { StoredWorld } from '../../state/world-store.ts'
import { type EpochStart, newEpochOf } from './new-epoch.ts'

/** A state whose records are in the store already, so that all of a world changes at once when it begins. */
export interface PreparedEpoch {
  /** Begins it. Resolves with `false`, and changes nothing, when the present epoch is not `expected`. */
  begin(expected: string | undefined): Promise<boolean>
  /** Begins it, whatever the present epoch is. */
  replace(): Promise<void>
}

/** How a state becomes an epoch. */
export interface EpochOptions extends EpochStart {
  /** Whether the collections that were used are written. Without it, the state has the records that the epoch starts with. */
  readonly hasRecords?: boolean
  /** Whether the journal goes on, as after a restore. */
  readonly keepsJournal?: boolean
}

/** Writes the records of a state, if it has other ones than those that the epoch starts with. */
export async function prepareEpoch(
  stored: StoredWorld,
  state: WorldState,
  { hasRecords = true, keepsJournal, ...start }: EpochOptions = {},
): Promise<PreparedEpoch> {
  const epoch = { ...newEpochOf(state, start), keepsJournal }
  if (hasRecords) {
    const store = await state.store
    await writeCollections(await store.opened(), stored.records(epoch.epoch))
  }

  return {
    begin: (expected) => stored.begin(epoch, expected),
    replace: async () => {
      for (;;) {
        const present = await stored.load()
        if (await stored.begin(epoch, present?.epoch)) return
      }
    },
  }
}
