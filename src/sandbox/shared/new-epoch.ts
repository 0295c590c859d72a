import type { WorldState } from '../../engine/world-state.ts'
import type { NewEpoch } from '../../state/stored-state.ts'
import { configurationOf, toText } from './configuration.ts'
import { accountsOf, countsOf } from './state-changes.ts'

/**
 * A state as the beginning of an epoch, without its records. `lead` is how far the clock of the store is ahead of the machine's, in
 * milliseconds, for a state that was loaded: see `leadOf`.
 */
export function newEpochOf(state: WorldState, lead = 0): NewEpoch {
  const clock = state.clock.snapshot()
  return {
    epoch: crypto.randomUUID(),
    text: toText(configurationOf(state)),
    clock: { ...clock, offset: clock.offset - lead },
    random: state.random.state,
    accounts: accountsOf(state),
    rules: countsOf(state),
  }
}
