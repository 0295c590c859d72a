import type { StoredExchange } from '../world-store.ts'
import { WAIT } from './client-options.ts'
import { epochKey } from './keys.ts'
import { readEntries } from './read-entries.ts'
import type { RedisClient } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'
import { listIn, numberIn, textIn } from './reply.ts'

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
export class JournalReader {
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
