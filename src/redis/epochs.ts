import type { Service } from '../engine/service.ts'
import type { WorldState } from '../engine/world-state.ts'
import { writeCollections } from '../resources/store/transaction-collections.ts'
import { configurationOf, toText } from './configuration.ts'
import { accountsOf, countsOf } from './state-changes.ts'
import { StoredDeliveries } from './stored-deliveries.ts'
import type { NewEpoch, StoredWorld } from './world-store.ts'

/** What a state does not tell about the epoch that begins with it. */
interface EpochStart {
  /** How far the clock of the store is ahead of the machine's, in milliseconds, when the clock of the state is at a given time. */
  readonly lead?: number | undefined
  /** The scenario whose records the collections start with; by default, they are those of the settings. */
  readonly recordsOf?: string | undefined
}

/** A state as the beginning of an epoch, without its records. */
export function newEpochOf(state: WorldState, { lead = 0, recordsOf }: EpochStart = {}): NewEpoch {
  const clock = state.clock.snapshot()
  return {
    epoch: crypto.randomUUID(),
    text: toText(configurationOf(state, recordsOf)),
    clock: { ...clock, offset: clock.offset - lead },
    random: state.random.state,
    accounts: accountsOf(state),
    rules: countsOf(state),
  }
}

/** How an epoch starts that begins with the scenario of this name. `lead` is how far the clock of the store is ahead of the machine's. */
export function epochStart(
  service: Service,
  lead: number,
  name: string | undefined = service.settings.scenario,
): EpochStart {
  const scenario = name === undefined ? undefined : service.scenario(name)
  return {
    // A scenario sets its clock to a time; without one, the clock is that of the store.
    ...(scenario?.clock !== undefined && { lead }),
    ...(scenario?.records !== undefined && { recordsOf: name }),
  }
}

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
    const store = await state.openStore()
    const sent = state.events.snapshot()
    if (sent) await (await StoredDeliveries.open(store)).restore(sent)
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
