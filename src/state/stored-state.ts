/** A clock relative to that of the store, as `ClockSnapshot` is relative to that of the machine. */
export interface StoredClock {
  readonly offset: number
  readonly frozenAt?: number
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
  readonly usage?: {
    readonly minute: { readonly window: number; readonly used: number }
    readonly day: { readonly window: number; readonly used: number }
  }
  readonly history?: {
    readonly row: number
    readonly retryAt: number
    readonly bans: number
    readonly until: number
  }
}

/** How often a rule matched and was forced, and the state of its random numbers. */
export interface StoredRule {
  readonly matched: number
  readonly forced: number
  readonly random: number
}

/** Everything but the records and the journal. */
export interface LoadedWorld extends WorldConfig {
  readonly clock: StoredClock
  /** The time of the store, in epoch milliseconds. */
  readonly storeTime: number
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
  readonly clock: StoredClock
  readonly random: number
  readonly accounts: ReadonlyMap<string, StoredAccount>
  readonly rules: ReadonlyMap<number, StoredRule>
  /** Whether it goes on with the journal of the epoch that it replaces. By default, its journal is empty. */
  readonly keepsJournal?: boolean | undefined
}
