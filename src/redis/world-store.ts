import type { BanHistory, BanRules } from '../access/ban.ts'
import type { MagicOutcome } from '../access/callers.ts'
import type { Usage } from '../access/quota.ts'
import type { RuleState } from '../forcing/rules.ts'
import type { RecordChanges, StoredRecords } from '../records/stored-records.ts'
import type { ClockSnapshot } from '../time/clock.ts'

// The port to a store that several servers share, such as Redis. All that it takes and returns is plain data. A request loads what
// it depends on, decides with the same functions as in memory, and commits the result if nothing of it has changed meanwhile.

/** A store that several servers share. Every method rejects with a StoreUnavailableError while the store is away. */
export interface WorldStore {
  /**
   * Registers the contract, unless it is registered. Rejects with a UsageError when the store belongs to another contract, or
   * was written by another version of the format.
   */
  register(contract: ContractIdentity): Promise<Registration>
  world(name: string): StoredWorld
  readonly registry: WorldRegistry
  readonly pending: PendingWorlds
  readonly answers: ExpectedAnswers
  /** Resolves when the store answers. */
  check(): Promise<void>
  /** Where the servers of the store listen, as far as they are known now. Nothing may be delivered to them. */
  servers(): Promise<readonly { readonly host: string; readonly port: number }[]>
  /** Ends all connections. */
  close(): Promise<void>
}

/** What tells the contract of a store from another one. */
export interface ContractIdentity {
  readonly title: string
  readonly version: string
  /** A digest of everything that decides how the contract behaves: the document and the settings of worlds. */
  readonly digest: string
  /** The digests of the document and of each option, by their names, so that an error can name those that differ. */
  readonly parts?: Readonly<Record<string, string>>
}

export interface Registration {
  /** When the first server registered the contract, in epoch milliseconds. Dates of generated records count from it. */
  readonly startedAt: number
  /** A random text, which all servers of the store have in common, and nobody else knows. */
  readonly secret: string
  /** What the person who starts the server should know, such as a setting with which the store may lose records. */
  readonly notices: readonly string[]
}

/**
 * Who shares the places for worlds. Worlds displace those of their own group only: named ones, those of the keys of the sandbox, and
 * those of credentials that are valid because every credential is.
 */
export type WorldGroup = 'named' | 'keys' | 'others'

/** How many worlds of a group there may be. */
export interface WorldBudget {
  readonly group: WorldGroup
  readonly most: number
  /** Only worlds without a use for so many milliseconds of real time are dropped for a new one. Default: 0. */
  readonly idle?: number
}

/** The names of the worlds, and when they were used. */
export interface WorldRegistry {
  /** From the least recently used one to the latest. */
  list(): Promise<readonly string[]>
  /**
   * Adds a world, or notes that it is used, and drops the names of the least recently used ones of its group that are too many.
   * Resolves with these names: the caller deletes their worlds. Resolves with `undefined`, and changes nothing, when none of those
   * may be dropped for a new one.
   */
  add(name: string, budget: WorldBudget): Promise<readonly string[] | undefined>
  /** Notes that a world is used, if it is in the registry. A group that is given becomes its group. */
  use(name: string, group?: WorldGroup): Promise<void>
  remove(name: string): Promise<void>
  /** The names of the last hundred dropped worlds. */
  dropped(): Promise<readonly string[]>
  /** Drops the names that start with `prefix` and that were not used for so many milliseconds of real time, as `add` does. */
  dropUnused(prefix: string, milliseconds: number): Promise<readonly string[]>
}

/** The worlds that may have something to send, so that each server finds them when another one has ended. */
export interface PendingWorlds {
  /** Notes a world. */
  note(name: string): Promise<void>
  /** The names, with when they were noted last, in epoch milliseconds of the store's clock. */
  list(): Promise<ReadonlyMap<string, number>>
  /** Forgets a world, unless it was noted since a time. */
  forget(name: string, noted: number): Promise<void>
}

