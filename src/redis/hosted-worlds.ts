import type { Keys } from '../access/keys.ts'
import type { Service } from '../engine/service.ts'
import { createWorldState, keysOf, WorldHandle, type WorldState } from '../engine/world-state.ts'
import { worldNameError } from '../http/paths.ts'
import { UnwrittenRecords } from '../records/read-cache.ts'
import { Transaction } from '../records/transaction.ts'
import { createSharedStore } from '../resources/store/transaction-collections.ts'
import { restoreSandbox, restoreWorld } from '../sandbox/restore.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import { signInOf } from '../sandbox/sign-in.ts'
import {
  type CreatedWorld,
  type HostedWorlds,
  type UseOptions,
  unknownWorld,
} from '../sandbox/world-host.ts'
import {
  existingWorldError,
  keyWorldKeysError,
  keyWorldTokensError,
  type NamedWorld,
  OWN_WORLD,
  ownWorldError,
  unknownKeyWorldError,
  unknownSourceError,
  type WorldInfo,
} from '../sandbox/worlds.ts'
import { areEqual } from '../validation/objects.ts'
import { firstRecordsOf, readConfiguration } from './configuration.ts'
import { untilKept } from './contention.ts'
import { type EpochOptions, epochStart, type PreparedEpoch, prepareEpoch } from './epochs.ts'
import { type OpenedWorld, takeStoredSnapshot, type WorldsInStore } from './opened-world.ts'
import { changesOf, stateOf } from './state-changes.ts'
import {
  type EventNotes,
  type StoredEventHost,
  StoredEvents,
  streamChangesOf,
} from './stored-events.ts'
import { CapturedJournal } from './stored-exchange.ts'
import { isKeyWorld, keyWorldOf, type SharedSandbox } from './world-choice.ts'
import type { Commit, LoadedWorld, StoredWorld, WorldStore } from './world-store.ts'

/** How many worlds are loaded at once. */
const BATCH = 20

/** What a task of the control interface does with a world. */
export interface TaskOptions extends UseOptions {
  /** Whether a server looks after the world by itself: that is no use of it, and a world that does not exist is left alone. */
  readonly isUpkeep?: boolean
  /** Whether it runs again, because others have changed what it was decided on. */
  readonly isAgain?: boolean
}

/** The worlds in a shared store, for the control interface. */
export class SharedWorlds implements HostedWorlds, WorldsInStore {
  readonly #sandbox: SharedSandbox

  constructor(sandbox: SharedSandbox) {
    this.#sandbox = sandbox
  }

  get service(): Service {
    return this.#sandbox.service
  }

  get store(): WorldStore {
    return this.#sandbox.store
  }

  get events(): EventNotes {
    return this.#sandbox.events
  }

  get isByKey(): boolean {
    return this.#sandbox.isByKey
  }

