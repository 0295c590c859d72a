import { getOwn } from '../validation/own-property.ts'
import type { Id } from './id.ts'
import { SortedRows } from './sorted-rows.ts'

/** A record as it is stored. It is never changed in place: a change makes a new one. */
export type StoredRecord = Readonly<Record<string, unknown>>

/** A stretch of a list. */
export interface Page<R extends StoredRecord = StoredRecord> {
  readonly rows: readonly R[]
  /** The id of the last row, when there are more after it. */
  readonly next?: Id
}

/** Which rows a page is made of. */
export interface PageQuery {
  /** The value that each of these properties must have, or several values, one of which it must have. */
  readonly where?: StoredRecord
  /** Rows up to and including this id are left out. */
  readonly after?: Id | undefined
  /** At most this many; all when left out. */
  readonly limit?: number
}

/**
 * Rows in the order of their ids, and again by the value of each filter, so that a page costs the same however many rows
 * there are. So does a fork: it shares every list until it changes one, and then copies that.
 */
export class RowIndex<R extends StoredRecord> {
  /** What marks the lists that may be changed: all others are shared with a fork. */
  #owner: object = {}
  #byId = new SortedRows<R>(this.#owner)
  #byValue: Map<string, SortedRows<SortedRows<R>>>

  constructor(filters: readonly string[]) {
    this.#byValue = new Map(filters.map((name) => [name, new SortedRows(this.#owner)]))
  }

  get size(): number {
    return this.#byId.size
  }

  /** The same rows. A change of either does not show in the other. */
  fork(): RowIndex<R> {
    const fork = new RowIndex<R>([])
    fork.#byId = this.#byId
    fork.#byValue = new Map(this.#byValue)
    this.#owner = {}
    return fork
  }

  get(id: Id): R | undefined {
    return this.#byId.get(id)
  }

  add(id: Id, row: R): void {
    this.#change(row, (rows) => rows.set(id, row))
  }

  remove(id: Id, row: R): void {
    this.#change(row, (rows) => rows.delete(id))
  }

  page({ where = {}, after, limit = Number.POSITIVE_INFINITY }: PageQuery): Page<R> {
    const conditions = Object.entries(where)
    const found: R[] = []
    let last: Id = ''
    let isCut = false
    if (limit < 1) return { rows: found }

    this.#narrowest(conditions)?.each(after, (row, id) => {
      if (!meets(row, conditions)) return true
      isCut = found.length >= limit
      if (isCut) return false
      found.push(row)
      last = id
      return true
    })
    return isCut ? { rows: found, next: last } : { rows: found }
  }

  /** Changes every list that a row is in, or is to be in. */
  #change(row: R, change: (rows: SortedRows<R>) => void): void {
    this.#byId = this.#own(this.#byId)
    change(this.#byId)
    for (const [name, shared] of this.#byValue) {
      const byValue = this.#own(shared)
      this.#byValue.set(name, byValue)
      for (const key of keysOf(getOwn(row, name))) {
        const known = byValue.get(key)
        const rows = this.#own(known ?? new SortedRows<R>(this.#owner))
        change(rows)
        if (rows.size === 0) byValue.delete(key)
        else if (rows !== known) byValue.set(key, rows)
      }
    }
  }

  #own<T extends object>(rows: SortedRows<T>): SortedRows<T> {
    return rows.isOwnedBy(this.#owner) ? rows : rows.fork(this.#owner)
  }

  /** The shortest list that has every row asked for; `undefined` when there is no such row. */
  #narrowest(conditions: readonly [string, unknown][]): SortedRows<R> | undefined {
    let narrowest = this.#byId
    for (const [name, value] of conditions) {
      const byValue = this.#byValue.get(name)
      if (!byValue || Array.isArray(value)) continue
      const rows = byValue.get(keyOf(value))
      if (!rows) return undefined
      if (rows.size < narrowest.size) narrowest = rows
    }
    return narrowest
  }
}

function keysOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(keyOf) : [keyOf(value)]
}

/** What a value is filed under. Different values may share a key, so the rows found must be looked at as well. */
function keyOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

function meets(row: StoredRecord, conditions: readonly [name: string, value: unknown][]): boolean {
  for (const [name, value] of conditions) {
    if (!holds(getOwn(row, name), value)) return false
  }
  return true
}

/** Whether a property has the value asked for, or one of several; a list has each value in it. */
function holds(property: unknown, asked: unknown): boolean {
  const values = [property].flat()
  return [asked].flat().some((value) => values.includes(value))
}
