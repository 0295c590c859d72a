import type { Bans } from '../access/bans.ts'
import type { KeysSnapshot } from '../access/keys.ts'
import type { Limits } from '../access/limits.ts'
import type { Service } from '../engine/service.ts'
import { assembleWorldState, type Listeners, type WorldState } from '../engine/world-state.ts'
import type { RulesSnapshot } from '../forcing/rules.ts'
import { Random } from '../generate/random.ts'
import type { RecordsSnapshot } from '../resources/records.ts'
import { forkStore, type Store } from '../resources/store.ts'
import type { ClockSnapshot } from '../time/clock.ts'
import { setOwn } from '../validation/own-property.ts'

/** The version of the snapshots' form; those of another version are refused. */
export const SNAPSHOT_VERSION = 1

/** What changes in a world besides its records. */
interface Conduct {
  readonly clock: ClockSnapshot
  readonly keys: KeysSnapshot
  readonly limits: ReturnType<Limits['snapshot']>
  readonly bans: ReturnType<Bans['snapshot']>
  readonly rules: RulesSnapshot
  /** The state of the random numbers for latencies. */
  readonly random: number
}

/** All that changes while a world is used, but for the journal. */
export interface WorldSnapshot extends Conduct {
  readonly records: Readonly<Record<string, RecordsSnapshot>>
}

/** The state of a world, or of a sandbox with all its worlds, as plain JSON. */
export interface Snapshot {
  /** The version of this form; a snapshot of another one is refused. */
  readonly version: number
  /** The contract whose state it is; a sandbox of another one refuses it. */
  readonly contract: { readonly title: string; readonly version: string }
  /** The state of the world, or of the sandbox's own. */
  readonly state: WorldSnapshot
  /** The states of the other worlds, by name. */
  readonly worlds?: Readonly<Record<string, WorldSnapshot>>
  /** Their names, from the one used least recently to the latest: JSON puts those that are numbers first. */
  readonly order?: readonly string[]
}

/** Parts by the name of their world. */
export type WorldStates = ReadonlyMap<string, WorldState>

/** The present state of a world, and of others beside it. */
export async function takeSnapshot(state: WorldState, others?: WorldStates): Promise<Snapshot> {
  for (const one of [state, ...(others?.values() ?? [])]) await one.store
  const snapshot = snapshotNow(state, others)
  if (snapshot) return snapshot
  throw new TypeError('The store is not open')
}

/** The same without waiting; `undefined` while the first records of one of them are still being made. */
export function snapshotNow(
  parts: WorldState,
  others: WorldStates = new Map(),
): Snapshot | undefined {
  const { title, version } = parts.service.settings.contract
  const state = stateOf(parts)
  const worlds: Record<string, WorldSnapshot> = {}
  for (const [name, other] of others) {
    const otherState = stateOf(other)
    if (!otherState) return undefined
    setOwn(worlds, name, otherState)
  }
  if (!state) return undefined

  return {
    version: SNAPSHOT_VERSION,
    contract: { title, version },
    state,
    ...(others.size > 0 && { worlds, order: [...others.keys()] }),
  }
}

function stateOf(state: WorldState): WorldSnapshot | undefined {
  const store = state.opened()
  if (!store) return undefined
  const records = [...store].map(([name, one]) => [name, one.snapshot()] as const)

  return { ...conductOf(state), records: Object.fromEntries(records) }
}

/** The state without the records. */
function conductOf({ clock, keys, limits, gate, rules, random }: WorldState): Conduct {
  return {
    clock: clock.snapshot(),
    keys: keys.snapshot(),
    limits: limits.snapshot(),
    bans: gate.bans.snapshot(),
    rules: rules.snapshot(),
    random: random.state,
  }
}

/** Parts in this state, around a store that is theirs alone. */
export function restoreWorldState(
  service: Service,
  listeners: Listeners,
  state: Conduct,
  store: Promise<Store>,
): WorldState {
  const parts = assembleWorldState(service, listeners, store, state.keys, new Random(state.random))
  parts.clock.restore(state.clock)
  parts.limits.restore(state.limits)
  parts.gate.bans.restore(state.bans)
  parts.rules.restore(state.rules)

  return parts
}

/** Parts in the present state of another world, which go their own way from here. */
export function forkWorldState(state: WorldState, listeners: Listeners): WorldState {
  const opened = state.opened()
  const store = opened ? Promise.resolve(forkStore(opened)) : state.store.then(forkStore)

  return restoreWorldState(state.service, listeners, conductOf(state), store)
}
