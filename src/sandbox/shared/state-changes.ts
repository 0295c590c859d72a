import type { WorldState } from '../../engine/world-state.ts'
import type { Commit, Replacement } from '../../state/stored-commit.ts'
import type {
  LoadedWorld,
  StoredAccount,
  StoredClock,
  StoredRule,
} from '../../state/stored-state.ts'
import { configurationOf, readConfiguration, toText, withoutSpentRules } from './configuration.ts'
import { leadOf } from './load-state.ts'

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
function storedClockOf(loaded: LoadedWorld, { clock }: WorldState): StoredClock {
  const present = clock.snapshot()
  return { ...present, offset: present.offset - leadOf(loaded) }
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

/** How often each rule of a state was forced. */
export function countsOf({ rules }: Pick<WorldState, 'rules'>): ReadonlyMap<number, StoredRule> {
  const counts = [...rules.read()].map(
    ([id, { matched, forced, random }]) => [id, { matched, forced, random }] as const,
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

/** Whether two values of plain data are equal. */
export function areEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  const [names, others] = [Object.keys(one), Object.keys(other)]

  return (
    names.length === others.length &&
    names.every((name) => areEqual(Reflect.get(one, name), Reflect.get(other, name)))
  )
}
