import { identify } from '../access/callers.ts'
import type { Keys } from '../access/keys.ts'
import type { Contract } from '../contract/contract.ts'
import { mayBeIssued } from '../engine/caller.ts'
import type { Service } from '../engine/service.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import { notify } from '../journal/exchange.ts'
import { StoreUnavailableError } from '../records/stored-records.ts'
import { OWN_WORLD, type WorldListener } from '../sandbox/worlds.ts'
import type { SharedService } from './configuration.ts'
import { untilKept } from './contention.ts'
import { digestOf } from './contract-digest.ts'
import { type Choice, SharedWorld } from './shared-world.ts'
import type { EventNotes } from './stored-events.ts'
import type { WorldGroup, WorldRegistry, WorldStore } from './world-store.ts'

/** How many worlds an instance knows the configuration of. */
const MAX_KNOWN = 2000

/**
 * Where every credential is valid, anybody can create worlds. A world of such a credential is dropped for another one only after so many
 * milliseconds without use: so nobody displaces what others work with. Until then, new ones get a 503.
 */
const IDLE = 3_600_000

/** In seconds. */
const RETRY_AFTER = 60

/** So many uses are noted at once in a period of so many milliseconds. */
const MAX_NOTED = 10
const PERIOD = 100

/** On a busy server, a use of a world is noted at most once in so many milliseconds. */
const TOUCH_INTERVAL = 1000

interface KnownWorld {
  readonly world: SharedWorld
  touched: number
}

/** A service whose worlds are in a store that several servers share. It keeps no state that matters. */
export interface SharedSandbox {
  readonly contract: Contract
  readonly service: Service
  readonly store: WorldStore
  /** Whether each API key has a world of its own. */
  readonly isByKey: boolean
  readonly worlds: Pick<KnownWorlds, 'note' | 'load' | 'add' | 'onExchange' | 'onDrop'>
  readonly onExchange: KnownWorlds['onExchange']
  readonly onDrop: KnownWorlds['onDrop']
  /** What the store says about settings with which it may lose data. */
  readonly notices: readonly string[]
  /** As in the store's `Registration`. */
  readonly secret: string
  /** What is told of events. */
  readonly events: EventNotes
  /** Ends the timers. The store stays open. */
  close(): void
}

/** What changes a world by its name. */
interface WorldChanges {
  /** Changes the state that the world begins with. */
  prepare(name: string, state: WorldState): void
}

/** The worlds that this instance has used. The store has all of them. */
export class KnownWorlds {
  readonly #shared: SharedService
  readonly #changes: WorldChanges
  /** From the least recently used one to the latest. */
  readonly #known = new Map<string, KnownWorld>()
  /** When the period began, and how many uses were noted in it. */
  #period = { start: 0, noted: 0 }
  readonly #listeners = new Set<WorldListener>()
  readonly #dropListeners = new Set<(name: string) => void>()

  constructor(shared: SharedService, changes: WorldChanges) {
    this.#shared = shared
    this.#changes = changes
  }

  /** Creates a world, unless it exists. */
  async load(name: string): Promise<SharedWorld> {
    const world = this.use(name)
    await world.open()
    return world
  }

  /** A world, which exists after the first request that is admitted to it. */
  use(name: string): SharedWorld {
    const known = this.#known.get(name) ?? { world: this.#createWorld(name), touched: 0 }
    this.#known.delete(name)
    this.#known.set(name, known)
    const [oldest = name] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest)

