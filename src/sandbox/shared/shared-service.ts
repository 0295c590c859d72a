import type { Service } from '../../engine/service.ts'
import type { WorldStore } from '../../state/world-store.ts'
import type { CreationTurns } from './creation-turns.ts'
import type { FirstRecords } from './first-records.ts'

/** What all worlds of a shared sandbox have in common. */
export interface SharedService {
  readonly service: Service
  readonly store: WorldStore
  /** What the collections of a new world start with. */
  readonly firstRecords: FirstRecords
  readonly turns: CreationTurns
}
