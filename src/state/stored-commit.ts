import type { Id, StoredRecord } from './record-table.ts'
import type { Arrived } from './stored-arrival.ts'
import type { StoredAccount, StoredClock, StoredRule } from './stored-state.ts'

/** A value that replaces another one, if that is still the present one. `undefined`: there is none. */
export interface Replacement<Key, Value> {
  readonly key: Key
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/** What a request changes: all of it is written, or nothing. */
export interface Commit {
  readonly epoch: string
  /** Present when the configuration must not have changed since. */
  readonly version?: number
  /** A new configuration. Its version is one more. */
  readonly text?: string
  readonly clock?: StoredClock
  readonly random?: number
  readonly accounts?: readonly Replacement<string, StoredAccount>[]
  readonly rules?: readonly Replacement<number, StoredRule>[]
  /** Rules whose decisions do not depend on their counts: these are added, whatever they are. */
  readonly ruleCounts?: readonly {
    readonly rule: number
    readonly matched: number
    readonly forced: number
  }[]
  readonly records?: readonly RecordWrite[]
  /** The states of the generators of ids, if they are still `from`. */
  readonly ids?: readonly {
    readonly collection: string
    readonly from: number
    readonly to: number
  }[]
  /**
   * The exchange, which gets the next id, and how many of the latest exchanges the journal keeps. The store may keep more of them for
   * those that follow the journal.
   */
  readonly exchange?: { readonly text: string; readonly size: number }
}

/** A record that is written, changed or removed. */
export interface RecordWrite {
  readonly collection: string
  readonly id: Id
  /** The version that is replaced; empty for a record that never existed. */
  readonly version: string
  /** The generation after the write: an odd number for a removed record. */
  readonly generation: number
  /** `undefined` for a removed record. */
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
  /** The properties that the collection has an index or an order of, as its state said. */
  readonly filters: readonly string[]
  readonly orders: readonly string[]
}

/**
 * `done`: all is written. `past`: the epoch has ended; nothing is written, and the request arrives again. `conflict`:
 * something has changed; nothing is written, and the request is decided again. `expired`: it came too late, and nothing is written.
 */
export type CommitResult =
  | { readonly kind: 'done'; readonly exchange?: number }
  | { readonly kind: 'past' }
  | {
      readonly kind: 'conflict'
      /** The present values of what was to be replaced. */
      readonly accounts?: readonly StoredAccount[]
      readonly rules?: Arrived['rules']
      readonly ids?: readonly number[]
    }
  | { readonly kind: 'expired' }
