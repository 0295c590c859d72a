import type { Keys } from '../../access/keys.ts'
import type { Service } from '../../engine/service.ts'
import type { WorldState } from '../../engine/world-state.ts'
import type { LoadedWorld } from '../../state/stored-state.ts'
import type { Transaction } from '../../state/transaction.ts'
import type { StoredWorld, WorldStore } from '../../state/world-store.ts'
import type { Configuration } from './configuration.ts'
import type { FirstRecords } from './first-records.ts'
import type { PreparedEpoch } from './prepared-epoch.ts'

/** A world that was loaded from the store, with a state to be used for one task. */
export interface OpenedWorld {
  readonly stored: StoredWorld
  readonly loaded: LoadedWorld
  readonly state: WorldState
  readonly transaction: Transaction
  readonly first: FirstRecords
  /** The configuration as it was loaded. */
  readonly configuration: Configuration
  /** Whether it is only read: then nothing is written. */
  readonly isRead: boolean
  /** The plans and keys that the store has for the world of an API key. Nobody uses them: the state has those of the default world. */
  readonly unusedKeys?: Keys
}

/** All worlds, as one of them needs them. */
export interface WorldsInStore {
  readonly service: Service
  readonly store: WorldStore
  /** Whether each API key has a world of its own. */
  readonly isByKey: boolean
  /** The worlds that a snapshot has beside the default world. */
  others(): Promise<ReadonlyMap<string, OpenedWorld>>
  /** Replaces all worlds but the default world. */
  replace(worlds: readonly (PreparedEpoch & { readonly name: string })[]): Promise<void>
}
