import type { Id, PageQuery, StoredRecord } from './record-table.ts'
import type { RecordSelection } from './selection.ts'

/** The state of a collection. */
export interface CollectionState {
  /** The state of the generator of ids. */
  readonly ids: number
  /** The properties by which there is a sorted list, or one that is being made. Writers keep all of them. */
  readonly orders: readonly string[]
  /** The ids of the first records that were removed at once; absent when the collection started with them. */
  readonly emptied?: readonly Id[]
}

/** A record with its version. */
export interface VersionedRecord {
  readonly id: Id
  readonly version: string
  readonly generation: number
  /** `undefined` when it was removed. */
  readonly record: StoredRecord | undefined
}

/** A page of versioned records. */
export interface StoredPage {
  readonly records: readonly VersionedRecord[]
  /** Whether more records follow; before them, for a page before a record. */
  readonly hasMore: boolean
}

/** What a collection starts with. */
export interface FirstState {
  readonly rows: readonly {
    readonly id: Id
    readonly record: StoredRecord
    /** Default: 0. */
    readonly generation?: number
  }[]
  /** The ids of removed records, with their generations. */
  readonly removed: readonly { readonly id: Id; readonly generation: number }[]
  readonly ids: number
  readonly filters: readonly string[]
  /** The properties by which there is a sorted list at once; default: none. */
  readonly orders?: readonly string[]
  readonly emptied?: readonly Id[]
  /** Whether the collection is below records. There may be any number of those, so that a request that only reads opens none. */
  readonly isNested?: boolean
}

/**
 * The records of an epoch. The name of a collection is its path and the generation of its parents, such as `orgs/acme/repos@0`.
 * No method costs more for a larger collection, except those whose selection has tests.
 */
export interface StoredRecords {
  /** The names of all opened collections. */
  opened(): Promise<readonly string[]>
  /** `undefined` when the collection is not opened. */
  state(collection: string): Promise<CollectionState | undefined>
  /** The state of an opened collection as this server saw it last, if it did. A commit fails when its orders are others by now. */
  seenState(collection: string): CollectionState | undefined
  /** Opens a collection, unless another server did. All servers give the same first state. */
  open(collection: string, first: FirstState): Promise<void>
  /** `undefined` when the record never existed. */
  get(collection: string, id: Id): Promise<VersionedRecord | undefined>
  /** A page. `filters` are the properties that the collection has an index of. */
  page(collection: string, query: PageQuery, filters: readonly string[]): Promise<StoredPage>
  count(collection: string, selection: RecordSelection, filters: readonly string[]): Promise<number>
  /** The ids of the removed records, with their generations. */
  removed(collection: string): Promise<readonly { readonly id: Id; readonly generation: number }[]>
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

/** What is written to the records of a world at once. */
export interface RecordChanges {
  readonly records?: readonly RecordWrite[]
  /** The states of the generators of ids, if they are still `from`. */
  readonly ids?: readonly {
    readonly collection: string
    readonly from: number
    readonly to: number
  }[]
}

/** The shared store does not answer, or refuses to write. Whether a command that was under way had an effect is unknown. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  /** Seconds after which a client may try again. */
  readonly retryAfter: number

  /** `reason` is one sentence without the address and the password of the store. */
  constructor(
    reason: string,
    options: { readonly cause?: unknown; readonly retryAfter?: number } = {},
  ) {
    super(reason, { cause: options.cause })
    this.retryAfter = options.retryAfter ?? 1
  }
}

/**
 * A collection that a task reads is not there: its epoch has ended, or another server opens it at the moment. The task has to run
 * again.
 */
export class MissingCollectionError extends StoreUnavailableError {
  constructor() {
    super('The world was reset while it was read.')
  }
}
