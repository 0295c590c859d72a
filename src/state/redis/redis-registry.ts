import type { WorldRegistry } from '../world-store.ts'
import type { RedisConnection } from './redis-connection.ts'
import { textsIn } from './reply.ts'
import { REMOVE, TOUCH, UNUSED } from './scripts/registry.ts'

/** The names of the worlds in Redis, by the time of their last use. */
export class RedisRegistry implements WorldRegistry {
  readonly #connection: RedisConnection
  readonly #key: string

  constructor(connection: RedisConnection, key: string) {
    this.#connection = connection
    this.#key = key
  }

  async list(): Promise<readonly string[]> {
    return textsIn(await this.#connection.command('zrange', this.#key, 0, -1), this.#key)
  }

  async touch(name: string, most: number): Promise<readonly string[]> {
    const [names] = await this.#connection.run(TOUCH, this.#key, [name, most])
    return textsIn(names, this.#key)
  }

  async remove(name: string, isDropped = false): Promise<boolean> {
    const [removed] = await this.#connection.run(REMOVE, this.#key, [name, isDropped ? 1 : 0])
    return removed === 1
  }

  async dropped(): Promise<readonly string[]> {
    return textsIn(
      await this.#connection.command('lrange', `${this.#key}:dropped`, 0, -1),
      this.#key,
    )
  }

  async unused(prefix: string, milliseconds: number): Promise<readonly string[]> {
    const [names] = await this.#connection.run(UNUSED, this.#key, [milliseconds])
    return textsIn(names, this.#key).filter((name) => name.startsWith(prefix))
  }
}
