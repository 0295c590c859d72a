import { createMemoryHost } from '../sandbox/memory-host.ts'
import type { ServedSandbox } from '../sandbox/router.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { WorldHost } from '../sandbox/world-host.ts'
import type { WorldListener } from '../sandbox/worlds.ts'
import type { UnroutedRequest } from '../transports/node-request.ts'

/** The worlds that a server serves, wherever their state is. */
export interface ServedWorlds {
  readonly routed: ServedSandbox
  readonly host: WorldHost
  /** Adds a listener for the exchanges that this server answers. */
  readonly onExchange: (listener: WorldListener) => unknown
  /** Adds a listener for the names of worlds that are dropped. */
  readonly onDrop: (listener: (world: string) => void) => unknown
  /** Adds a listener for requests that no journal has, because the state of the worlds cannot be reached. */
  readonly onUnrouted: (listener: (request: UnroutedRequest) => void) => unknown
  /** The time of lines in the log that belong to no exchange. */
  readonly now: () => number
  /** Rejects while requests to the API cannot be answered. */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The worlds of a sandbox in memory. */
export function inMemory(sandbox: Sandbox): ServedWorlds {
  const { worlds, clock } = sandbox

  return {
    routed: sandbox,
    host: createMemoryHost(sandbox),
    onExchange: worlds.onExchange,
    onDrop: worlds.onDrop,
    onUnrouted: () => undefined,
    now: () => clock.now(),
    check: async () => undefined,
    close: async () => undefined,
  }
}
