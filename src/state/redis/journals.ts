import type { StoredExchange, StoredJournal } from '../world-store.ts'
import { JournalReader } from './journal-reader.ts'
import { readEntries } from './read-entries.ts'
import type { RedisConnection } from './redis-connection.ts'
import { READ_JOURNAL } from './scripts/load.ts'

/** The largest number that the store takes as a limit. */
const UNLIMITED = 1_000_000_000

type Listener = (exchange: StoredExchange) => void

/** The journals of the worlds. All followers of a world share a reader. */
export class Journals {
  readonly #connection: RedisConnection
  readonly #readers = new Map<
    string,
    { readonly reader: JournalReader; readonly listeners: Set<Listener> }
  >()

  constructor(connection: RedisConnection) {
    this.#connection = connection
  }

  /** The journal of the world with this key. */
  of(world: string): StoredJournal {
    return {
      read: (after, limit) => this.#read(world, after, limit),
      follow: (listener) => this.#follow(world, listener),
    }
  }

  /** Ends all readers. */
  close(): void {
    for (const { reader } of this.#readers.values()) reader.close()
    this.#readers.clear()
  }

  async #read(world: string, after: number, limit: number): Promise<readonly StoredExchange[]> {
    if (limit <= 0) return []
    const from = Math.max(0, Math.floor(after))
    const [entries = []] = await this.#connection.run(READ_JOURNAL, world, [
      from,
      Math.min(Math.floor(limit), UNLIMITED),
    ])
    return readEntries(entries, world).exchanges
  }

  #follow(world: string, given: Listener): () => void {
    // The same function may be given twice.
    const listener: Listener = (exchange) => given(exchange)
    const known = this.#readers.get(world)
    if (known) known.listeners.add(listener)
    else this.#start(world, listener)

    return () => {
      const followed = this.#readers.get(world)
      if (!followed?.listeners.delete(listener) || followed.listeners.size > 0) return
      followed.reader.close()
      this.#readers.delete(world)
    }
  }

  #start(world: string, listener: Listener): void {
    const listeners = new Set([listener])
    const reader = new JournalReader(this.#connection, world, (exchange) => {
      for (const one of [...listeners]) one(exchange)
    })
    this.#readers.set(world, { reader, listeners })
  }
}
