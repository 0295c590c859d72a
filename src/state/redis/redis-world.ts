import type { ArrivalResult, StoredArrival } from '../stored-arrival.ts'
import type { Commit, CommitResult } from '../stored-commit.ts'
import type { StoredRecords } from '../stored-records.ts'
import type { LoadedWorld, NewEpoch } from '../stored-state.ts'
import type { StoredJournal, StoredWorld } from '../world-store.ts'
import { accountIn, arrivalArguments, readArrival } from './arrival-texts.ts'
import { commitArguments } from './commit-arguments.ts'
import type { Journals } from './journals.ts'
import { epochKey } from './keys.ts'
import { readRules } from './read-rules.ts'
import { readWorld } from './read-world.ts'
import { RedisRecords } from './records.ts'
import type { RedisConnection } from './redis-connection.ts'
import { listIn, numberIn } from './reply.ts'
import { ARRIVE } from './scripts/arrive.ts'
import { BEGIN, DELETE } from './scripts/begin.ts'
import { COMMIT } from './scripts/commit.ts'
import { LOAD } from './scripts/load.ts'
import { accountText, ruleText } from './stored-texts.ts'

/** What the store does for its worlds. */
interface WorldListeners {
  /** Awaited before a world is created. */
  readonly onCreate: () => Promise<void>
  /** Removes the retired epochs of a world, whose key it is given, in the background. */
  readonly clean: (world: string) => void
}

/** A world in Redis. */
export class RedisWorld implements StoredWorld {
  readonly name: string
  readonly journal: StoredJournal
  readonly #key: string
  readonly #connection: RedisConnection
  readonly #listeners: WorldListeners

  constructor(
    name: string,
    key: string,
    connection: RedisConnection,
    journals: Journals,
    listeners: WorldListeners,
  ) {
    this.name = name
    this.journal = journals.of(key)
    this.#key = key
    this.#connection = connection
    this.#listeners = listeners
  }

  async arrive(arrival: StoredArrival): Promise<ArrivalResult> {
    const reply = await this.#connection.run(ARRIVE, this.#key, arrivalArguments(arrival))
    return readArrival(reply, this.#key)
  }

  async commit(commit: Commit): Promise<CommitResult> {
    const reply = await this.#connection.attempt(COMMIT, this.#key, commitArguments(commit))
    if (!reply) return { kind: 'expired' }
    const [kind, ...rest] = reply
    if (kind === 'past') return { kind }
    if (kind === 'conflict') {
      const [rules, ids, accounts] = rest
      return {
        kind,
        accounts: listIn(accounts, this.#key).map((one) => accountIn(one, this.#key)),
        rules: readRules(listIn(rules, this.#key), this.#key),
        ids: listIn(ids, this.#key).map((one) => numberIn(one ?? 0, this.#key)),
      }
    }
    const [exchange] = rest
    return {
      kind: 'done',
      ...(exchange !== undefined && { exchange: numberIn(exchange, this.#key) }),
    }
  }

  async load(): Promise<LoadedWorld | undefined> {
    const loaded = readWorld(await this.#connection.run(LOAD, this.#key), this.#key)
    if (loaded?.hasRetired) this.#listeners.clean(this.#key)

    return loaded?.world
  }

  async begin(epoch: NewEpoch, expected: string | undefined): Promise<boolean> {
    const { accounts, rules, clock } = epoch
    if (expected === undefined) await this.#listeners.onCreate()
    const [hasBegun] = await this.#connection.run(BEGIN, this.#key, [
      expected ?? '',
      epoch.epoch,
      epoch.keepsJournal ? 1 : 0,
      epoch.text,
      clock.offset,
      epoch.random,
      clock.frozenAt ?? '',
      accounts.size,
      ...[...accounts].flatMap(([name, account]) => [name, accountText(account)]),
      rules.size,
      ...[...rules].flatMap(([id, rule]) => [id, ruleText(rule)]),
    ])
    if (hasBegun === 1 && expected !== undefined) this.#listeners.clean(this.#key)

    return hasBegun === 1
  }

  async delete(): Promise<boolean> {
    const [existed] = await this.#connection.run(DELETE, this.#key)
    if (existed === 1) this.#listeners.clean(this.#key)

    return existed === 1
  }

  records(epoch: string): StoredRecords {
    return new RedisRecords(this.#connection, this.#key, epochKey(this.#key, epoch))
  }
}
