import type { Listeners } from '../engine/world-state.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { JournalListener } from '../journal/journal.ts'
import { notify } from '../journal/notify.ts'

/** Called with each exchange when it ends, and with the name of its world. */
export type WorldListener = (exchange: Exchange, world: string) => void

/** The listeners of all worlds, and those of worlds that are gone. */
export class WorldListeners {
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
    return (exchange) => {
      for (const listener of this.#listeners) notify((one) => listener(one, name), exchange)
    }
  }
}
