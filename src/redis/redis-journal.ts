import { epochKey } from './keys.ts'
import { type RedisClient, WAIT } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'
import { READ_JOURNAL } from './scripts/world-scripts.ts'
import { corruptValue, listIn, numberIn, textIn } from './store-errors.ts'
import type { StoredExchange, StoredJournal } from './world-store.ts'

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

/** How many entries are read at once. */
const MOST = 500

/** How long a reader waits before it tries again, while the store is away or the world does not exist, in milliseconds. */
const PAUSE = 500

const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

interface Position {
  /** The epoch in which the journal began. */
  readonly journal: string
  readonly last: number
}

/** Reads the exchanges of a world as they are recorded, also when the journal is replaced, until it is closed. */
class JournalReader {
  readonly #connection: RedisConnection
  readonly #client: RedisClient
  readonly #world: string
  readonly #listener: (exchange: StoredExchange) => void
  #isClosed = false
  #endPause: () => void = () => undefined

  constructor(
    connection: RedisConnection,
    world: string,
    listener: (exchange: StoredExchange) => void,
  ) {
    this.#connection = connection
    this.#client = connection.forWaiting()
    this.#world = world
    this.#listener = listener
    // Asked at once: what is read after this, on the same connection, is not older than where this reader starts.
    void this.#follow(this.#position())
  }

  close(): void {
    this.#isClosed = true
    this.#endPause()
    this.#client.close()
  }

  async #follow(first: Promise<Position | undefined>): Promise<void> {
    let position: Position | undefined
    let isFirst = true
    const start = first.catch(() => undefined)
    while (!this.#isClosed) {
      try {
        if (isFirst) position = await start
        isFirst = false
        position = position ? await this.#read(position) : await this.#begin()
      } catch {
        await this.#pause()
      }
    }
  }

  /** Reads on in the present journal: from its first exchange, because the one before has ended or was not there. */
  async #begin(): Promise<Position | undefined> {
    const present = await this.#position()
    if (!present) await this.#pause()

    return present && { ...present, last: 0 }
  }

  /** Waits for exchanges after a position. Resolves with the next position; with `undefined` when the journal has ended. */
  async #read({ journal, last }: Position): Promise<Position | undefined> {
    const key = `${epochKey(this.#world, journal)}:journal`
    const reply = await this.#client.call(
      ...(['xread', 'COUNT', MOST, 'BLOCK', WAIT, 'STREAMS', key, `${last}-0`] as const),
    )
    if (this.#isClosed) return undefined
    if (reply === null) return (await this.#hasEnded(journal)) ? undefined : { journal, last }
    const [stream] = listIn(reply, key)
    const { exchanges, hasEnded } = readEntries(listIn(stream, key)[1], key)
    for (const exchange of exchanges) this.#listener(exchange)

    return hasEnded ? undefined : { journal, last: exchanges.at(-1)?.id ?? last }
  }

  async #hasEnded(journal: string): Promise<boolean> {
    const present = await this.#position()
    return present?.journal !== journal
  }

  async #position(): Promise<Position | undefined> {
    // No script: one that the store does not know is sent again, after what was read meanwhile.
    const reply = await this.#connection.command('hmget', this.#world, 'epoch', 'last', 'journal')
    const [epoch, last, journal] = listIn(reply, this.#world)
    if (epoch === null || epoch === undefined) return undefined

    return { journal: textIn(journal ?? epoch, this.#world), last: numberIn(last, this.#world) }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = startTimer(resolve, PAUSE)
      this.#endPause = () => {
        stopTimer(timer)
        resolve()
      }
    })
  }
}

/** Entries of the stream of a journal. `hasEnded`: the last one says that the epoch has ended. */
interface JournalEntries {
  readonly exchanges: readonly StoredExchange[]
  readonly hasEnded: boolean
}

/** Reads the entries of a stream. */
function readEntries(entries: unknown, key: string): JournalEntries {
  const exchanges: StoredExchange[] = []
  let hasEnded = false
  for (const entry of listIn(entries, key)) {
    const [id, fields] = listIn(entry, key)
    const [field, text] = listIn(fields, key)
    if (field === 'end') hasEnded = true
    else if (field !== 'exchange') throw corruptValue(key)
    else
      exchanges.push({ id: numberIn(textIn(id, key).split('-')[0], key), text: textIn(text, key) })
  }
  return { exchanges, hasEnded }
}
