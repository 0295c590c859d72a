import type { Bans } from '../access/bans.ts'
import type { KeysSnapshot } from '../access/keys.ts'
import type { Limits } from '../access/limits.ts'
import type { ClockSnapshot } from '../clock.ts'
import { createStore, type RecordsSnapshot, RowRefused, type Store } from '../resources/store.ts'
import { invalidSnapshot, SNAPSHOT_VERSION } from './check-snapshot.ts'
import { assemble, type Listeners, type Parts } from './parts.ts'
import type { RulesSnapshot } from './rules.ts'
import type { Service } from './service.ts'

/** What changes in a world besides its records. */
interface Conduct {
  readonly clock: ClockSnapshot
  readonly keys: KeysSnapshot
  readonly limits: ReturnType<Limits['snapshot']>
  readonly bans: ReturnType<Bans['snapshot']>
  readonly rules: RulesSnapshot
  /** Of the random numbers that latencies take. */
  readonly random: number
}

/** All that changes while a world is used, but for the journal. */
export interface WorldState extends Conduct {
  readonly records: Readonly<Record<string, RecordsSnapshot>>
}

/** The state of a world, or of a sandbox with all its worlds, as plain JSON. */
export interface Snapshot {
  /** Of this form of snapshots; another one's are refused. */
  readonly version: 1
  /** What it is the state of. */
  readonly contract: { readonly title: string; readonly version: string }
  readonly state: WorldState
  /** The other worlds, by name. */
  readonly worlds?: Readonly<Record<string, WorldState>>
}

/** A world's state as it is now. */
export function takeState(parts: Parts, store: Store): WorldState {
  const records = [...store].map(([name, one]) => [name, one.snapshot()] as const)
  return { ...conductOf(parts), records: Object.fromEntries(records) }
}

/** The state without the records. */
export function conductOf(parts: Parts): Conduct {
  const { clock, keys, limits, gate, rules, random } = parts

  return {
    clock: clock.snapshot(),
    keys: keys.snapshot(),
    limits: limits.snapshot(),
    bans: gate.bans.snapshot(),
    rules: rules.snapshot(),
    random: random.state,
  }
}

/** Parts in the state given, around a store of their own. */
export function restoreParts(
  service: Service,
  listeners: Listeners,
  state: Conduct,
  store: Promise<Store>,
): Parts {
  const parts = assemble(service, listeners, store, state.keys)
  parts.clock.restore(state.clock)
  parts.limits.restore(state.limits)
  parts.gate.bans.restore(state.bans)
  parts.rules.restore(state.rules, service.settings.contract, parts.keys)
  parts.random.state = state.random

  return parts
}

/** A store with the records of a state. Rejects with a UsageError for those that the contract refuses. */
export async function restoreStore(service: Service, { records }: WorldState): Promise<Store> {
  const { resources, settings } = service
  try {
    return await createStore(resources, new Map(Object.entries(records)), settings.seed)
  } catch (cause) {
    if (!(cause instanceof RowRefused)) throw cause
    throw invalidSnapshot(cause.message.replace('body', 'a record'), cause)
  }
}

/** A world's state, as {@link World.snapshot} gives it. */
export async function snapshotWorld(parts: Parts): Promise<Snapshot> {
  return withContract(parts, takeState(parts, await parts.store))
}

export function withContract({ service }: Parts, state: WorldState): Snapshot {
  const { title, version } = service.settings.contract
  return { version: SNAPSHOT_VERSION, contract: { title, version }, state }
}

/** Parts in the state of a snapshot. Rejects with a UsageError for what is none. */
export async function restoreWorld(
  service: Service,
  listeners: Listeners,
  state: WorldState,
): Promise<Parts> {
  const store = await restoreStore(service, state)
  return restoreParts(service, listeners, state, Promise.resolve(store))
}
