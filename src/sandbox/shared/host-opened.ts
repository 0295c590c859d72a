import type { Service } from '../../engine/service.ts'
import type { WorldState } from '../../engine/world-state.ts'
import type { LoadedWorld } from '../../state/stored-state.ts'
import type { Transaction } from '../../state/transaction.ts'
import type { StoredWorld, WorldStore } from '../../state/world-store.ts'
import type { FirstRecords } from './first-records.ts'
import type { PreparedEpoch } from './host-epoch.ts'

/** A world that was loaded from the store, with a state to be used for one task. */
export interface OpenedWorld {
  readonly stored: StoredWorld
  readonly loaded: LoadedWorld
  readonly state: WorldState
  readonly transaction: Transaction
  readonly first: FirstRecords
  /** The scenario that the first records are of. */
  readonly recordsOf: string | undefined
}

/** All worlds, as one of them needs them. */
export interface WorldsInStore {
  readonly service: Service
  readonly store: WorldStore
  /** The worlds that a snapshot has beside the default world. */
  others(): Promise<ReadonlyMap<string, OpenedWorld>>
  /** Replaces all worlds but the default world. */
  replace(worlds: readonly (PreparedEpoch & { readonly name: string })[]): Promise<void>
}
