import type { Keys } from '../../access/keys.ts'
import type { Service } from '../../engine/service.ts'
import { worldNameError } from '../../http/paths.ts'
import { SharedStore } from '../../resources/shared-store.ts'
import type { LoadedWorld } from '../../state/stored-state.ts'
import { Transaction } from '../../state/transaction.ts'
import { UnwrittenRecords } from '../../state/unwritten-records.ts'
import type { StoredWorld, WorldStore } from '../../state/world-store.ts'
import { restoreWorld } from '../restore.ts'
import {
  existingWorldError,
  ownWorldError,
  unknownKeyWorldError,
  unknownSourceError,
} from '../world-errors.ts'
import {
  type CreatedWorld,
  type HostedWorlds,
  type UseOptions,
  unknownWorld,
} from '../world-host.ts'
import { OWN_WORLD, type WorldInfo } from '../worlds.ts'
import { CapturedJournal } from './captured-journal.ts'
import { readConfiguration } from './configuration.ts'
import { firstRecordsOf } from './first-records.ts'
import { HostedKeyWorld } from './hosted-key-world.ts'
import { HostedOwnWorld } from './hosted-own-world.ts'
import { HostedWorld } from './hosted-world.ts'
import { isKeyWorld } from './key-worlds.ts'
import { stateOf } from './load-state.ts'
import type { OpenedWorld, WorldsInStore } from './opened-world.ts'
import { keysOf } from './prepared-configuration.ts'
import { type PreparedEpoch, prepareEpoch } from './prepared-epoch.ts'
import type { SharedSandbox } from './shared-sandbox.ts'
import { takeStoredSnapshot } from './stored-snapshot.ts'

/** How many worlds are loaded at once. */
const BATCH = 20

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

  get isByKey(): boolean {
    return this.#sandbox.isByKey
  }

  /**
   * A world. It is created unless it exists, or rejects with a 412 when it must exist. To be read, it is not created, and resolves
   * with `undefined` when it does not exist.
   */
  async open(
    name: string,
    { mustExist = false, isRead = false }: UseOptions,
  ): Promise<HostedWorld | undefined> {
    const stored = this.store.world(name)
    for (;;) {
      const loaded = await stored.load()
      if (loaded) {
        if (!isRead) this.#sandbox.worlds.note(name)
        return this.#hosted(stored, loaded, isRead)
      }
      if (mustExist) throw unknownWorld(name, await this.#names())
      // Requests with its key create it.
      if (isKeyWorld(name)) throw unknownKeyWorldError(name)
      if (isRead && name !== OWN_WORLD) return undefined
      await this.#sandbox.worlds.load(name)
    }
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
    if (isKeyWorld(name)) throw unknownKeyWorldError(name)
    const stored = this.store.world(name)
    const present = await stored.load()
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
    const state = await restoreWorld(this.service, new Set(), await takeStoredSnapshot(opened))
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

  async #hosted(stored: StoredWorld, loaded: LoadedWorld, isRead: boolean): Promise<HostedWorld> {
    const opened = await this.#opened(stored, loaded, isRead)
    if (stored.name === OWN_WORLD) return new HostedOwnWorld(opened, this)
    return opened.unusedKeys ? new HostedKeyWorld(opened, this) : new HostedWorld(opened, this)
  }

  async #opened(stored: StoredWorld, loaded: LoadedWorld, isRead = false): Promise<OpenedWorld> {
    const { service } = this
    const configuration = readConfiguration(loaded.text, service.settings.contract)
    const first = await firstRecordsOf(service, configuration.recordsOf)
    const records = stored.records(loaded.epoch)
    const transaction = new Transaction(isRead ? new UnwrittenRecords(records) : records)
    const store = new SharedStore(transaction, first)
    const journal = new CapturedJournal(loaded.last, service)
    const state = stateOf(service, new Set(), loaded, store, journal)

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
