import { randomInt } from 'node:crypto'
import { createService } from '../engine/service.ts'
import type { Settings } from '../engine/settings.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import { createClientIds } from '../journal/client-id.ts'
import { resolveOptions, type SandboxOptions } from '../sandbox/options.ts'
import { setRouter } from '../sandbox/router.ts'
import { OWN_WORLD, type WorldListener } from '../sandbox/worlds.ts'
import { firstRecordsOf } from './configuration.ts'
import { KeyedLock } from './contention.ts'
import { contractIdentity, digestOf } from './contract-digest.ts'
import { epochStart } from './epochs.ts'
import { createSharedRouter, type UnavailableListener } from './shared-router.ts'
import { EventNotes, StoredEvents } from './stored-events.ts'
import { dropUnused, KEY_WORLD, KnownWorlds, type SharedSandbox } from './world-choice.ts'
import type { WorldStore } from './world-store.ts'

/** The options of a sandbox whose state is in a store. */
export interface SharedOptions extends Omit<SandboxOptions, 'persist'> {
  readonly store: WorldStore
  /** `key` gives each valid API key a world of its own. By default, requests that name no world share one. */
  readonly worldBy?: 'key' | undefined
  /** The worlds of API keys are dropped after so many milliseconds of real time without use. By default, never. */
  readonly worldTtl?: number | undefined
  /** The outcomes that are forced in new worlds that no request chooses by name. A world that exists keeps its rules. */
  readonly force?: readonly ForceRule[]
  /** Called with each exchange that this instance answers. */
  readonly onExchange?: WorldListener | undefined
  /** Called with each request that gets a 503 because of the store. No journal has it. */
  readonly onUnavailable?: UnavailableListener | undefined
}

/**
 * Creates a sandbox on a store. Its default world is created unless it exists. Rejects with a UsageError for invalid options, and
 * for a store of another contract.
 */
export async function createSharedSandbox({
  store,
  worldBy,
  worldTtl,
  force = [],
  onExchange,
  onUnavailable,
  ...options
}: SharedOptions): Promise<SharedSandbox> {
  const given = resolveOptions(options)
  const { startedAt, secret, notices } = await store.register(
    await contractIdentity(given, { worldBy, worldTtl, ...(force.length > 0 && { force }) }),
  )
  const settings = await withSharedSecret(given, secret)
  const clientOf = createClientIds(secret)
  const mark = (await digestOf(`${secret} sender`)).slice(0, MARK_LENGTH)
  const events = new EventNotes(store, mark)
  const service = createService(settings, {
    ...{ startedAt, clientOf },
    createEvents: (host) => new StoredEvents({ ...host, note: async () => undefined }),
  })
  const firstRecords = await firstRecordsOf(service, epochStart(service, 0).recordsOf)
  const shared = {
    service,
    store,
    firstRecords,
    locks: new KeyedLock(),
    events,
    connectionsAfter: randomInt(2 ** 31) * MAX_CONNECTIONS,
  }
  const worlds = new KnownWorlds(shared, {
    prepare: (name, state) => {
      if (name === OWN_WORLD || name.startsWith(KEY_WORLD)) forceOutcomes(state, force)
    },
  })
  if (onExchange) worlds.onExchange(onExchange)
  await worlds.load(OWN_WORLD)
  const stop =
    worldTtl === undefined ? () => undefined : dropUnused(worlds, store.registry, worldTtl)
  const sandbox: SharedSandbox = {
    contract: settings.contract,
    service,
    store,
    isByKey: worldBy === 'key',
    worlds,
    onExchange: worlds.onExchange,
    onDrop: worlds.onDrop,
    notices,
    secret,
    events,
    close: () => {
      stop()
      events.sender?.close()
    },
  }
  setRouter(sandbox, createSharedRouter(worlds, service, { worldBy, onUnavailable, mark }))

  return sandbox
}

/** The settings with the secret of deliveries, which all servers of a store have in common, and which nobody can guess. */
async function withSharedSecret(settings: Settings, secret: string): Promise<Settings> {
  const { events } = settings
  if (events.secret !== undefined) return settings
  const bytes = new TextEncoder().encode(`${secret} webhooks`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const own = `whsec_${btoa(String.fromCharCode(...digest.subarray(0, 24)))}`

  return { ...settings, events: { ...events, secret: own } }
}

/** As many hexadecimal digits are enough to tell stores apart. */
const MARK_LENGTH = 16

/** More connections than an instance sees. */
const MAX_CONNECTIONS = 2 ** 20

function forceOutcomes(
  { rules, keys, service }: WorldState,
  force: NonNullable<SharedOptions['force']>,
): void {
  for (const rule of force) rules.add(rule, service.settings.contract, keys)
}
