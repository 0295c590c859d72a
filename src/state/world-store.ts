import type { ArrivalResult, StoredArrival } from './stored-arrival.ts'
import type { Commit, CommitResult } from './stored-commit.ts'
import type { StoredRecords } from './stored-records.ts'
import type { LoadedWorld, NewEpoch } from './stored-state.ts'

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
  /** Resolves when the store answers. */
  check(): Promise<void>
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
