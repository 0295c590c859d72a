import type { Id, PageQuery, StoredRecord } from './record-table.ts'

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
 * No method costs more for a larger collection.
 */
export interface StoredRecords {
  /** The names of all opened collections. */
  opened(): Promise<readonly string[]>
  /** `undefined` when the collection is not opened. */
  state(collection: string): Promise<CollectionState | undefined>
  /** Opens a collection, unless another server did. All servers give the same first state. */
  open(collection: string, first: FirstState): Promise<void>
  /** `undefined` when the record never existed. */
  get(collection: string, id: Id): Promise<VersionedRecord | undefined>
  /** A page. `filters` are the properties that the collection has an index of. */
  page(collection: string, query: PageQuery, filters: readonly string[]): Promise<StoredPage>
  count(collection: string, where: StoredRecord, filters: readonly string[]): Promise<number>
  /** The ids of the removed records, with their generations. */
  removed(collection: string): Promise<readonly { readonly id: Id; readonly generation: number }[]>
}
