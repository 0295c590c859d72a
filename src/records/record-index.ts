import { getOwn, isObject } from '../validation/objects.ts'
import { type Id, keyOf, keysOf, type Page, type StoredRecord } from './record-table.ts'
import { type Condition, matcherOf, type RecordSelection } from './selection.ts'
import { SortedMap } from './sorted-map.ts'

/** Stands for a record that is not made yet. It has the id and nothing else. */
export interface UnmadeRecord extends StoredRecord {
  readonly [UNMADE]: {
    readonly id: Id
    /** The position among the records that its table starts with. */
    readonly position: number
    /** The record, once a table has needed it. Forks share it. */
    made?: StoredRecord
  }
}

export const UNMADE: unique symbol = Symbol('unmade')

export function isUnmade(record: StoredRecord | undefined): record is UnmadeRecord {
  return record !== undefined && UNMADE in record
}

/** Another list of the records, such as one in another order, which gets every change. */
interface Follower<R extends StoredRecord> {
  add(id: Id, record: R): void
  remove(id: Id, record: R): void
  fork(): Follower<R>
}

/** A page in the order of the ids. */
export interface IdPageQuery extends RecordSelection {
  readonly after?: Id | undefined
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
  /** By what they are for. */
  readonly followers: Map<string, Follower<R>> = new Map()

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
    for (const [name, one] of this.followers) fork.followers.set(name, one.fork())
    this.#owner = {}
    return fork
  }

  get(id: Id): R | undefined {
    return this.#byId.get(id)
  }

  /** Starts with records that are not made yet. The ids are in ascending order. */
  start(ids: readonly Id[], unmade: (at: number) => R): void {
    this.#byId = SortedMap.of(ids, unmade, this.#owner)
  }

  /** Puts a record in the place of what stands for it. */
  make(id: Id, unmade: R, record: R): void {
    this.#byId = this.#own(this.#byId)
    this.#byId.set(id, record)
    this.#changeValues(record, (list) => list.set(id, record))
    for (const one of this.followers.values()) {
      one.remove(id, unmade)
      one.add(id, record)
    }
  }

  add(id: Id, record: R): void {
    this.#changeLists(record, (list) => list.set(id, record))
    for (const one of this.followers.values()) one.add(id, record)
  }

  remove(id: Id, record: R): void {
    this.#changeLists(record, (list) => list.delete(id))
    for (const one of this.followers.values()) one.remove(id, record)
  }

  page(query: IdPageQuery): Page<R> {
    const { after, limit = Number.POSITIVE_INFINITY } = query
    const { conditions, matches } = matcherOf(query)
    const records: R[] = []
    let last: Id = ''
    let hasMore = false
    if (limit < 1) return { records }

    this.shortestList(conditions)?.forEachAfter(after, (record, id) => {
      if (!matches(record)) return true
      hasMore = records.length >= limit
      if (hasMore) return false
      records.push(record)
      last = id
      return true
    })
    return hasMore ? { records, next: last } : { records }
  }

  /** The shortest list that has every matching record; `undefined` when no record matches. */
  shortestList(conditions: readonly Condition[]): SortedMap<R> | undefined {
    let shortest = this.#byId
    for (const [name, wanted] of conditions) {
      const byValue = this.#byValue.get(name)
      if (!byValue || Array.isArray(wanted)) continue
      const list = byValue.get(keyOf(wanted))
      if (!list) return undefined
      if (list.size < shortest.size) shortest = list
    }
    return shortest
  }

  /** Whether there is a list for each value of a property. */
  hasListsOf(name: string): boolean {
    return this.#byValue.has(name)
  }

  /** Changes every list that has the record, or is to have it. */
  #changeLists(record: R, change: (list: SortedMap<R>) => void): void {
    this.#byId = this.#own(this.#byId)
    change(this.#byId)
    this.#changeValues(record, change)
  }

  #changeValues(record: R, change: (list: SortedMap<R>) => void): void {
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
}

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
    return sortKey(sortValue(record, this.#by), id)
  }
}

/** The value by which a record is sorted: that of a property, or at a place such as `/author/name`. */
export function sortValue(record: StoredRecord, by: string): unknown {
  if (!by.startsWith('/')) return getOwn(record, by)
  let value: unknown = record
  for (const name of by.slice(1).split('/')) {
    const own = name.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isObject(value) ? getOwn(value, own) : undefined
  }
  return value
}

/**
 * A text for a value and an id. The order of these texts is the order of a list that is sorted by the value: numbers, texts,
 * `false`, `true`, and everything else; then by the id.
 */
export function sortKey(value: unknown, id: Id): string {
  return textOf(value) + textOf(id)
}

function textOf(value: unknown): string {
  if (typeof value === 'number' && !Number.isNaN(value)) return `1${numberText(value)}`
  // A text ends with a NUL, so that `a` comes before `aa` whatever follows. A NUL of its own gets a mark.
  if (typeof value === 'string') return `2${value.replaceAll('\0', '\0\uffff')}\0`
  if (typeof value === 'boolean') return value ? '4' : '3'
  return '5'
}

const view = new DataView(new ArrayBuffer(8))

/** 16 hexadecimal digits in the order of the numbers: the bits of the number, with the sign first. */
function numberText(value: number): string {
  // 0 and -0 are the same number.
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  const isNegative = bits >> 63n === 1n
  const ordered = isNegative ? ~bits & 0xffff_ffff_ffff_ffffn : bits | (1n << 63n)

  return ordered.toString(16).padStart(16, '0')
}