  /**
   * A world. It is created unless it exists, or rejects with a 412 when it must exist. To be read, it is not created, and resolves
   * with `undefined` when it does not exist.
   */
  async open(
    name: string,
    { mustExist = false, isRead = false, isAgain = false, isUpkeep = false }: TaskOptions,
  ): Promise<HostedWorld | undefined> {
    const stored = this.store.world(name)
    for (;;) {
      const loaded = await stored.load()
      if (loaded) {
        if (!(isRead || isUpkeep)) this.#sandbox.worlds.note(name)
        return this.#hosted(stored, loaded, { isRead, isAgain })
      }
      if (isUpkeep || !(await this.#create(name, { mustExist, isRead }))) return undefined
    }
  }

  /** Creates a world for a task. Resolves with `false` for one that is only read, and rejects when it must exist. */
  async #create(name: string, { mustExist, isRead }: TaskOptions): Promise<boolean> {
    if (mustExist) throw unknownWorld(name, await this.#names())
    // Requests with its key create it.
    if (isKeyWorld(name)) throw unknownKeyWorldError(name)
    if (isRead && name !== OWN_WORLD) return false
    await this.#sandbox.worlds.load(name)
    return true
  }

  async list(): Promise<readonly WorldInfo[]> {
    const loaded = await this.#load(await this.#names())
    return loaded.map(({ stored, loaded: { last } }) => ({ name: stored.name, requests: last }))
  }

  dropped(): Promise<readonly string[]> {
    return this.store.registry.dropped()
  }

  async create(name: string, { from }: { readonly from?: string }): Promise<CreatedWorld> {
    const fault = worldNameError(name)
    if (fault) throw fault
    const stored = this.store.world(name)
    const present = await stored.load()
    if (!present && isKeyWorld(name)) throw unknownKeyWorldError(name)
    if (from !== undefined) await this.#fork(stored, present, from)
    else if (!present) await this.#sandbox.worlds.load(name)

    return { info: { name, requests: present?.last ?? 0 }, isNew: present === undefined }
  }

  async delete(name: string): Promise<boolean> {
    if (name === OWN_WORLD) throw ownWorldError(name)
    await this.store.registry.remove(name)
    return this.store.world(name).delete()
  }

  async others(): Promise<ReadonlyMap<string, OpenedWorld>> {
    const names = (await this.#names()).filter((name) => name !== OWN_WORLD && !isKeyWorld(name))
    const loaded = await this.#load(names)
    const opened = await Promise.all(loaded.map((one) => this.#opened(one.stored, one.loaded)))
    return new Map(opened.map((one) => [one.stored.name, one]))
  }

  async replace(worlds: readonly (PreparedEpoch & { readonly name: string })[]): Promise<void> {
    const names = worlds.map(({ name }) => name)
    for (const name of await this.#names()) {
      if (name !== OWN_WORLD && !isKeyWorld(name) && !names.includes(name)) await this.delete(name)
    }
    for (const { name, replace } of worlds) {
      await replace()
      await this.#sandbox.worlds.add(name)
    }
  }

  async #fork(stored: StoredWorld, present: LoadedWorld | undefined, from: string): Promise<void> {
    const source = this.store.world(from)
    const loaded = await source.load()
    if (!loaded) throw unknownSourceError(stored.name, from, await this.#names())
    if (present || stored.name === OWN_WORLD) throw existingWorldError(stored.name)
    const opened = await this.#opened(source, loaded)
    const { state: copied, ...snapshot } = await takeStoredSnapshot(opened)
    // The original sends what is pending. The copy must not send it, too.
    const { events: _, ...kept } = copied
    const state = await restoreWorld(this.service, new Set(), { ...snapshot, state: kept })
    const { begin } = await prepareEpoch(stored, state, {
      recordsOf: opened.configuration.recordsOf,
    })
    if (!(await begin(undefined))) throw existingWorldError(stored.name)
    await this.#sandbox.worlds.add(stored.name)
  }

  /** The default world first, then from the least recently used one to the latest. */
  async #names(): Promise<readonly string[]> {
    const names = await this.store.registry.list()
    return [OWN_WORLD, ...names.filter((name) => name !== OWN_WORLD)]
  }

  /** The worlds of these names that exist. */
  async #load(
    names: readonly string[],
  ): Promise<readonly { readonly stored: StoredWorld; readonly loaded: LoadedWorld }[]> {
    const found: { readonly stored: StoredWorld; readonly loaded: LoadedWorld }[] = []
    for (let at = 0; at < names.length; at += BATCH) {
      const worlds = names.slice(at, at + BATCH).map((name) => this.store.world(name))
      const loaded = await Promise.all(worlds.map((stored) => stored.load()))
      for (const [index, one] of loaded.entries()) {
        const stored = worlds[index]
        if (stored && one) found.push({ stored, loaded: one })
      }
    }
    return found
  }

  async #hosted(
    stored: StoredWorld,
    loaded: LoadedWorld,
    options: TaskOptions,
  ): Promise<HostedWorld> {
    const opened = await this.#opened(stored, loaded, options)
    if (stored.name === OWN_WORLD) return new HostedOwnWorld(opened, this)
    return opened.unusedKeys ? new HostedKeyWorld(opened, this) : new HostedWorld(opened, this)
  }

  async #opened(
    stored: StoredWorld,
    loaded: LoadedWorld,
    { isRead = false, isAgain = false }: TaskOptions = {},
  ): Promise<OpenedWorld> {
    const { service } = this
    const configuration = readConfiguration(loaded.text, service.settings.contract)
    const first = await firstRecordsOf(service, configuration.recordsOf)
    const records = stored.records(loaded.epoch)
    const transaction = new Transaction(isRead ? new UnwrittenRecords(records) : records, !isAgain)
    const store = createSharedStore(transaction, first)
    const journal = new CapturedJournal(loaded.last, service)
    const base = stateOf(service, new Set(), loaded, store, journal)
    const turns = this.events.of(stored.name)
    const { receivers } = configuration
    const held = { receivers, storeTime: loaded.storeTime }
    const state = withEvents(base, {
      openStore: async () => store,
      note: () => turns.note(),
      held,
      streams: { isFollowed: loaded.isFollowed },
    })

    const opened = { stored, loaded, state, transaction, first, configuration, isRead }
    if (!this.isByKey || !isKeyWorld(stored.name)) return opened
    return { ...opened, state: { ...state, keys: await this.#keys() }, unusedKeys: state.keys }
  }

  /** The plans and keys of the default world. */
  async #keys(): Promise<Keys> {
    const { settings } = this.service
    const own = await this.store.world(OWN_WORLD).load()
    return keysOf(
      own ? readConfiguration(own.text, settings.contract).keys : settings.keys,
      this.service,
    )
  }
}

/** The state with the events of its world in the store. */
function withEvents(
  state: WorldState,
  host: Pick<StoredEventHost, 'openStore' | 'note' | 'held' | 'streams'>,
): WorldState {
  const { service, clock, rules, journal } = state
  const lastExchange = (): number => journal.last

  return { ...state, events: new StoredEvents({ ...host, service, clock, rules, lastExchange }) }
}

/** A world while a task of the control interface runs on it. What the task changed is kept at its end, if nobody else did. */
export class HostedWorld extends SandboxWorld {
  readonly opened: OpenedWorld
  /** Whether what the task changed is kept only if nobody has changed the configuration meanwhile. */
  isBoundToConfiguration = false
  protected readonly handle: WorldHandle
  protected readonly worlds: WorldsInStore
  /** How a state that replaces the loaded one is written: it is restored, unless a scenario begins. */
  #options: EpochOptions = { keepsJournal: true }

  constructor(opened: OpenedWorld, worlds: WorldsInStore) {
    const { service } = worlds
    const handle = new WorldHandle(opened.state, new Set())
    super(
      opened.stored.name,
      () => service,
      () => handle,
    )
    this.opened = opened
    this.handle = handle
    this.worlds = worlds
  }

  override readonly snapshot: SandboxWorld['snapshot'] = async () => takeStoredSnapshot(this.opened)

  override readonly reset: SandboxWorld['reset'] = () => {
    this.#begin(this.worlds.service.settings.scenario)
  }

  override readonly play: SandboxWorld['play'] = async (name) => {
    await this.#begin(name).openStore()
  }

  /** Replaces the state by the start of a scenario. */
  #begin(name: string | undefined): WorldState {
    const { service } = this.worlds
    const scenario = name === undefined ? undefined : service.scenario(name)
    const state = createWorldState(service, new Set(), scenario)
    const start = epochStart(service, this.opened.loaded.lead, name)
    this.#options = { ...start, hasRecords: false }
    this.handle.startReplacement()(state)

    return state
  }

  /**
   * Writes what the task changed. Resolves with `false`, and writes nothing, when that was decided on something that has changed
   * since: then the task has to run again.
   */
  async keep(): Promise<boolean> {
    const { stored, loaded, state, transaction, isRead } = this.opened
    if (isRead) return !transaction.hasRead || this.#isPresent()
    if (this.handle.state === state) return this.#commit()
    if (hasPending(this.handle.state)) await this.worlds.events.of(stored.name).note()
    const prepared = await prepareEpoch(stored, this.handle.state, this.#options)

    return prepared.begin(loaded.epoch)
  }

  async #commit(): Promise<boolean> {
    const { stored, loaded, transaction, state } = this.opened
    if (state.events instanceof StoredEvents) await state.events.flush(await state.openStore())
    const { isFollowed, ...streamed } = streamChangesOf(state.events)
    const changes = { ...this.#changes(), ...streamed, ...transaction.writes() }
    const { version: _, ...written } = changes
    if (Object.values(written).every(isEmpty)) return !transaction.hasRead || this.#isPresent()
    const known = isFollowed === undefined ? {} : { isFollowed }
    const { kind } = await stored.commit({ epoch: loaded.epoch, ...known, ...changes })

    return kind === 'done'
  }

  /** Whether the epoch that was read is the present one: the records of another one may be removed in part. */
  async #isPresent(): Promise<boolean> {
    const { stored, loaded } = this.opened
    return (await stored.load())?.epoch === loaded.epoch
  }

  /** The changes. A move of the clock counts as one of the configuration, so that two moves at the same time add up. */
  #changes(): Omit<Commit, 'epoch'> {
    const { loaded, state, unusedKeys: keys = state.keys } = this.opened
    const changes = changesOf(loaded, { ...state, keys })
    const { text = changes.clock && loaded.text } = changes

    return {
      ...changes,
      ...((text !== undefined || this.isBoundToConfiguration) && { version: loaded.version }),
      ...(text !== undefined && { text }),
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

/** The default world, whose snapshots have all worlds. */
class HostedOwnWorld extends HostedWorld {
  /** The worlds of a snapshot that is restored. */
  #restored: readonly NamedWorld[] | undefined

  override readonly snapshot: SandboxWorld['snapshot'] = async () =>
    takeStoredSnapshot(this.opened, await this.worlds.others())

  override readonly restore: SandboxWorld['restore'] = async (snapshot) => {
    const listeners = { listenersOf: () => new Set<never>() }
    const { service } = this.worlds
    const { own, others } = await restoreSandbox(service, new Set(), listeners, snapshot)
    this.handle.startReplacement()(own)
    this.#restored = others
  }

  override async keep(): Promise<boolean> {
    if (this.worlds.isByKey) await this.#clearAddedKeys()
    if (!this.#restored) return super.keep()
    const { store } = this.worlds
    const prepared: (PreparedEpoch & { readonly name: string })[] = []
    for (const [name, { state }] of this.#restored) {
      if (hasPending(state)) await this.worlds.events.of(name).note()
      prepared.push({
        name,
        ...(await prepareEpoch(store.world(name), state, { keepsJournal: true })),
      })
    }
    if (!(await super.keep())) return false
    await this.worlds.replace(prepared)

    return true
  }

  /** Clears what the keys that were added have used in their worlds, before requests with them are served. */
  async #clearAddedKeys(): Promise<void> {
    const before = new Set(this.opened.configuration.keys.keys.map(([key]) => key))
    const added = this.handle.state.keys.list().filter(({ key }) => !before.has(key))
    for (const { key } of added) {
      await removeAccount(this.worlds.store.world(await keyWorldOf(key)), key)
    }
  }
}

/** The world of an API key. Its plans, keys and tokens are those of the default world, and are changed there. */
class HostedKeyWorld extends HostedWorld {
  readonly #keys: unknown
  override readonly signIn: SandboxWorld['signIn'] = {
    ...signInOf(() => this.handle.state),
    as: async () => {
      throw keyWorldTokensError(this.name)
    },
  }

  constructor(opened: OpenedWorld, worlds: WorldsInStore) {
    super(opened, worlds)
    this.#keys = opened.state.keys.snapshot()
  }

  override async keep(): Promise<boolean> {
    const { stored, state } = this.opened
    if (!areEqual(this.#keys, state.keys.snapshot())) throw keyWorldKeysError(stored.name)
    return super.keep()
  }
}

/** Whether a state that was restored has something to send. */
function hasPending({ events }: WorldState): boolean {
  return (events.snapshot()?.deliveries ?? []).length > 0
}

/** Removes what was counted on an account of a world: a key that is added again starts unused. */
async function removeAccount(world: StoredWorld, account: string): Promise<void> {
  await untilKept(world.name, async () => {
    const loaded = await world.load()
    const before = loaded?.accounts.get(account)
    if (!loaded || !before) return true
    const accounts = [{ key: account, before, after: undefined }]
    const { kind } = await world.commit({ epoch: loaded.epoch, accounts })

    return kind === 'done' ? true : undefined
  })
}
