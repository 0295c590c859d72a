import type { CoreRequest } from '../../http/message.ts'
import type { SandboxOptions } from '../../sandbox/options.ts'
import type { UnroutedRequest } from '../../transports/node-request.ts'
import { parseForced } from '../force-setting.ts'
import type { ServedWorlds } from '../served-worlds.ts'
import type { ServeSettings } from '../settings.ts'

/** Called with the name of each call to the store, and how long it took. */
export type StoreCallListener = (call: string, milliseconds: number) => void

/** Connects to the store, and opens the worlds in it. Its modules are only loaded by servers with a store. */
export async function openSharedWorlds(
  address: string,
  settings: ServeSettings,
  options: SandboxOptions,
  onCall: StoreCallListener,
): Promise<ServedWorlds> {
  const { storePrefix: prefix, worldBy, worldTtl = DEFAULT_TTL, force } = settings
  const { openRedisStore } = await import('../../redis/open-redis-store.ts')
  const { createSharedSandbox } = await import('../../redis/shared-sandbox.ts')
  const { createSharedHost } = await import('../../redis/shared-host.ts')
  const listeners = new Set<(request: UnroutedRequest) => void>()
  const onNotice = (notice: string): void => {
    process.stderr.write(`pet-sandbox: ${notice}\n`)
  }
  const store = await openRedisStore(address, { prefix, onCall, onNotice })
  try {
    const shared = await createSharedSandbox({
      ...options,
      store,
      worldBy,
      worldTtl: worldBy === undefined ? undefined : worldTtl,
      force: force.map(parseForced),
      onUnavailable: (request, { status }, message) => {
        for (const listener of listeners) listener(toUnrouted(request, status, message))
      },
    })
    for (const notice of shared.notices) onNotice(notice)

    return {
      routed: shared,
      host: createSharedHost(shared),
      onExchange: shared.onExchange,
      onDrop: shared.onDrop,
      onUnrouted: (listener) => listeners.add(listener),
      now: Date.now,
      check: () => store.check(),
      close: async () => {
        shared.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    const { refuseStart } = await import('../../redis/redis-store.ts')
    return refuseStart(error)
  }
}

function toUnrouted(
  { method, base, path, query }: CoreRequest,
  status: number,
  message: string,
): UnroutedRequest {
  const { pathname } = new URL(base)
  const target = (pathname === '/' ? '' : pathname) + path + (query && `?${query}`)

  return { method, target, status, message }
}

/** How long a world of an API key is kept without use, in milliseconds. */
const DEFAULT_TTL = 3_600_000
