import type { Id, StoredRecord } from './record-table.ts'
import type { CollectionState, VersionedRecord } from './stored-records.ts'

/** A record that was written, and what it replaces. */
export interface WrittenRecord {
  readonly id: Id
  readonly before: VersionedRecord | undefined
  readonly record: StoredRecord | undefined
  readonly generation: number
}

/** What was written to a collection. */
export interface CollectionWrites {
  readonly records: Map<string, WrittenRecord>
  filters: readonly string[]
  /** The state of the collection; known before anything is written. */
  state?: CollectionState
  /** The state of the ids after the writes. */
  ids?: number
}
