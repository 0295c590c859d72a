import type { Service } from '../../engine/service.ts'
import { createWorldState, type WorldState } from '../../engine/world-state.ts'
import type { Exchange } from '../../journal/exchange.ts'
import type { StoredWorld, WorldGroup } from '../../state/world-store.ts'
import { epochStart, newEpochOf } from './new-epoch.ts'

/** How a world of a shared sandbox begins, and who is told about it. */
export interface WorldStart {
  /**
   * Called before the world is created, and after it: its name may have been dropped meanwhile. Rejects when there is no place for
   * another world of the group.
   */
  onCreation(group: WorldGroup | undefined): Promise<void>
  /** Called with each request that is admitted to the world. */
  onUse(group: WorldGroup | undefined): void
  /** Changes the state that the world begins with. */
  prepare(state: WorldState): void
  /** Called with each exchange of this instance. */
  onExchange(exchange: Exchange): void
}

/** Creates a world in the store. `lead` is how far the clock of the store is ahead of the machine's, in milliseconds. */
export async function createStoredWorld(
  stored: StoredWorld,
  start: WorldStart,
  service: Service,
  { lead, group }: { readonly lead: number; readonly group: WorldGroup | undefined },
): Promise<void> {
  await start.onCreation(group)
  const state = createWorldState(service, new Set())
  await state.store
  start.prepare(state)
  await stored.begin(newEpochOf(state, epochStart(service, lead)), undefined)
  await start.onCreation(group)
}
