import type { StoredRecords } from '../records/stored-records.ts'
import { epochKey } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { EventLogs } from './redis-event-log.ts'
import type { Journals } from './redis-journal.ts'
import { RedisRecords } from './redis-records.ts'
import { commitArguments } from './script-arguments.ts'
import { ARRIVE, BEGIN, COMMIT, DELETE, LOAD } from './scripts/world-scripts.ts'
import { corruptValue, listIn, numberIn, pairsIn, textIn, textsIn } from './store-errors.ts'
import { accountText, readAccount, readRule, readRules, ruleText } from './stored-texts.ts'
import type {
  ArrivalResult,
  Commit,
  CommitResult,
  LoadedWorld,
  NewEpoch,
  StoredAccount,
  StoredArrival,
  StoredEventLog,
  StoredJournal,
  StoredWorld,
  WorldConfig,
} from './world-store.ts'

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
  readonly events: StoredEventLog
  readonly #key: string
  readonly #connection: RedisConnection
  readonly #listeners: WorldListeners

  constructor(
    name: string,
    key: string,
    connection: RedisConnection,
    { journals, logs }: { readonly journals: Journals; readonly logs: EventLogs },
    listeners: WorldListeners,
  ) {
    this.name = name
    this.journal = journals.of(key)
    this.events = logs.of(key)
    this.#key = key
    this.#connection = connection
    this.#listeners = listeners
  }

  async arrive(arrival: StoredArrival): Promise<ArrivalResult> {
    const reply = await this.#connection.run(ARRIVE, this.#key, arrivalArguments(arrival))
    return readArrival(reply, this.#key)
  }

  async commit(commit: Commit): Promise<CommitResult> {
    const reply = await this.#connection.run(COMMIT, this.#key, commitArguments(commit))
    const [kind, ...rest] = reply
    if (kind === 'past') return { kind }
    if (kind === 'conflict') {
      const [rules, accounts, isFollowed] = rest
      return {
        kind,
        accounts: listIn(accounts, this.#key).map((one) => accountIn(one, this.#key)),
        rules: readRules(listIn(rules, this.#key), this.#key),
        isFollowed: isFollowed === 1,
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

/** The arguments of the script `arrive`, in the order in which it takes them. */
function arrivalArguments({
  epoch,
  version,
  account,
  count,
  rules,
}: StoredArrival): readonly (string | number)[] {
  const { ban } = count ?? {}
  const counting = count
    ? [
        count.account,
        1,
        count.plan.minute,
        count.plan.day,
        count.always ?? '',
        count.cost,
        count.isEnforced ? 1 : 0,
        count.isUnlisted ? 1 : 0,
        ban?.refusals ?? '',
        ban?.seconds ?? '',
        ban?.factor ?? '',
        ban?.maxSeconds ?? '',
        count.isAdmitted ? 1 : 0,
      ]
    : [account, 0]

  return [epoch, version, ...counting, ...rules]
}

/** Reads the reply of the script `arrive`. */
function readArrival(reply: readonly unknown[], key: string): ArrivalResult {
  const [kind, ...rest] = reply
  if (kind === 'missing') return { kind, storeTime: numberIn(rest[0], key) }
  if (kind === 'stale') return { kind, config: readConfig(rest, key) }
  const [storeTime, now, last, before, after, random, isFollowed, told, records, ...rules] = rest

  return {
    kind: 'arrived',
    arrived: {
      storeTime: numberIn(storeTime, key),
      now: numberIn(now, key),
      last: numberIn(last, key),
      before: accountIn(before, key),
      after: accountIn(after, key),
      rules: readRules(rules, key),
      random: numberIn(random, key),
      isFollowed: isFollowed === 1,
      told: numberIn(told, key),
      records: textIn(records, key),
    },
  }
}

/** Reads epoch, version and text of a configuration. */
function readConfig(values: readonly unknown[], key: string): WorldConfig {
  const [epoch, version, text] = values
  return { epoch: textIn(epoch, key), version: numberIn(version, key), text: textIn(text, key) }
}

/** Reads an account. */
function accountIn(value: unknown, key: string): StoredAccount {
  const account = readAccount(textIn(value, key))
  if (!account) throw corruptValue(key)

  return account
}

/** Reads the reply of the script `load`; `undefined` when the world does not exist. */
function readWorld(
  reply: readonly unknown[],
  key: string,
): { readonly world: LoadedWorld; readonly hasRetired: boolean } | undefined {
  const [kind, storeTime, values, accounts, order, rules, retired, isFollowed, told] = reply
  if (kind === 'missing') return undefined
  const [epoch, version, text, offset, frozen, random, last] = listIn(values, key)
  const time = numberIn(storeTime, key)

  return {
    hasRetired: numberIn(retired, key) > 0,
    world: {
      ...readConfig([epoch, version, text], key),
      clock: {
        offset: numberIn(offset, key),
        ...(frozen !== null && { frozenAt: numberIn(frozen, key) }),
      },
      storeTime: time,
      lead: time - Date.now(),
      random: numberIn(random, key),
      accounts: inOrder(
        new Map(pairsIn(accounts, key).map(([name, account]) => [name, accountIn(account, key)])),
        textsIn(order, key),
      ),
      rules: new Map(
        pairsIn(rules, key).map(([id, rule]) => [numberIn(id, key), ruleIn(rule, key)]),
      ),
      last: numberIn(last, key),
      isFollowed: isFollowed === 1,
      told: numberIn(told, key),
    },
  }
}

/** Accounts in their order, which a hash does not have. */
function inOrder(
  accounts: LoadedWorld['accounts'],
  order: readonly string[],
): LoadedWorld['accounts'] {
  const ordered = order.flatMap((name) => {
    const account = accounts.get(name)
    return account ? [[name, account] as const] : []
  })
  return new Map([...ordered, ...accounts])
}

function ruleIn(text: string, key: string): NonNullable<ReturnType<typeof readRule>> {
  const rule = readRule(text)
  if (!rule) throw corruptValue(key)

  return rule
}
