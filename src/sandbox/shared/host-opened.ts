import type { Service } from '../../engine/service.ts'
import type { WorldState } from '../../engine/world-state.ts'
import type { Records } from '../../resources/records.ts'
import type { LoadedWorld } from '../../state/stored-state.ts'
import type { Transaction } from '../../state/transaction.ts'
import type { StoredWorld, WorldStore } from '../../state/world-store.ts'
import type { PreparedEpoch } from './host-epoch.ts'

/** A world that was loaded from the store, with a state to be used for one task. */
export interface OpenedWorld {
  readonly stored: StoredWorld
  readonly loaded: LoadedWorld
  readonly state: WorldState
  readonly transaction: Transaction
}

/** All worlds, as one of them needs them. */
export interface WorldsInStore {
  readonly service: Service
  readonly store: WorldStore
  /** The given first records of a world. */
  readonly given: Promise<readonly Records[]>
  /** The worlds that a snapshot has beside the default world. */
  others(): Promise<ReadonlyMap<string, OpenedWorld>>
  /** Replaces all worlds but the default world. */
  replace(worlds: readonly (PreparedEpoch & { readonly name: string })[]): Promise<void>
}
