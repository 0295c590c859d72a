import type { WorldState } from '../engine/world-state.ts'
import { type Awaitable, allKnown, whenKnown } from '../records/awaitable.ts'
import type { RecordsSnapshot } from '../resources/records.ts'
import { setOwn } from '../validation/objects.ts'
import { SNAPSHOT_VERSION, type StateWithoutRecords, withoutRecords } from './fork-state.ts'

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
  for (const one of [state, ...(others?.values() ?? [])]) await one.store
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
