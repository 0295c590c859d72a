import type { WorldState } from '../../engine/world-state.ts'
import type { Exchange } from '../../journal/exchange.ts'

/** How a world of a shared sandbox begins, and who is told about it. */
export interface WorldStart {
  /** Called before the world is created, and after it: its name may have been dropped meanwhile. */
  onCreation(): Promise<void>
  /** Changes the state that the world begins with. */
  prepare(state: WorldState): void
  /** Called with each exchange of this instance. */
  onExchange(exchange: Exchange): void
}
