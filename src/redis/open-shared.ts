import type { WorldHost } from '../sandbox/world-host.ts'
import { openRedisStore, type RedisStoreOptions } from './open-redis-store.ts'
import { refuseStart } from './redis-store.ts'
import { startSending } from './send-deliveries.ts'
import { createSharedHost } from './shared-host.ts'
import { createSharedSandbox, type SharedOptions } from './shared-sandbox.ts'
import type { SharedSandbox } from './world-choice.ts'

/** A sandbox on a store, and its worlds for the control interface. */
export interface OpenedShared {
  readonly sandbox: SharedSandbox
  readonly host: WorldHost
}

/**
 * Connects to the store at an address, and creates the sandbox on it. This is the only entrance to the room: servers without a store
 * load nothing of it. Rejects with a UsageError for a store that cannot be used. The caller closes the store.
 */
export async function openShared(
  address: string,
  connection: RedisStoreOptions,
  options: Omit<SharedOptions, 'store'>,
): Promise<OpenedShared> {
  const store = await openRedisStore(address, connection)
  try {
    const sandbox = await createSharedSandbox({ ...options, store })
    startSending(sandbox)
    return { sandbox, host: createSharedHost(sandbox) }
  } catch (error) {
    await store.close()
    return refuseStart(error)
  }
}
