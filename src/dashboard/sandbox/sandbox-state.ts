import type { Health, SandboxClient } from '../../client/sandbox-client.ts'
import type { ClockReading } from './clock-reading.ts'

/**
 * Whether the sandbox answers. `connecting`: before the first answer. `lost`: it answered before, and does not now.
 * `unauthorized`: it needs a token. `no-world`: there is no world with this name.
 */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'unauthorized' | 'no-world'

type WorldList = Awaited<ReturnType<SandboxClient['worlds']['list']>>

/** What is known of a sandbox, apart from its traffic. */
export interface SandboxState {
  readonly connection: ConnectionState
  /** Why the last request failed; empty when it did not. */
  readonly problem: string
  readonly health?: Health
  readonly clock?: ClockReading
  readonly worlds: WorldList
  /** Changes with each reset of the world. What a view loaded before is out of date. */
  readonly generation: number
}

/** The state before the first answer. */
export const UNKNOWN_STATE: SandboxState = {
  connection: 'connecting',
  problem: '',
  worlds: [],
  generation: 0,
}
