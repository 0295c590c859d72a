import { UsageError } from '../../validation/usage-error.ts'
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
import { RedisUnavailableError } from './store-errors.ts'
import { storeScript } from './store-script.ts'

/** Does nothing. It may write, so a store refuses it that is full, or a replica. */
const CHECK = storeScript('check', 'writes', 'return {time}')

/** A store in Redis, Valkey, or a cluster of one of them. */
export class RedisStore implements WorldStore {
  readonly registry: WorldRegistry
  /** The key of the registry. */
  readonly #key: string
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #notices: readonly string[]
  readonly #onNotice: (notice: string) => void
  readonly #journals: Journals
  readonly #retired: RetiredEpochs
  #registered:
    | { readonly contract: ContractIdentity; readonly startedAt: number; readonly secret: string }
    | undefined

  /** `onNotice` is called with what the operator of a running server should know. */
  constructor(
    connection: RedisConnection,
    prefix: string,
    notices: readonly string[],
    onNotice: (notice: string) => void,
  ) {
    const key = registryKey(prefix)
    this.#key = key
    this.registry = new RedisRegistry(connection, key)
    this.#connection = connection
    this.#prefix = prefix
    this.#notices = notices
    this.#onNotice = onNotice
    this.#journals = new Journals(connection)
    this.#retired = new RetiredEpochs(connection, `${key}:retired`)
  }

  async register(contract: ContractIdentity): Promise<Registration> {
    const { startedAt, secret } = await register(this.#connection, this.#prefix, contract)
    this.#registered = { contract, startedAt, secret }
    await this.#retired.resume()

    return { startedAt, secret, notices: this.#notices }
  }

  world(name: string): StoredWorld {
    const key = worldKey(this.#prefix, name)
    return new RedisWorld(name, key, this.#connection, this.#journals, {
      onCreate: () => this.#registerAgain(),
      clean: (world) => this.#retired.clean(world),
    })
  }

  /** A store that was emptied has lost the contract, too. Without it, servers with another one could join. */
  async #registerAgain(): Promise<void> {
    if (!this.#registered) return
    const { contract, ...known } = this.#registered
    try {
      const { isNew } = await register(this.#connection, this.#prefix, contract, known)
      if (isNew)
        this.#onNotice('The store was emptied. Worlds begin again with their first records.')
    } catch (error) {
      throw error instanceof UsageError ? new RedisUnavailableError(error) : error
    }
  }

  async check(): Promise<void> {
    await this.#connection.run(CHECK, this.#key)
  }

  async close(): Promise<void> {
    this.#journals.close()
    this.#retired.close()
    await this.#retired.settle()
    this.#connection.close()
  }
}
