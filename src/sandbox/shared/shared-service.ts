import type { Service } from '../../engine/service.ts'
import type { SharedRecords } from '../../resources/shared-store.ts'
import type { WorldStore } from '../../state/world-store.ts'
import type { CreationTurns } from './creation-turns.ts'

/** What all worlds of a shared sandbox have in common. */
export interface SharedService {
  readonly service: Service
  readonly store: WorldStore
  /** The records that a collection of a world starts with: the same on every server. */
  readonly firstRecords: SharedRecords
  readonly turns: CreationTurns
}
