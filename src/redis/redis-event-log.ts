import { epochKey } from './keys.ts'
import { type RedisClient, WAIT } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'
import { KEEP_FOLLOWED } from './scripts/world-scripts.ts'
import { corruptValue, listIn, numberIn, textIn } from './store-errors.ts'
import type { LoggedEvent, StoredEventLog } from './world-store.ts'

/** A server says so often, in milliseconds, that somebody follows the events of a world. */
const RENEWAL = 20_000
/** How long a reader waits before it tries again, while the store is away, in milliseconds. */
const PAUSE = 500
/** How many entries are read at once. */
const MOST = 500

interface Listener {
  readonly tell: (event: LoggedEvent) => void
  readonly end: () => void
}

/** The logs of events of the worlds, for streams. All that follow an epoch share a reader. */
export class EventLogs {
  readonly #connection: RedisConnection
  /** By the keys of the epochs. */
  readonly #readers = new Map<string, LogReader>()

  constructor(connection: RedisConnection) {
    this.#connection = connection
  }

  /** The log of the world with this key. */
  of(world: string): StoredEventLog {
    return {
      read: async (epoch, after) => {
        const key = logKey(world, epoch)
        const entries = await this.#connection.command('xrange', key, `(${after}-0`, '+')
        return readEntries(entries, key).events
      },
      follow: (epoch, tell, end) => this.#follow(world, epoch, { tell, end }),
    }
  }

  /** Ends all readers. */
  close(): void {
    for (const reader of this.#readers.values()) reader.close()
    this.#readers.clear()
  }

  #follow(world: string, epoch: string, listener: Listener): () => void {
    const key = epochKey(world, epoch)
    const forget = (): void => void this.#readers.delete(key)
    const reader = this.#readers.get(key) ?? new LogReader(this.#connection, world, epoch, forget)
    this.#readers.set(key, reader)
    reader.listeners.add(listener)

    return () => {
      if (!reader.listeners.delete(listener) || reader.listeners.size > 0) return
      reader.close()
      if (this.#readers.get(key) === reader) forget()
    }
  }
}

function logKey(world: string, epoch: string): string {
  return `${epochKey(world, epoch)}:events`
}

/** Reads the events of an epoch as they are committed, until the epoch ends or it is closed. Meanwhile, the store keeps them. */
class LogReader {
  readonly listeners = new Set<Listener>()
  readonly #connection: RedisConnection
  readonly #client: RedisClient
  readonly #world: string
  readonly #epoch: string
  readonly #onEnd: () => void
  readonly #renewal: ReturnType<typeof setInterval>
  #isClosed = false

  constructor(connection: RedisConnection, world: string, epoch: string, onEnd: () => void) {
    this.#connection = connection
    this.#client = connection.forWaiting()
    this.#world = world
    this.#epoch = epoch
    this.#onEnd = onEnd
    this.#renewal = setInterval(() => void this.#keep().catch(() => undefined), RENEWAL)
    this.#renewal.unref()
    void this.#readAll()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#renewal)
    this.#client.close()
  }

  async #readAll(): Promise<void> {
    let last = 0
    while (!this.#isClosed) {
      try {
        const next = await this.#read(last)
        if (next === undefined) this.#end()
        else last = next
      } catch {
        await new Promise((resolve) => setTimeout(resolve, PAUSE))
      }
    }
  }

  /** Waits for events after a number. Resolves with the number of the latest one; with `undefined` when the epoch has ended. */
  async #read(last: number): Promise<number | undefined> {
    const key = logKey(this.#world, this.#epoch)
    const reply = await this.#client.call(
      ...(['xread', 'COUNT', MOST, 'BLOCK', WAIT, 'STREAMS', key, `${last}-0`] as const),
    )
    if (this.#isClosed) return last
    if (reply === null) return (await this.#isPresent()) ? last : undefined
    const [stream] = listIn(reply, key)
    const { events, hasEnded } = readEntries(listIn(stream, key)[1], key)
    for (const event of events) for (const { tell } of [...this.listeners]) tell(event)

    return hasEnded ? undefined : (events.at(-1)?.number ?? last)
  }

  async #isPresent(): Promise<boolean> {
    return (await this.#connection.command('hget', this.#world, 'epoch')) === this.#epoch
  }

  async #keep(): Promise<void> {
    const [isPresent] = await this.#connection.run(KEEP_FOLLOWED, this.#world, [this.#epoch])
    if (isPresent !== 1) this.#end()
  }

  #end(): void {
    if (this.#isClosed) return
    this.close()
    this.#onEnd()
    for (const { end } of [...this.listeners]) end()
  }
}

/** Reads the entries of a log. `hasEnded`: the last one says that the epoch has ended. */
function readEntries(
  entries: unknown,
  key: string,
): { readonly events: readonly LoggedEvent[]; readonly hasEnded: boolean } {
  const events: LoggedEvent[] = []
  let hasEnded = false
  for (const entry of listIn(entries, key)) {
    const [id, fields] = listIn(entry, key)
    const [field, text] = listIn(fields, key)
    if (field === 'end') hasEnded = true
    else if (field !== 'event') throw corruptValue(key)
    else
      events.push({
        number: numberIn(textIn(id, key).split('-')[0], key),
        text: textIn(text, key),
      })
  }
  return { events, hasEnded }
}
