import { randomUUID } from 'node:crypto'
import { StoreUnavailableError } from '../records/stored-records.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import { answerKey, contractKey, registryKey, STORE_FORMAT, worldKey } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { EventLogs } from './redis-event-log.ts'
import { Journals } from './redis-journal.ts'
import { RedisWorld } from './redis-world.ts'
import {
  ADD,
  DROP_UNUSED,
  EXPECT_ANSWER,
  FORGET_PENDING,
  GIVE_ANSWER,
  NOTE_PENDING,
  REGISTER,
  REMOVE,
  TAKE_ANSWER,
  USE,
} from './scripts/registry-scripts.ts'
import { storeScript } from './scripts/store-script.ts'
import { CLEAN } from './scripts/world-scripts.ts'
import { numberIn, RedisUnavailableError, textIn, textsIn } from './store-errors.ts'
import type {
  ContractIdentity,
  ExpectedAnswers,
  PendingWorlds,
  Registration,
  StoredWorld,
  WorldBudget,
  WorldGroup,
  WorldRegistry,
  WorldStore,
} from './world-store.ts'

/** Does nothing. It may write, so a store refuses it that is full, or a replica. */
const CHECK = storeScript('check', 'writes', 'return {time}')

/** A store in Redis, Valkey, or a cluster of one of them. */
export class RedisStore implements WorldStore {
  readonly registry: WorldRegistry
  readonly pending: PendingWorlds
  readonly answers: ExpectedAnswers
  /** The key of the registry. */
  readonly #key: string
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #notices: readonly string[]
  readonly #onNotice: (notice: string) => void
  readonly #journals: Journals
  readonly #logs: EventLogs
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
    this.pending = new RedisPendingWorlds(connection, `${key}:pending`)
    this.answers = new RedisAnswers(connection, prefix)
    this.#connection = connection
    this.#prefix = prefix
    this.#notices = notices
    this.#onNotice = onNotice
    this.#journals = new Journals(connection)
    this.#logs = new EventLogs(connection)
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
    const read = { journals: this.#journals, logs: this.#logs }
    return new RedisWorld(name, key, this.#connection, read, {
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

  servers(): ReturnType<RedisConnection['servers']> {
    return this.#connection.servers()
  }

  async close(): Promise<void> {
    this.#journals.close()
    this.#logs.close()
    this.#retired.close()
    await this.#retired.settle()
    this.#connection.close()
  }
}

/** The names of the worlds in Redis, by the time of their last use. */
class RedisRegistry implements WorldRegistry {
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

/** The worlds in Redis that may have something to send, by the times at which they were noted. */
class RedisPendingWorlds implements PendingWorlds {
  readonly #connection: RedisConnection
  readonly #key: string

  constructor(connection: RedisConnection, key: string) {
    this.#connection = connection
    this.#key = key
  }

  async note(name: string): Promise<void> {
    await this.#connection.run(NOTE_PENDING, this.#key, [name])
  }

  async list(): Promise<ReadonlyMap<string, number>> {
    const reply = await this.#connection.command('zrange', this.#key, 0, -1, 'WITHSCORES')
    const texts = textsIn(reply, this.#key)
    return new Map(
      texts.flatMap((name, at) => (at % 2 === 0 ? [[name, Number(texts[at + 1])]] : [])),
    )
  }

  async forget(name: string, noted: number): Promise<void> {
    await this.#connection.run(FORGET_PENDING, this.#key, [name, noted])
  }
}

/** The answers to deliveries in Redis, for a minute. */
class RedisAnswers implements ExpectedAnswers {
  readonly #connection: RedisConnection
  readonly #prefix: string

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection
    this.#prefix = prefix
  }

  async expect(ticket: string): Promise<void> {
    await this.#connection.run(EXPECT_ANSWER, answerKey(this.#prefix, ticket))
  }

  async give(ticket: string, text: string): Promise<boolean> {
    const key = answerKey(this.#prefix, ticket)
    const [isExpected] = await this.#connection.run(GIVE_ANSWER, key, [text])
    return isExpected === 1
  }

  async take(ticket: string): Promise<string | undefined> {
    const key = answerKey(this.#prefix, ticket)
    const [text] = await this.#connection.run(TAKE_ANSWER, key)
    return textIn(text, key) || undefined
  }
}

const TASK = 'use the store'

/** What a store has registered. */
export interface RegisteredContract {
  /** Whether the store had no contract. */
  readonly isNew: boolean
  /** When the contract was registered first, in epoch milliseconds. */
  readonly startedAt: number
  /** As in `Registration`. */
  readonly secret: string
}

/**
 * Registers a contract, unless the store has it. What a new registration has is new, unless `known` has it. Rejects with
 * a UsageError when the store has another contract or another format, and when it does not accept the registration.
 */
async function register(
  connection: RedisConnection,
  prefix: string,
  { title, version, digest, parts = {} }: ContractIdentity,
  known?: Omit<RegisteredContract, 'isNew'>,
): Promise<RegisteredContract> {
  const key = contractKey(prefix)
  const { startedAt: since = '', secret: own = randomUUID() } = known ?? {}
  const values = [STORE_FORMAT, title, version, digest, JSON.stringify(parts), since, own]
  const reply = await connection.run(REGISTER, key, values).catch(refuseStart)
  const [isNew, format, presentTitle, presentVersion, presentDigest, presentParts, ...rest] = reply
  const [startedAt, secret] = rest
  if (format !== String(STORE_FORMAT)) {
    throw new UsageError({
      code: 'store_mismatch',
      task: TASK,
      reason: `another version of pet-sandbox wrote what it has under the prefix "${prefix}"`,
      help: 'Choose another prefix with --store-prefix.',
    })
  }
  if (presentDigest !== digest) {
    const present = `${presentTitle} ${presentVersion}`
    const isSame = present === `${title} ${version}`
    throw new UsageError({
      code: 'store_mismatch',
      task: TASK,
      reason: isSame
        ? `its worlds under the prefix "${prefix}" have another document or other options${differences(presentParts, parts)}`
        : `its worlds under the prefix "${prefix}" are those of ${present}, and not of ${title} ${version}`,
      help: 'Start all servers of a store with the same document and options, or choose another prefix with --store-prefix to deploy a new one.',
    })
  }
  return { isNew: isNew === 1, startedAt: numberIn(startedAt, key), secret: String(secret) }
}

/** The names of the options that differ, in parentheses; empty when the store does not tell. */
function differences(registered: unknown, own: Readonly<Record<string, string>>): string {
  const present = partsIn(registered)
  const names = [...new Set([...Object.keys(present), ...Object.keys(own)])]
  const different = names.filter((name) => present[name] !== own[name] && NAME.test(name))

  return Object.keys(present).length === 0 ? '' : ` (${different.sort().join(', ')})`
}

/** The name of an option. */
const NAME = /^[\w ]{1,40}$/

function partsIn(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const parts: unknown = JSON.parse(String(text))
    return isObject(parts) ? parts : {}
  } catch {
    return {}
  }
}

/** A store that refuses at the start, or has what pet-sandbox did not write, is a mistake to be corrected. */
export function refuseStart(error: unknown): never {
  if (!(error instanceof StoreUnavailableError)) throw error
  const refusal = error instanceof RedisUnavailableError ? error.refusal : UNREADABLE
  throw new UsageError({ code: 'store_unavailable', task: TASK, ...refusal })
}

/** The refusal of a world whose values are no configuration. */
const UNREADABLE = {
  reason: 'its default world cannot be read',
  help: 'Choose another prefix with --store-prefix.',
}

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
