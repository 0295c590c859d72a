import { isAdmitted } from '../engine/caller.ts'
import type { Service } from '../engine/service.ts'
import {
  createWorldState,
  type Listeners,
  WorldHandle,
  type WorldState,
} from '../engine/world-state.ts'
import type { CoreRequest } from '../http/message.ts'
import { worldNameError } from '../http/paths.ts'
import { type Exchange, notify } from '../journal/exchange.ts'
import type { JournalListener } from '../journal/journal.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { forkWorldState, type WorldStates } from './snapshot.ts'

/** The name of the sandbox's own world. */
export const OWN_WORLD = 'default'

/** What a list of worlds says about one. */
export interface WorldInfo {
  readonly name: string
  /** How many requests it has answered since its last reset. */
  readonly requests: number
}

/** A world other than the sandbox's own. */
export type NamedWorld = readonly [name: string, handle: WorldHandle]

/** How many names of dropped worlds are kept. */
const MAX_DROPPED_NAMES = 100

/** Keeps the worlds. When there are too many, the one that was used least recently is dropped. */
export class Worlds {
  readonly #own: WorldHandle
  /** All worlds but the sandbox's own, from the least recently used one to the latest. */
  readonly #handles = new Map<string, WorldHandle>()
  readonly #listeners = new WorldListeners()
  readonly #dropListeners = new Set<(name: string) => void>()
  readonly #dropped: string[] = []

