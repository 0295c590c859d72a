import type { RedisConnection } from './redis-connection.ts'
import { CLEAN } from './scripts/begin.ts'

/** Removes what is left of ended epochs, in small steps between the commands of others. */
export class RetiredEpochs {
  readonly #connection: RedisConnection
  readonly #key: string
  readonly #running = new Map<string, Promise<void>>()
  #isClosed = false

  /** `key` is that of the set of the worlds to be cleaned, so that another instance goes on when this one ends. */
  constructor(connection: RedisConnection, key: string) {
    this.#connection = connection
    this.#key = key
  }

  /** Starts to remove the ended epochs of a world. */
  clean(world: string): void {
    if (this.#running.has(world) || this.#isClosed) return
    // When the store is away, the next start of an instance goes on.
    const running = this.#clean(world)
      .catch(() => undefined)
      .finally(() => this.#running.delete(world))
    this.#running.set(world, running)
  }

  /** Goes on with what other instances did not end. */
  async resume(): Promise<void> {
    const worlds = await this.#connection.command('smembers', this.#key)
    if (!Array.isArray(worlds)) return
    for (const world of worlds) if (typeof world === 'string') this.clean(world)
  }

  /** Waits until nothing is being removed. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  close(): void {
    this.#isClosed = true
  }

  async #clean(world: string): Promise<void> {
    await this.#connection.command('sadd', this.#key, world)
    for (;;) {
      if (this.#isClosed) return
      const [hasMore] = await this.#connection.run(CLEAN, world)
      if (hasMore !== 1) break
    }
    await this.#connection.command('srem', this.#key, world)
  }
}