/** What receivers have answered: a client may tell it to another server than the one that its receiver is connected to. The store forgets it soon. */
export interface ExpectedAnswers {
  /** Begins to wait for the answer to the delivery with a ticket. */
  expect(ticket: string): Promise<void>
  /** Leaves the text of an answer. Resolves with whether somebody waits for it. */
  give(ticket: string, text: string): Promise<boolean>
  /** Takes the text of an answer; `undefined` when there is none yet. */
  take(ticket: string): Promise<string | undefined>
}

/** One world in the store. */
export interface StoredWorld {
  readonly name: string
  /** Loads what a request to the API depends on, and counts the request, in one round trip. */
  arrive(arrival: StoredArrival): Promise<ArrivalResult>
  /** Writes all of a commit or nothing, in one round trip. */
  commit(commit: Commit): Promise<CommitResult>
  /** Everything but the records and the journal; `undefined` when the world does not exist. */
  load(): Promise<LoadedWorld | undefined>
  /**
   * Begins an epoch: the world as a whole is replaced at once, as at its creation, a reset or a restore. The records of the epoch may be
   * there already. `expected` is the epoch that is replaced, `undefined` for a world that does not exist. Resolves with `false`,
   * and changes nothing, when it is another one. The records of the epoch before are removed, and its journal unless that is kept.
   */
  begin(epoch: NewEpoch, expected: string | undefined): Promise<boolean>
  /** Deletes the world, and resolves with whether it existed. */
  delete(): Promise<boolean>
  records(epoch: string): StoredRecords
  readonly journal: StoredJournal
  readonly events: StoredEventLog
}

/** An exchange in the journal of a world. */
export interface StoredExchange {
  readonly id: number
  readonly text: string
}

export interface StoredJournal {
  /** The exchanges of the present journal with an id after `after`, oldest first. */
  read(after: number, limit: number): Promise<readonly StoredExchange[]>
  /**
   * Calls `listener` with each exchange from now on, of every server, also after a reset. Returns a function that ends this.
   * What a later `read` does not have is told; some exchanges may be both read and told.
   */
  follow(listener: (exchange: StoredExchange) => void): () => void
}

/** An event in the log of a world. */
export interface LoggedEvent {
  readonly number: number
  readonly text: string
}

/** The latest events of an epoch, which the store keeps while anybody follows them, and for a minute after that. */
export interface StoredEventLog {
  /** Those that are kept with a number after `after`, oldest first. */
  read(epoch: string, after: number): Promise<readonly LoggedEvent[]>
  /**
   * Calls `listener` with each event from now on, of every server; perhaps with some that were there before. The store keeps events until the
   * function that is returned ends this. `end` is called when the epoch has ended.
   */
  follow(epoch: string, listener: (event: LoggedEvent) => void, end: () => void): () => void
}

/** What is known of the log of events. */
export interface FollowedLog {
  /** Whether anybody follows the events. */
  readonly isFollowed: boolean
  /** The number of the latest event; 0 before the first one that was written. */
  readonly told: number
}

/** A request that arrives. */
export interface StoredArrival {
  /** The configuration that the caller and the rules were found with. */
  readonly epoch: string
  readonly version: number
  /** Absent for a caller without a plan, whose requests are not counted. */
  readonly count?: {
    readonly account: string
    readonly plan: { readonly minute: number; readonly day: number }
    readonly always?: MagicOutcome
    readonly cost: 0 | 1
    readonly isEnforced: boolean
    readonly isUnlisted: boolean
    /** Absent when bans are switched off. */
    readonly ban?: BanRules
    /** Whether the request reaches admission, so that a refusal counts for a ban. */
    readonly isAdmitted: boolean
  }
  /** The account whose state is loaded; that of `count` when it is there. */
  readonly account: string
  /** The rules that match the request. */
  readonly rules: readonly number[]
}

/**
 * What a request depends on. `stale`: the configuration is another one, and nothing was counted. `missing`: there is no such
 * world; `storeTime` is the time of the store, in epoch milliseconds.
 */
export type ArrivalResult =
  | { readonly kind: 'arrived'; readonly arrived: Arrived }
  | { readonly kind: 'stale'; readonly config: WorldConfig }
  | { readonly kind: 'missing'; readonly storeTime: number }

