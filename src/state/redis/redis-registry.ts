import type { WorldBudget, WorldGroup, WorldRegistry } from '../world-store.ts'
import type { RedisConnection } from './redis-connection.ts'
import { textsIn } from './reply.ts'
import { ADD, DROP_UNUSED, REMOVE, USE } from './scripts/registry.ts'

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

  async add(
    name: string,
    { group, most, idle = 0 }: WorldBudget,
  ): Promise<readonly string[] | undefined> {
    const [names] = await this.#connection.run(ADD, this.#key, [name, group, most, idle])
    return names === 'full' ? undefined : textsIn(names, this.#key)
  }

  async use(name: string, group?: WorldGroup): Promise<void> {
    await this.#connection.run(USE, this.#key, [name, group ?? ''])
  }

  async remove(name: string): Promise<void> {
    await this.#connection.run(REMOVE, this.#key, [name])
  }

  async dropped(): Promise<readonly string[]> {
    return textsIn(
      await this.#connection.command('lrange', `${this.#key}:dropped`, 0, -1),
      this.#key,
    )
  }

  async dropUnused(prefix: string, milliseconds: number): Promise<readonly string[]> {
    const [names] = await this.#connection.run(DROP_UNUSED, this.#key, [prefix, milliseconds])
    return textsIn(names, this.#key)
  }
}
