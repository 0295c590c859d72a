import type { Awaitable } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { Resource } from '../resource.ts'
import type { Store } from './store.ts'

/** What happened to a record, as events tell of it. */
export interface RecordChange {
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly resource: Resource
  /** The name of the collection: that of the resource, or the path of the collection if it has parents. */
  readonly collection: string
  readonly record: StoredRecord
  /** The record before it was changed; absent when it was not. */
  readonly before?: StoredRecord
  /** The word for the action that changed it, such as `cancel`. */
  readonly action?: string
  /** When it happened, in epoch milliseconds, if an operation has set that time before; absent when it has happened just now. */
  readonly at?: number
}

/** Told of what happened to the records of a store. */
export type ChangeListener = (changes: readonly RecordChange[], store: Store) => Awaitable<void>
