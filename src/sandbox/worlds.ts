import type { Service } from '../engine/service.ts'
import {
  createWorldState,
  type Listeners,
  WorldHandle,
  type WorldState,
} from '../engine/world-state.ts'
import { faultOfName } from '../http/world-path.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { JournalListener } from '../journal/journal.ts'
import { notify } from '../journal/notify.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { forkWorldState, type WorldStates } from './snapshot.ts'

/** The name of the sandbox's own world. */
export const OWN_WORLD = 'default'

/** What a list of worlds tells of one. */
export interface WorldInfo {
  readonly name: string
  /** How many requests it has answered since its last reset. */
  readonly requests: number
}

/** Called with each exchange as it ends, and with the name of its world. */
export type WorldListener = (exchange: Exchange, world: string) => void

/** A world beside the sandbox's own. */
export type NamedWorld = readonly [name: string, held: WorldHandle]

/** How many names of dropped worlds are kept. */
const MOST_DROPPED = 100

/** The worlds there are. One too many drops the one that was used least recently. */
export class Worlds {
  readonly #service: Service
  readonly #own: WorldHandle
  /** From the one used least recently to the latest; without the sandbox's own. */
  readonly #held = new Map<string, WorldHandle>()
  /** The listeners of worlds that are gone: they go on with the next world of the name. */
  readonly #left = new Map<string, Listeners>()
  readonly #listeners = new Set<WorldListener>()
  readonly #dropListeners = new Set<(name: string) => void>()
  readonly #dropped: string[] = []

  constructor(service: Service, own: WorldHandle) {
    this.#service = service
    this.#own = own
    own.listeners.add(this.#teller(OWN_WORLD))
  }

  /** The worlds, the sandbox's own first, then from the one used least recently to the latest. */
  list(): readonly WorldInfo[] {
    const others = [...this.#held].map(([name, handle]) => infoOf(name, handle))
    return [infoOf(OWN_WORLD, this.#own), ...others]
  }

  /** Deletes a world with all that is in it, and tells whether there was one. Throws a UsageError for the sandbox's own. */
  delete(name: string): boolean {
    checkName(name)
    if (name !== OWN_WORLD) return this.#end(name)
    throw new UsageError({
      code: 'own_world',
      task: `delete the world "${OWN_WORLD}"`,
      reason: 'it is the default world of the sandbox',
      help: 'Reset it instead.',
    })
  }

  /** The names of the last hundred worlds that were dropped for newer ones. One that is asked again is made anew. */
  get dropped(): readonly string[] {
    return [...this.#dropped]
  }

  /**
   * Calls `listener` with each exchange of every world, and the world's name, also with one that was under way when its
   * world was reset. Returns what stops that.
   */
  readonly onExchange = (listener: WorldListener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls `listener` with the name of each world that is dropped; returns what stops that. */
  readonly onDrop = (listener: (name: string) => void): (() => void) => {
    this.#dropListeners.add(listener)
    return () => this.#dropListeners.delete(listener)
  }

  /** A world, which is made unless it is there. Throws a UsageError for what cannot be a name. */
  open(name: string): WorldHandle {
    if (name === OWN_WORLD) return this.#own
    const known = this.#held.get(name)
    if (!known) {
      return this.#make(name, (listeners) => createWorldState(this.#service, listeners))
    }
    this.#held.delete(name)
    this.#held.set(name, known)

    return known
  }

  /** Makes a world in the present state of another. Throws a UsageError when it is there already, or the other is not. */
  fork(name: string, from: string): void {
    const source = from === OWN_WORLD ? this.#own : this.#held.get(from)
    if (!source) {
      throw new UsageError({
        code: 'unknown_world',
        task: `create the world "${name}"`,
        ...unknownName('world', from, [OWN_WORLD, ...this.#held.keys()]),
      })
    }
    if (name === OWN_WORLD || this.#held.has(name)) {
      throw new UsageError({
        code: 'world_exists',
        task: `create the world "${name}"`,
        reason: 'it exists already',
        help: 'Delete it first, or choose another name.',
      })
    }
    this.#make(name, (listeners) => forkWorldState(source.state, listeners))
  }

  /** The listeners of a world. One that is yet to be made takes over those of the last world of its name. */
  listenersOf(name: string): Listeners {
    const known = this.#held.get(name)?.listeners ?? this.#left.get(name)
    return known ?? new Set([this.#teller(name)])
  }

  /** Replaces all worlds but the sandbox's own. */
  replace(worlds: readonly NamedWorld[]): void {
    for (const name of this.#held.keys()) this.#end(name)
    for (const [name, handle] of worlds) this.#add(name, handle)
  }

  /** The worlds that are not the sandbox's own, as they are now. */
  read(): ReadonlyMap<string, WorldHandle> {
    return new Map(this.#held)
  }

  /** Puts a world back, with what it held, or ends the one of that name. */
  put(name: string, handle: WorldHandle | undefined): void {
    if (!handle) return void this.#end(name)
    handle.state.journal.isPast = false
    this.#add(name, handle)
  }

  /** The state of every world that is not the sandbox's own. */
  states(): WorldStates {
    return new Map([...this.#held].map(([name, { state }]) => [name, state]))
  }

  #make(name: string, make: (listeners: Listeners) => WorldState): WorldHandle {
    checkName(name)
    const listeners = this.listenersOf(name)
    return this.#add(name, new WorldHandle(make(listeners), listeners))
  }

  #add(name: string, handle: WorldHandle): WorldHandle {
    this.#held.set(name, handle)
    this.#left.delete(name)
    if (this.#held.size > this.#service.settings.worlds) this.#dropOldest()

    return handle
  }

  #dropOldest(): void {
    const [oldest] = this.#held.keys()
    if (oldest === undefined) return
    this.#end(oldest)
    this.#dropped.push(oldest)
    this.#dropped.splice(0, this.#dropped.length - MOST_DROPPED)
    for (const listener of this.#dropListeners) notify(listener, oldest)
  }

  /** Ends a world. Listeners other than the teller are kept for the next world of its name. */
  #end(name: string): boolean {
    const handle = this.#held.get(name)
    if (!handle) return false
    handle.end()
    if (handle.listeners.size > 1) this.#left.set(name, handle.listeners)
    return this.#held.delete(name)
  }

  #teller(name: string): JournalListener {
    return (exchange) => {
      for (const listener of this.#listeners) notify((one) => listener(one, name), exchange)
    }
  }
}

function infoOf(name: string, { state }: WorldHandle): WorldInfo {
  return { name, requests: state.journal.last }
}

function checkName(name: string): void {
  const fault = faultOfName(name)
  if (fault) throw fault
}
