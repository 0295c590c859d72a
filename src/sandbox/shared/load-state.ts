import type { Service } from '../../engine/service.ts'
import type { Listeners, WorldState } from '../../engine/world-state.ts'
import type { Store } from '../../resources/store.ts'
import type { LoadedWorld } from '../../state/stored-state.ts'
import type { ClockSnapshot } from '../../time/clock.ts'
import { restoreWorldState } from '../fork-state.ts'
import { readConfiguration, withoutSpentRules } from './configuration.ts'

/** How far the clock of the store is ahead of the machine's, in milliseconds, when a world was loaded. */
const leads = new WeakMap<LoadedWorld, number>()

/**
 * The state of a world that was loaded from the store, to be read and changed once; `changesOf` says what has changed. Its clock
 * runs. Throws a StoreUnavailableError when the configuration cannot be read.
 */
export function stateOf(
  service: Service,
  listeners: Listeners,
  loaded: LoadedWorld,
  store: Store,
  journal: WorldState['journal'],
): WorldState {
  const { accounts, random, rules: counts } = loaded
  const { keys, rules } = withoutSpentRules(
    readConfiguration(loaded.text, service.settings.contract),
    counts,
  )
  const state = restoreWorldState(
    service,
    listeners,
    {
      clock: clockOf(loaded),
      keys,
      limits: [...accounts].flatMap(([name, { usage }]) => (usage ? [[name, usage]] : [])),
      bans: [...accounts].flatMap(([name, { history }]) => (history ? [[name, history]] : [])),
      rules: {
        last: rules.last,
        list: rules.list.flatMap((rule) => {
          const count = counts.get(rule.id)
          return count ? { ...rule, ...count } : []
        }),
      },
      random,
    },
    Promise.resolve(store),
  )
  return { ...state, openedStore: () => store, journal }
}

/** The clock of a loaded world, relative to the clock of the machine. */
function clockOf(loaded: LoadedWorld): ClockSnapshot {
  return { ...loaded.clock, offset: loaded.clock.offset + leadOf(loaded) }
}

/** How far the clock of the store is ahead of the machine's, in milliseconds: as it was when this was asked first. */
export function leadOf(loaded: LoadedWorld): number {
  const known = leads.get(loaded)
  const lead = known ?? loaded.storeTime - Date.now()
  if (known === undefined) leads.set(loaded, lead)

  return lead
}
