import { getOwn } from '../validation/objects.ts'
import type { Follower } from './record-index.ts'
import type { Id, StoredRecord } from './record-table.ts'
import { sortKey } from './sort-key.ts'
import { SortedMap } from './sorted-map.ts'

/** A record in a sorted list, whose keys are made from values. */
export interface Listed<R extends StoredRecord> {
  readonly id: Id
  readonly record: R
}

/** Records in the order of a property, then of their ids. */
export class SortedRecords<R extends StoredRecord> implements Follower<R> {
  readonly #by: string
  #list = new SortedMap<Listed<R>>()

  /** Has the records of a list at first. */
  constructor(by: string, records?: SortedMap<R>) {
    this.#by = by
    const keyed: { readonly key: string; readonly listed: Listed<R> }[] = []
    records?.forEachAfter(undefined, (record, id) => {
      keyed.push({ key: this.#keyOf(id, record), listed: { id, record } })
      return true
    })
    keyed.sort((one, other) => (one.key < other.key ? -1 : 1))
    for (const { key, listed } of keyed) this.#list.set(key, listed)
  }

  get list(): SortedMap<Listed<R>> {
    return this.#list
  }

  add(id: Id, record: R): void {
    this.#list.set(this.#keyOf(id, record), { id, record })
  }

  remove(id: Id, record: R): void {
    this.#list.delete(this.#keyOf(id, record))
  }

  fork(): SortedRecords<R> {
    const fork = new SortedRecords<R>(this.#by)
    fork.#list = this.#list.fork()
    return fork
  }

  #keyOf(id: Id, record: R): string {
    return sortKey(getOwn(record, this.#by), id)
  }
}
