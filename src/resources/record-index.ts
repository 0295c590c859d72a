import { getOwn } from '../validation/own-property.ts'
import type { Id } from './id-generator.ts'
import { SortedMap } from './sorted-map.ts'

/** A record as it is stored. It is never changed in place: a change makes a new one. */
export type StoredRecord = Readonly<Record<string, unknown>>

/** A page of a list. */
export interface Page<R extends StoredRecord = StoredRecord> {
  readonly records: readonly R[]
  /** The id of the last record; absent when no more records follow. */
  readonly next?: Id
}

/** Which records a page has. */
export interface PageQuery {
  /** The value that each of these properties must have, or a list of values of which it must have one. */
  readonly where?: StoredRecord
  /** Records up to and including this id are left out. */
  readonly after?: Id | undefined
  /** The most records; default: all. */
  readonly limit?: number
}

/**
 * Records in the order of their ids, and again by the value of each property that filters a list. So a page costs the same
 * however many records there are. A fork costs the same, too: it shares every list, and copies one before it changes it.
 */
export class RecordIndex<R extends StoredRecord> {
  /** Owns the lists that this index may change. All others are shared with a fork. */
  #owner: object = {}
  #byId = new SortedMap<R>(this.#owner)
  #byValue: Map<string, SortedMap<SortedMap<R>>>

  constructor(filters: readonly string[]) {
    this.#byValue = new Map(filters.map((name) => [name, new SortedMap(this.#owner)]))
  }

  get size(): number {
    return this.#byId.size
  }

  /** An index of the same records. Changing one index does not change the other. */
  fork(): RecordIndex<R> {
    const fork = new RecordIndex<R>([])
    fork.#byId = this.#byId
    fork.#byValue = new Map(this.#byValue)
    this.#owner = {}
    return fork
  }

  get(id: Id): R | undefined {
    return this.#byId.get(id)
  }

  add(id: Id, record: R): void {
    this.#changeLists(record, (list) => list.set(id, record))
  }

  remove(id: Id, record: R): void {
    this.#changeLists(record, (list) => list.delete(id))
  }

  page({ where = {}, after, limit = Number.POSITIVE_INFINITY }: PageQuery): Page<R> {
    const conditions = Object.entries(where)
    const records: R[] = []
    let last: Id = ''
    let hasMore = false
    if (limit < 1) return { records }

    this.#shortestList(conditions)?.forEachAfter(after, (record, id) => {
      if (!matches(record, conditions)) return true
      hasMore = records.length >= limit
      if (hasMore) return false
      records.push(record)
      last = id
      return true
    })
    return hasMore ? { records, next: last } : { records }
  }

  /** Changes every list that has the record, or is to have it. */
  #changeLists(record: R, change: (list: SortedMap<R>) => void): void {
    this.#byId = this.#own(this.#byId)
    change(this.#byId)
    for (const [name, shared] of this.#byValue) {
      const byValue = this.#own(shared)
      this.#byValue.set(name, byValue)
      for (const key of keysOf(getOwn(record, name))) {
        const known = byValue.get(key)
        const list = this.#own(known ?? new SortedMap<R>(this.#owner))
        change(list)
        if (list.size === 0) byValue.delete(key)
        else if (list !== known) byValue.set(key, list)
      }
    }
  }

  #own<V extends object>(map: SortedMap<V>): SortedMap<V> {
    return map.isOwnedBy(this.#owner) ? map : map.fork(this.#owner)
  }

  /** The shortest list that has every matching record; `undefined` when no record matches. */
  #shortestList(conditions: readonly [string, unknown][]): SortedMap<R> | undefined {
    let shortest = this.#byId
    for (const [name, value] of conditions) {
      const byValue = this.#byValue.get(name)
      if (!byValue || Array.isArray(value)) continue
      const list = byValue.get(keyOf(value))
      if (!list) return undefined
      if (list.size < shortest.size) shortest = list
    }
    return shortest
  }
}

function keysOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(keyOf) : [keyOf(value)]
}

/** The key of a value in the index. Different values may share a key, so the records found are compared again. */
function keyOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

function matches(
  record: StoredRecord,
  conditions: readonly [name: string, value: unknown][],
): boolean {
  for (const [name, value] of conditions) {
    if (!hasValue(getOwn(record, name), value)) return false
  }
  return true
}

/** Whether a property has the wanted value, or one of several. A property that is a list has each of its items as a value. */
function hasValue(property: unknown, wanted: unknown): boolean {
  const values = [property].flat()
  return [wanted].flat().some((value) => values.includes(value))
}
