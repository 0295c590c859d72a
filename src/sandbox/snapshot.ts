import type { BanHistory } from '../access/ban.ts'
import type { KeysSnapshot } from '../access/keys.ts'
import type { Usage } from '../access/quota.ts'
import type { Service } from '../engine/service.ts'
import { assembleWorldState, type Listeners, type WorldState } from '../engine/world-state.ts'
import type { EventsSnapshot } from '../events/world-events.ts'
import type { RulesSnapshot } from '../forcing/rules.ts'
import { Random } from '../generate/random.ts'
import { type Awaitable, allKnown, whenKnown } from '../records/awaitable.ts'
import type { RecordsSnapshot } from '../resources/store/records.ts'
import type { Store } from '../resources/store/store.ts'
import type { ClockSnapshot } from '../time/clock.ts'
import { setOwn } from '../validation/objects.ts'

/** The state of a world, without the journal. */
export interface WorldSnapshot extends StateWithoutRecords {
  /** The records of the collections that were used. A collection that is missing has its first records. */
  readonly records: Readonly<Record<string, RecordsSnapshot>>
}

/** The state of a world, or of a sandbox with all its worlds, as plain JSON. */
export interface Snapshot {
  /** The version of the format. A snapshot of another version is rejected. */
  readonly version: number
  /** The contract of the sandbox. A sandbox of another contract rejects the snapshot. */
  readonly contract: { readonly title: string; readonly version: string }
  /** The state of the world, or of the sandbox's own. */
  readonly state: WorldSnapshot
  /** The states of the other worlds, by name. */
  readonly worlds?: Readonly<Record<string, WorldSnapshot>>
  /** Their names, from the least recently used one to the latest, because JSON objects put names that are numbers first. */
  readonly order?: readonly string[]
}

/** States by the names of their worlds. */
export type WorldStates = ReadonlyMap<string, WorldState>

/** The present state of a world, and of others beside it. */
export async function takeSnapshot(state: WorldState, others?: WorldStates): Promise<Snapshot> {
  for (const one of [state, ...(others?.values() ?? [])]) await one.openStore()
  const snapshot = await snapshotOf(state, others)
  if (snapshot) return snapshot
  throw new TypeError('The store is not open')
}

/** The same without waiting; `undefined` while the first records of one of them are being created. */
export function snapshotNow(own: WorldState, others?: WorldStates): Snapshot | undefined {
  const snapshot = snapshotOf(own, others)
  return snapshot instanceof Promise ? undefined : snapshot
}

function snapshotOf(
  own: WorldState,
  others: WorldStates = new Map(),
): Awaitable<Snapshot | undefined> {
  const { title, version } = own.service.settings.contract
  const states = [own, ...others.values()].map(stateOf)

  return whenKnown(allKnown(states), ([state, ...rest]) => {
    const worlds: Record<string, WorldSnapshot> = {}
    for (const [at, name] of [...others.keys()].entries()) {
      const other = rest[at]
      if (!other) return undefined
      setOwn(worlds, name, other)
    }
    if (!state) return undefined

    return {
      version: SNAPSHOT_VERSION,
      contract: { title, version },
      state,
      ...(others.size > 0 && { worlds, order: [...others.keys()] }),
    }
  })
}

function stateOf(state: WorldState): Awaitable<WorldSnapshot | undefined> {
  const store = state.openedStore()
  if (!store) return undefined
  const others = withoutRecords(state)

  return whenKnown(store.opened(), (opened) =>
    whenKnown(allKnown(opened.map((one) => one.snapshot())), (snapshots) => {
      const records: Record<string, RecordsSnapshot> = {}
      for (const [at, { name }] of opened.entries()) setOwn(records, name, snapshots[at])
      return { ...others, records }
    }),
  )
}

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
  /** The deliveries that are pending; absent before the first event. */
  readonly events?: EventsSnapshot
}

/** The state without the records. */
export function withoutRecords({
  clock,
  keys,
  limits,
  bans,
  rules,
  random,
  events,
}: WorldState): StateWithoutRecords {
  const sent = events.snapshot()
  return {
    clock: clock.snapshot(),
    keys: keys.snapshot(),
    limits: structuredClone([...limits.read()]),
    bans: structuredClone([...bans.read()]),
    rules: rules.snapshot(),
    random: random.state,
    ...(sent && { events: sent }),
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
  state.events.restore(snapshot.events)

  return state
}

/** A copy of a world's state, which changes on its own from now on. */
export function forkWorldState(state: WorldState, listeners: Listeners): WorldState {
  const opened = state.openedStore()
  const store = opened
    ? Promise.resolve(opened.fork())
    : state.openStore().then((first) => first.fork())

  const { events, ...copied } = withoutRecords(state)
  // The original sends what is pending. The copy must not send it, too.
  const kept = events && { events: { ...events, deliveries: [] } }

  return restoreWorldState(state.service, listeners, { ...copied, ...kept }, store)
}
