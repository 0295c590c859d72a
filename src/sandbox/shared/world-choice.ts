import type { Keys } from '../../access/keys.ts'
import type { WorldGroup } from '../../state/world-store.ts'

/** How a request chose its world. */
export interface Choice {
  /** The keys by which it was chosen, where they are those of another world. */
  readonly keys?: Keys
  /** Whether these keys are the present ones. Without it, the world was chosen by its name. */
  readonly isPresent?: Promise<boolean>
  /** Whether the choice ends when the keys of this world have changed. */
  readonly isByOwnKeys?: boolean
  /** The group in which the world is created. Default: the worlds that requests name. */
  readonly group?: WorldGroup
}