    return known.world
  }

  /** Notes that a world is used. A group that is given becomes its group. */
  note(name: string, group?: WorldGroup): void {
    const known = this.#known.get(name)
    if (name === OWN_WORLD || (known && !this.#isToBeNoted(known))) return
    // The request itself meets the error of a store that is away.
    this.#shared.store.registry.use(name, group).catch(() => undefined)
  }

  /** Whether a use of a world is noted: of few uses each one, so that worlds are dropped in the order of their uses. */
  #isToBeNoted(known: KnownWorld): boolean {
    const now = performance.now()
    if (now - this.#period.start >= PERIOD) this.#period = { start: now, noted: 0 }
    const isFree = this.#period.noted < MAX_NOTED
    if (!isFree && known.touched > 0 && now - known.touched < TOUCH_INTERVAL) return false
    this.#period.noted += 1
    known.touched = now
    return true
  }

  /** Adds a world to the registry, and drops the worlds of its group that are too many. Rejects when none of those may be dropped. */
  async add(name: string, group: WorldGroup = 'named'): Promise<void> {
    const { service, store } = this.#shared
    const most = service.settings.worlds
    const idle = group === 'others' ? IDLE : 0
    const dropped = await store.registry.add(name, { group, most, idle })
    if (!dropped) {
      // It may have been created while others took the last places.
      await store.world(name).delete()
      throw new StoreUnavailableError(
        `There are ${most} worlds of credentials that are no keys of the sandbox, and all were used within the last hour.`,
        { retryAfter: RETRY_AFTER },
      )
    }
    await this.end(dropped)
  }

  /** Deletes worlds whose names were dropped. Each is created again at its next use. */
  async end(dropped: readonly string[]): Promise<void> {
    for (const name of dropped) {
      await this.#shared.store.world(name).delete()
      this.#known.delete(name)
      for (const listener of this.#dropListeners) notify(listener, name)
    }
  }

  /** Calls `listener` with each exchange of this instance. Returns a function that removes the listener. */
  readonly onExchange = (listener: WorldListener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls `listener` with the name of each world that this instance drops. Returns a function that removes the listener. */
  readonly onDrop = (listener: (name: string) => void): (() => void) => {
    this.#dropListeners.add(listener)
    return () => this.#dropListeners.delete(listener)
  }

  #createWorld(name: string): SharedWorld {
    return new SharedWorld(name, this.#shared, {
      onCreation: async (group) => {
        if (name !== OWN_WORLD) await this.add(name, group)
      },
      onUse: (group) => this.note(name, group),
      prepare: (state) => this.#changes.prepare(name, state),
      onExchange: (read) => {
        if (this.#listeners.size === 0) return
        const exchange = read()
        for (const listener of this.#listeners) notify((one) => listener(one, name), exchange)
      },
    })
  }
}

/** The start of the names of the worlds of API keys. Requests cannot choose such a world by its name. */
export const KEY_WORLD = 'key:'

/** The name of the world of a key, which does not contain the key. */
export async function keyWorldOf(key: string): Promise<string> {
  return KEY_WORLD + (await digestOf(key)).slice(0, DIGITS)
}

/** Whether a world is that of an API key. Snapshots do not have it. */
export function isKeyWorld(name: string): boolean {
  return name.startsWith(KEY_WORLD)
}

/** The name of the world of an OAuth client. No API key has the same one. */
function clientWorldOf(client: string): Promise<string> {
  return keyWorldOf(`client ${client}`)
}

/** How many digits of a digest a name has. */
const DIGITS = 32

/** How many keys an instance remembers the world of. */
const MAX_NAMES = 10_000

/**
 * Leads each valid API key of the default world to a world of its own, and each OAuth client, whose tokens the default world issues. All
 * other requests share the default world.
 */
export class KeyWorlds {
  readonly #worlds: KnownWorlds
  readonly #service: Service
  readonly #names = new Map<string, string>()

  constructor(worlds: KnownWorlds, service: Service) {
    this.#worlds = worlds
    this.#service = service
  }

  /** Chooses the world again when the keys have changed meanwhile. */
  readonly answer = (request: CoreRequest): Promise<CoreResponse> =>
    untilKept(OWN_WORLD, () => this.#answerOnce(request))

  async #answerOnce(request: CoreRequest): Promise<CoreResponse | undefined> {
    const own = this.#worlds.use(OWN_WORLD)
    const { keys } = own
    const { schemes } = this.#service.access.rules
    const caller = identify(request, keys.callers, schemes)
    const { key, credential, isUnlisted } = caller
    const isOwn = isOfSignIn(request, this.#service) || key !== 'valid'
    if (isOwn || credential === undefined) return own.answer(request, { isByOwnKeys: true })
    if (mayBeIssued(caller, this.#service)) return this.#answerToken(request, own)
    const group = isUnlisted ? 'others' : 'keys'

    return this.#answerIn(await this.#nameOf(credential), request, keys, { group })
  }

  /** Answers in the world of the client to which the default world issued the token. That world refuses tokens that do not work. */
  async #answerToken(request: CoreRequest, own: SharedWorld): Promise<CoreResponse | undefined> {
    const { keys } = own
    const caller = await own.callerOf(request, keys)
    const { client } = caller
    if (client === undefined) return own.answer(request, { isByOwnKeys: true })
    const { clients = {} } = this.#service.settings.signIn
    const group = Object.hasOwn(clients, client) ? 'keys' : 'others'

    return this.#answerIn(await clientWorldOf(client), request, keys, { group, caller })
  }

  /** Answers in the world of a key, which is verified meanwhile. */
  #answerIn(
    name: string,
    request: CoreRequest,
    keys: Keys,
    choice: Pick<Choice, 'group' | 'caller'>,
  ): Promise<CoreResponse | undefined> {
    const isPresent = this.#worlds.use(OWN_WORLD).verify(keys)
    // The request itself meets the error of a store that is away.
    isPresent.catch(() => undefined)

    return this.#worlds.use(name).answer(request, { ...choice, keys, isPresent })
  }

  async #nameOf(key: string): Promise<string> {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    if (this.#names.size === MAX_NAMES) this.#names.clear()
    const name = await keyWorldOf(key)
    this.#names.set(key, name)
    return name
  }
}

/** Whether a request signs in or out, or asks for tokens: the default world is the issuer of all. */
function isOfSignIn(request: CoreRequest, { settings, router }: Service): boolean {
  if (request.endpoint) return true
  if (!settings.contract.signIn) return false
  const match = router.find(request)
  return !(match instanceof Problem) && match.operation.signIn !== undefined
}

/** The longest time between two searches for unused worlds, in milliseconds, and the shortest. */
const MAX_INTERVAL = 60_000
const MIN_INTERVAL = 100

/** Drops the worlds of API keys that were not used for so many milliseconds. Returns a function that ends this. */
export function dropUnused(
  worlds: Pick<KnownWorlds, 'end'>,
  registry: Pick<WorldRegistry, 'dropUnused'>,
  worldTtl: number,
): () => void {
  const interval = Math.max(MIN_INTERVAL, Math.min(worldTtl / 4, MAX_INTERVAL))
  const timer = setInterval(() => {
    const dropped = registry.dropUnused(KEY_WORLD, worldTtl)
    // While the store is away, there is nothing to drop.
    dropped.then((names) => worlds.end(names)).catch(() => undefined)
  }, interval)

  return () => clearInterval(timer)
}
