import type { LoadedDocument } from '../document/load-document.ts'
import { secretOf } from '../events/event-settings.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { createMemoryHost } from '../sandbox/memory-host.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import type { ServedSandbox } from '../sandbox/router.ts'
import { createSandbox, handlesOf, type Sandbox } from '../sandbox/sandbox.ts'
import type { WorldHost } from '../sandbox/world-host.ts'
import type { WorldListener } from '../sandbox/worlds.ts'
import { refuseBasePath } from '../transports/client-url.ts'
import { refuseDeliveriesToUsed } from '../transports/deliver.ts'
import type { UnroutedRequest } from '../transports/node-request.ts'
import { readSandboxOptions } from './sandbox-options.ts'
import { parseForced } from './setting-values.ts'
import type { ServeSettings } from './settings.ts'
import { openState } from './state/open-state.ts'

/** What the settings describe. */
export interface OpenedSandbox {
  /** A sandbox in memory. With a shared store, it only tells what a new world is like. */
  readonly sandbox: Sandbox
  readonly worlds: ServedWorlds
  readonly document: LoadedDocument
  readonly state: Awaited<ReturnType<typeof openState>> | undefined
  /** The files of the document. */
  readonly files: ReadonlySet<string>
}

/** Creates a sandbox from the settings, with its saved state, or with the state in a shared store. */
export async function openSandbox(
  settings: ServeSettings,
  onStoreCall: StoreCallListener,
): Promise<OpenedSandbox> {
  const { publicUrl, force, state: file, store } = settings
  const files = new Set<string>()
  const { options, document } = await readSandboxOptions(settings, (path) => files.add(path))
  const sandbox = createSandbox(options)
  refuseBasePath(publicUrl, sandbox.contract)
  await sandbox.ready
  const state = file === undefined ? undefined : await openState(file, sandbox, settings)
  forceOutcomes(sandbox, force)
  const worlds =
    store === undefined
      ? inMemory(sandbox)
      : await openSharedWorlds(store, settings, options, onStoreCall)

  return { sandbox, worlds, document, state, files }
}

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
  /** The secret with which deliveries are signed whose subscription has none. */
  readonly webhookSecret: string
  /** The time of lines in the log that belong to no exchange. */
  readonly now: () => number
  /** Rejects while requests to the API cannot be answered. */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The worlds of a sandbox in memory. */
function inMemory(sandbox: Sandbox): ServedWorlds {
  const { worlds, clock } = sandbox

  return {
    routed: sandbox,
    host: createMemoryHost(sandbox),
    onExchange: worlds.onExchange,
    onDrop: worlds.onDrop,
    onUnrouted: () => undefined,
    get webhookSecret() {
      return sandbox.events.secret
    },
    now: () => clock.now(),
    check: async () => undefined,
    close: async () => {
      for (const handle of handlesOf(sandbox)) handle.end()
    },
  }
}

/** Called with the name of each call to the store, and how long it took. */
type StoreCallListener = (call: string, milliseconds: number) => void

/** Connects to the store, and opens the worlds in it. Its modules are only loaded by servers with a store. */
async function openSharedWorlds(
  address: string,
  settings: ServeSettings,
  options: SandboxOptions,
  onCall: StoreCallListener,
): Promise<ServedWorlds> {
  const { storePrefix: prefix, worldBy, worldTtl = DEFAULT_TTL, force } = settings
  const { openShared } = await import('../redis/open-shared.ts')
  const listeners = new Set<(request: UnroutedRequest) => void>()
  const onNotice = (notice: string): void => {
    process.stderr.write(`pet-sandbox: ${notice}\n`)
  }
  const sharedOptions = {
    ...options,
    worldBy,
    worldTtl: worldBy === undefined ? undefined : worldTtl,
    force: force.map(parseForced),
    onUnavailable: (request: CoreRequest, { status }: CoreResponse, message: string) => {
      for (const listener of listeners) listener(toUnrouted(request, status, message))
    },
  }
  const { sandbox, host } = await openShared(address, { prefix, onCall, onNotice }, sharedOptions)
  for (const notice of sandbox.notices) onNotice(notice)
  const endRefusal = refuseDeliveriesToUsed(() => sandbox.store.servers())

  return {
    routed: sandbox,
    host,
    onExchange: sandbox.onExchange,
    onDrop: sandbox.onDrop,
    onUnrouted: (listener) => listeners.add(listener),
    webhookSecret: secretOf(sandbox.service.settings),
    now: Date.now,
    check: () => sandbox.store.check(),
    close: async () => {
      sandbox.close()
      endRefusal()
      await sandbox.store.close()
    },
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

/** Forces the outcomes of the settings in a sandbox. A saved state may contain those of the start before. */
function forceOutcomes(sandbox: Sandbox, forced: readonly string[]): void {
  for (const rule of forced.map(parseForced)) {
    const { outcome, status, operation } = rule
    const isForced = sandbox
      .forced()
      .some(
        (one) =>
          one.outcome === outcome &&
          one.status === status &&
          one.operation === operation &&
          one.times === undefined,
      )
    if (!isForced) sandbox.force(rule)
  }
}