  constructor(own: WorldHandle) {
    this.#own = own
    own.listeners.add(this.#listeners.reporterFor(OWN_WORLD))
  }

  /** The worlds: the sandbox's own first, then from the least recently used one to the latest. */
  list(): readonly WorldInfo[] {
    const all: readonly NamedWorld[] = [[OWN_WORLD, this.#own], ...this.#handles]
    return all.map(([name, { state }]) => ({ name, requests: state.journal.last }))
  }

  /** Deletes a world and its state, and returns whether it existed. Throws a UsageError for the sandbox's own world. */
  delete(name: string): boolean {
    checkName(name)
    if (name !== OWN_WORLD) return this.#end(name)
    throw ownWorldError(name)
  }

  /** The names of the last hundred worlds that were dropped for newer ones. A dropped world is created again at its next use. */
  get dropped(): readonly string[] {
    return [...this.#dropped]
  }

  /**
   * Calls `listener` with each exchange of every world and the name of the world, also with an exchange that was under way when
   * its world was reset. Returns a function that removes the listener.
   */
  readonly onExchange = (listener: WorldListener): (() => void) => this.#listeners.add(listener)

  /** Calls `listener` with the name of each world that is dropped. Returns a function that removes the listener. */
  readonly onDrop = (listener: (name: string) => void): (() => void) => {
    this.#dropListeners.add(listener)
    return () => this.#dropListeners.delete(listener)
  }

  /** The world with this name, which is created unless it exists. Throws a UsageError for an invalid name. */
  open(name: string): WorldHandle {
    if (name === OWN_WORLD) return this.#own
    const known = this.#handles.get(name)
    if (!known) return this.#add(name, this.#createHandle(name))
    return this.#use(name, known)
  }

  /**
   * The state in which a request to a world is answered. A request without the credentials that it needs is answered as in a new
   * world, and creates none: nobody can displace worlds without a valid credential.
   */
  stateFor(name: string, request: CoreRequest): WorldState {
    if (name === OWN_WORLD) return this.#own.state
    const known = this.#handles.get(name)
    const handle = known ?? this.#createHandle(name)
    const { state } = handle
    if (isAdmitted(request, state.keys, state.service)) {
      if (known) this.#use(name, handle)
      else this.#add(name, handle)
    }
    return state
  }

  /** Returns a function that finds a world to be read: one that does not exist is as a new one, and is not kept. */
  reading(name: string): () => WorldHandle {
    checkName(name)
    let unkept: WorldHandle | undefined

    return () => {
      const known = name === OWN_WORLD ? this.#own : this.#handles.get(name)
      if (known) return known
      unkept ??= this.#createHandle(name)
      return unkept
    }
  }

  /** Creates a world in the present state of another one. Throws a UsageError when it exists, or when the other one does not. */
  fork(name: string, from: string): void {
    const source = from === OWN_WORLD ? this.#own : this.#handles.get(from)
    if (!source) throw unknownSourceError(name, from, [OWN_WORLD, ...this.#handles.keys()])
    if (name === OWN_WORLD || this.#handles.has(name)) throw existingWorldError(name)
    this.#add(
      name,
      this.#createHandle(name, (listeners) => forkWorldState(source.state, listeners)),
    )
  }

  /** The listeners of a world. A new world has the listeners of the previous world of the same name. */
  listenersOf(name: string): Listeners {
    return this.#handles.get(name)?.listeners ?? this.#listeners.of(name)
  }

  /** Replaces all worlds but the sandbox's own. Those of the same names go on with their journals. */
  replace(worlds: readonly NamedWorld[]): void {
    const before = this.read()
    for (const name of before.keys()) this.#end(name)
    for (const [name, handle] of worlds) this.#add(name, handle.following(before.get(name)))
  }

  /** The present worlds, without the sandbox's own. */
  read(): ReadonlyMap<string, WorldHandle> {
    return new Map(this.#handles)
  }

  /** Puts a world back with its state, or ends the present world of this name. */
  put(name: string, handle: WorldHandle | undefined): void {
    if (!handle) return void this.#end(name)
    handle.state.journal.isPast = false
    this.#add(name, handle)
  }

  /** The state of every world but the sandbox's own. */
  states(): WorldStates {
    return new Map([...this.#handles].map(([name, { state }]) => [name, state]))
  }

  /** The present service: a new document replaces it. */
  get #service(): Service {
    return this.#own.state.service
  }

  #createHandle(
    name: string,
    create = (listeners: Listeners): WorldState => createWorldState(this.#service, listeners),
  ): WorldHandle {
    checkName(name)
    const listeners = this.listenersOf(name)
    return new WorldHandle(create(listeners), listeners)
  }

  /** Notes that a world is used. */
  #use(name: string, handle: WorldHandle): WorldHandle {
    this.#handles.delete(name)
    this.#handles.set(name, handle)
    return handle
  }

  #add(name: string, handle: WorldHandle): WorldHandle {
    this.#handles.set(name, handle)
    this.#listeners.forget(name)
    if (this.#handles.size > this.#service.settings.worlds) this.#dropOldest()

    return handle
  }

  #dropOldest(): void {
    const [oldest] = this.#handles.keys()
    if (oldest === undefined) return
    this.#end(oldest)
    this.#dropped.push(oldest)
    this.#dropped.splice(0, this.#dropped.length - MAX_DROPPED_NAMES)
    for (const listener of this.#dropListeners) notify(listener, oldest)
  }

  /** Ends a world. Its listeners are kept for the next world of its name. */
  #end(name: string): boolean {
    const handle = this.#handles.get(name)
    if (!handle) return false
    handle.end()
    this.#listeners.keep(name, handle.listeners)
    return this.#handles.delete(name)
  }
}

function checkName(name: string): void {
  const fault = worldNameError(name)
  if (fault) throw fault
}

/** Called with each exchange when it ends, and with the name of its world. */
export type WorldListener = (exchange: Exchange, world: string) => void

/** The listeners of all worlds, and those of worlds that are gone. */
class WorldListeners {
  readonly #listeners = new Set<WorldListener>()
  /** The listeners of worlds that were deleted or dropped: they continue with the next world of the same name. */
  readonly #orphaned = new Map<string, Listeners>()

  /** Calls `listener` with each exchange of every world. Returns a function that removes the listener. */
  add(listener: WorldListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The listeners of a new world: those of the previous world of the same name. */
  of(name: string): Listeners {
    return this.#orphaned.get(name) ?? new Set([this.reporterFor(name)])
  }

  /** Keeps the listeners of a world that ends, other than the sandbox's own, for the next world of its name. */
  keep(name: string, listeners: Listeners): void {
    if (listeners.size > 1) this.#orphaned.set(name, listeners)
  }

  /** Notes that a world has its listeners. */
  forget(name: string): void {
    this.#orphaned.delete(name)
  }

  /** Reports the exchanges of a world to the listeners of all worlds. */
  reporterFor(name: string): JournalListener {
    return (read) => {
      for (const listener of this.#listeners) notify((one) => listener(one, name), read())
    }
  }
}

/** The default world cannot be deleted. */
export function ownWorldError(name: string): UsageError {
  return new UsageError({
    code: 'own_world',
    task: `delete the world "${name}"`,
    reason: 'it is the default world of the sandbox',
    help: 'Reset it instead.',
  })
}

/** The world whose state a new world should have does not exist. */
export function unknownSourceError(
  name: string,
  from: string,
  known: readonly string[],
): UsageError {
  return new UsageError({
    code: 'unknown_world',
    task: `create the world "${name}"`,
    ...unknownName('world', from, known),
  })
}

/** A world that exists cannot begin with the state of another one. */
export function existingWorldError(name: string): UsageError {
  return new UsageError({
    code: 'world_exists',
    task: `create the world "${name}"`,
    reason: 'it exists already',
    help: 'Delete it first, or choose another name.',
  })
}

/** The plans and keys of all worlds of API keys are those of the default world. */
export function keyWorldKeysError(name: string): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task: `change the plans and keys of the world "${name}"`,
    reason: 'worlds of API keys have those of the default world',
    help: 'Change them in the default world.',
  })
}

/** The default world issues the tokens of all clients, and leads each to the world of its client. */
export function keyWorldTokensError(name: string): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task: `issue a token in the world "${name}"`,
    reason: 'the tokens of all clients are those of the default world',
    help: 'Issue it there. It leads to the world of its client.',
  })
}

/** The world of an API key cannot be created by its name. */
export function unknownKeyWorldError(name: string): UsageError {
  return new UsageError({
    code: 'unknown_world',
    task: `use the world "${name}"`,
    reason: 'it is the world of an API key, which has not sent a request',
    help: 'Send a request with the key, or choose another name.',
  })
}
