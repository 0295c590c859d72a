import type { Service } from '../engine/service.ts'
import type { Listeners, WorldState } from '../engine/world-state.ts'
import type { Store } from '../resources/store/store.ts'
import { restoreWorldState } from '../sandbox/snapshot.ts'
import type { ClockSnapshot } from '../time/clock.ts'
import { areEqual } from '../validation/objects.ts'
import { configurationOf, readConfiguration, toText, withoutSpentRules } from './configuration.ts'
import type { Commit, LoadedWorld, Replacement, StoredAccount, StoredRule } from './world-store.ts'

/** What differs between a loaded world and its state: the part of a commit that is neither records nor journal. */
export function changesOf(
  loaded: LoadedWorld,
  state: WorldState,
): Pick<Commit, 'text' | 'clock' | 'random' | 'accounts' | 'rules'> {
  const before = readConfiguration(loaded.text, state.service.settings.contract)
  const text = toText(configurationOf(state, before.recordsOf))
  const clock = storedClockOf(loaded, state)
  const random = state.random.state
  const accounts = replacementsOf(loaded.accounts, accountsOf(state))
  const rules = replacementsOf(loaded.rules, countsOf(state))

  return {
    ...(text !== toText(withoutSpentRules(before, loaded.rules)) && { text }),
    ...(areEqual(clock, loaded.clock) ? {} : { clock }),
    ...(random !== loaded.random && { random }),
    ...(accounts.length > 0 && { accounts }),
    ...(rules.length > 0 && { rules }),
  }
}

/** The clock relative to that of the store. */
function storedClockOf(loaded: LoadedWorld, { clock }: WorldState): ClockSnapshot {
  const present = clock.snapshot()
  return { ...present, offset: present.offset - loaded.lead }
}

/** The usage and the bans of each account of a state. */
export function accountsOf({
  limits,
  bans,
}: Pick<WorldState, 'limits' | 'bans'>): ReadonlyMap<string, StoredAccount> {
  const [usages, histories] = [limits.read(), bans.read()]
  const names = new Set([...usages.keys(), ...histories.keys()])
  const accounts = [...names].map((name) => {
    const [usage, history] = [usages.get(name), histories.get(name)]
    return [name, { ...(usage && { usage }), ...(history && { history }) }] as const
  })
  return new Map(accounts)
}

/** How often each rule of a state was forced, and the state of its flow. */
export function countsOf({ rules }: Pick<WorldState, 'rules'>): ReadonlyMap<number, StoredRule> {
  const counts = [...rules.read()].map(
    ([id, { matched, forced, random, state }]) =>
      [id, { matched, forced, random, ...(state !== undefined && { state }) }] as const,
  )
  return new Map(counts)
}

function replacementsOf<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
): readonly Replacement<Key, Value>[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ key, before: before.get(key), after: after.get(key) }))
    .filter((one) => !areEqual(one.before, one.after))
}

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
  return { ...loaded.clock, offset: loaded.clock.offset + loaded.lead }
}
