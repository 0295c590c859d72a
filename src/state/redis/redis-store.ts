import type {
  ContractIdentity,
  Registration,
  StoredWorld,
  WorldRegistry,
  WorldStore,
} from '../world-store.ts'
import { Journals } from './journals.ts'
import { registryKey, worldKey } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisRegistry } from './redis-registry.ts'
import { RedisWorld } from './redis-world.ts'
import { register } from './registration.ts'
import { RetiredEpochs } from './retired-epochs.ts'

/** A store in Redis, Valkey, or a cluster of one of them. */
export class RedisStore implements WorldStore {
  readonly registry: WorldRegistry
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #notices: readonly string[]
  readonly #journals: Journals
  readonly #retired: RetiredEpochs

  constructor(connection: RedisConnection, prefix: string, notices: readonly string[]) {
    const key = registryKey(prefix)
    this.registry = new RedisRegistry(connection, key)
    this.#connection = connection
    this.#prefix = prefix
    this.#notices = notices
    this.#journals = new Journals(connection)
    this.#retired = new RetiredEpochs(connection, `${key}:retired`)
  }

  async register(contract: ContractIdentity): Promise<Registration> {
    const startedAt = await register(this.#connection, this.#prefix, contract)
    await this.#retired.resume()

    return { startedAt, notices: this.#notices }
  }

  world(name: string): StoredWorld {
    const key = worldKey(this.#prefix, name)
    return new RedisWorld(name, key, this.#connection, this.#journals, (world) =>
      this.#retired.clean(world),
    )
  }

  async check(): Promise<void> {
    await this.#connection.command('ping')
  }

  async close(): Promise<void> {
    this.#journals.close()
    this.#retired.close()
    await this.#retired.settle()
    this.#connection.close()
  }
}
