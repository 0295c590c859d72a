import type { WorldState } from '../../engine/world-state.ts'
import type { StoredWorld } from '../../state/world-store.ts'
import { type WrittenRecords, writeRecords } from './host-records.ts'
import { newEpochOf } from './new-epoch.ts'

/** A state whose records are in the store already, so that all of a world changes at once when it begins. */
export interface PreparedEpoch {
  /** Begins it. Resolves with `false`, and changes nothing, when the present epoch is not `expected`. */
  begin(expected: string | undefined): Promise<boolean>
  /** Begins it, whatever the present epoch is. */
  replace(): Promise<void>
}

/** How a state becomes an epoch. */
export interface EpochOptions {
  /** How far the clock of the state is ahead of that of the store, in milliseconds. */
  readonly lead?: number
  readonly written?: WrittenRecords
}

/** Writes the records of a state. */
export async function prepareEpoch(
  stored: StoredWorld,
  state: WorldState,
  { lead = 0, written = 'opened' }: EpochOptions = {},
): Promise<PreparedEpoch> {
  const epoch = newEpochOf(state, lead)
  await writeRecords(state, stored.records(epoch.epoch), written)

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