export interface Arrived extends FollowedLog {
  /** The time of the store, in epoch milliseconds. */
  readonly storeTime: number
  /** The time of the world, in epoch milliseconds. */
  readonly now: number
  /** The id of the latest exchange. */
  readonly last: number
  /** The account before the request was counted, and after it. */
  readonly before: StoredAccount
  readonly after: StoredAccount
  /** The rules, in the order of the arrival; `undefined` for one that is removed. */
  readonly rules: readonly (StoredRule | undefined)[]
  /** The state of the random numbers for latencies. */
  readonly random: number
  /** The version of all records. Any change of a record replaces it, and so does the opening of a collection. */
  readonly records: string
}

/** A value that replaces another one, if that is still the present one. `undefined`: there is none. */
export interface Replacement<Key, Value> {
  readonly key: Key
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/** What a request changes: all of it is written, or nothing. */
export interface Commit extends RecordChanges {
  readonly epoch: string
  /** Present when the configuration must not have changed since. */
  readonly version?: number
  /** A new configuration. Its version is one more. */
  readonly text?: string
  /** Relative to the clock of the store, like all clocks in it. */
  readonly clock?: ClockSnapshot
  readonly random?: number
  readonly accounts?: readonly Replacement<string, StoredAccount>[]
  readonly rules?: readonly Replacement<number, StoredRule>[]
  /** Rules whose decisions do not depend on their counts: these are added, whatever they are. */
  readonly ruleCounts?: readonly {
    readonly rule: number
    readonly matched: number
    readonly forced: number
  }[]
  /**
   * The exchange, which gets the next id, and how many of the latest exchanges the journal keeps. The store may keep more of them for
   * those that follow the journal.
   */
  readonly exchange?: { readonly text: string; readonly size: number }
  /** Whether anybody was known to follow the events. When somebody does who was not, records are not written. */
  readonly isFollowed?: boolean
  /** Whether somebody follows the events from now on. */
  readonly follows?: boolean
  /** The texts of events for those who follow them. */
  readonly happened?: readonly string[]
}

/**
 * `done`: all is written. `past`: the epoch has ended; nothing is written, and the request arrives again. `conflict`:
 * something has changed; nothing is written, and the request is decided again.
 */
export type CommitResult =
  | { readonly kind: 'done'; readonly exchange?: number }
  | { readonly kind: 'past' }
  | {
      readonly kind: 'conflict'
      /** The present values of what was to be replaced. */
      readonly accounts?: readonly StoredAccount[]
      readonly rules?: Arrived['rules']
      readonly isFollowed?: boolean
    }

/** What a world has besides counts, records and journal. Only the control interface changes it. */
export interface WorldConfig {
  /** Changes with each reset: what is written in an older epoch is past. */
  readonly epoch: string
  /** Counts the changes of the configuration. */
  readonly version: number
  /** JSON of the plans, the keys and the rules. The store does not read it. */
  readonly text: string
}

/** The usage and the bans of an account. Both are absent before its first request. */
export interface StoredAccount {
  readonly usage?: Usage
  readonly history?: BanHistory
}

/** How often a rule matched and was forced, the state of its random numbers, and that of its flow. */
export type StoredRule = Pick<RuleState, 'matched' | 'forced' | 'random' | 'state'>

/** Everything but the records and the journal. */
export interface LoadedWorld extends WorldConfig, FollowedLog {
  readonly clock: ClockSnapshot
  /** The time of the store, in epoch milliseconds. */
  readonly storeTime: number
  /** How far the clock of the store was ahead of the machine's when the world was loaded, in milliseconds. */
  readonly lead: number
  readonly random: number
  readonly accounts: ReadonlyMap<string, StoredAccount>
  readonly rules: ReadonlyMap<number, StoredRule>
  /** The id of the latest exchange. */
  readonly last: number
}

/** A world as it begins. */
export interface NewEpoch {
  /** Random, so that no epoch is used twice. */
  readonly epoch: string
  readonly text: string
  readonly clock: ClockSnapshot
  readonly random: number
  readonly accounts: ReadonlyMap<string, StoredAccount>
  readonly rules: ReadonlyMap<number, StoredRule>
  /** Whether it goes on with the journal of the epoch that it replaces. By default, its journal is empty. */
  readonly keepsJournal?: boolean | undefined
}
