import type { Service } from '../../engine/service.ts'
import type { WorldState } from '../../engine/world-state.ts'
import type { NewEpoch } from '../../state/stored-state.ts'
import { configurationOf, toText } from './configuration.ts'
import { accountsOf, countsOf } from './state-changes.ts'

/** What a state does not tell about the epoch that begins with it. */
export interface EpochStart {
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
