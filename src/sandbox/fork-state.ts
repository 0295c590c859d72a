import type { BanHistory } from '../access/ban.ts'
import type { KeysSnapshot } from '../access/keys.ts'
import type { Usage } from '../access/quota.ts'
import type { Service } from '../engine/service.ts'
import { assembleWorldState, type Listeners, type WorldState } from '../engine/world-state.ts'
import type { RulesSnapshot } from '../forcing/rules.ts'
import { Random } from '../generate/random.ts'
import type { Store } from '../resources/store.ts'
import type { ClockSnapshot } from '../time/clock.ts'

/** The version of the format of snapshots. Snapshots of another version are rejected. */
export const SNAPSHOT_VERSION = 1

/** What changes in a world, besides its records and its journal. */
export interface StateWithoutRecords {
  readonly clock: ClockSnapshot
  readonly keys: KeysSnapshot
  readonly limits: readonly (readonly [account: string, usage: Usage])[]
  readonly bans: readonly (readonly [account: string, history: BanHistory])[]
  readonly rules: RulesSnapshot
  /** The state of the random numbers for latencies. */
  readonly random: number
}

/** The state without the records. */
export function withoutRecords({
  clock,
  keys,
  limits,
  bans,
  rules,
  random,
}: WorldState): StateWithoutRecords {
  return {
    clock: clock.snapshot(),
    keys: keys.snapshot(),
    limits: structuredClone([...limits.read()]),
    bans: structuredClone([...bans.read()]),
    rules: rules.snapshot(),
    random: random.state,
  }
}

/** The state of a snapshot, around a store of its own. */
export function restoreWorldState(
  service: Service,
  listeners: Listeners,
  snapshot: StateWithoutRecords,
  store: Promise<Store>,
): WorldState {
  const random = new Random(snapshot.random)
  const state = assembleWorldState(service, listeners, store, snapshot.keys, random)
  state.clock.restore(snapshot.clock)
  for (const [account, usage] of snapshot.limits) state.limits.put(account, usage)
  for (const [account, history] of snapshot.bans) state.bans.put(account, history)
  state.rules.restore(snapshot.rules)

  return state
}

/** A copy of a world's state, which changes on its own from now on. */
export function forkWorldState(state: WorldState, listeners: Listeners): WorldState {
  const opened = state.openedStore()
  const store = opened ? Promise.resolve(opened.fork()) : state.store.then((first) => first.fork())

  return restoreWorldState(state.service, listeners, withoutRecords(state), store)
}
