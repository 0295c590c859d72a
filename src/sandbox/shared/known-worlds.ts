import type { WorldState } from '../../engine/world-state.ts'
import type { Exchange } from '../../journal/exchange.ts'
import { notify } from '../../journal/notify.ts'
import { OWN_WORLD, type WorldListener } from '../worlds.ts'
import type { SharedService } from './shared-service.ts'
import { SharedWorld } from './shared-world.ts'

/** How many worlds an instance knows the configuration of. */
const MAX_KNOWN = 2000

/** So many uses are noted at once in a period of so many milliseconds. */
const MAX_NOTED = 10
const PERIOD = 100

/** On a busy server, a use of a world is noted at most once in so many milliseconds. */
const TOUCH_INTERVAL = 1000

interface KnownWorld {
  readonly world: SharedWorld
  touched: number
}

/** The worlds that this instance has used. The store has all of them. */
export class KnownWorlds {
  readonly #shared: SharedService
  readonly #prepare: (name: string, state: WorldState) => void
  /** From the least recently used one to the latest. */
  readonly #known = new Map<string, KnownWorld>()
  /** When the period began, and how many uses were noted in it. */
  #period = { start: 0, noted: 0 }
  readonly #listeners = new Set<WorldListener>()
  readonly #dropListeners = new Set<(name: string) => void>()

  /** `prepare` changes the state that a world begins with. */
  constructor(shared: SharedService, prepare: (name: string, state: WorldState) => void) {
    this.#shared = shared
    this.#prepare = prepare
  }

  /** Creates a world, unless it exists. */
  async load(name: string): Promise<SharedWorld> {
    const world = this.use(name)
    await world.open()
    return world
  }

  /** A world that is used, which exists after its first request. */
  use(name: string): SharedWorld {
    const known = this.#known.get(name) ?? { world: this.#createWorld(name), touched: 0 }
    this.#known.delete(name)
    this.#known.set(name, known)
    const [oldest = name] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest)
    if (name !== OWN_WORLD && this.#isToBeNoted(known)) {
      // The request itself meets the error of a store that is away.
      this.touch(name).catch(() => undefined)
    }
    return known.world
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

  /** Notes that a world is used, and drops the worlds that are too many. */
  async touch(name: string): Promise<void> {
    const { service, store } = this.#shared
    await this.end(await store.registry.touch(name, service.settings.worlds))
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
      onCreation: async () => {
        if (name !== OWN_WORLD) await this.touch(name)
      },
      prepare: (state) => this.#prepare(name, state),
      onExchange: (exchange: Exchange) => {
        for (const listener of this.#listeners) notify((one) => listener(one, name), exchange)
      },
    })
  }
}
