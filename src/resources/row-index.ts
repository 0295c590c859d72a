import type { Id } from './id.ts'
import { SortedRows } from './sorted-rows.ts'

/** A record as it is stored. Nobody changes it in place: a change makes a new one. */
export type Row = Readonly<Record<string, unknown>>

/** A stretch of a list. */
export interface Page<R extends Row = Row> {
  readonly rows: readonly R[]
  /** The id of the last row, when there are more behind it. */
  readonly next?: Id
}

/** Which rows a page is made of. */
export interface PageQuery {
  /** Values that properties must have; of a list of values, one. */
  readonly where?: Row
  /** Rows up to and including this id are left out. */
  readonly after?: Id | undefined
  /** At most this many; all when left out. */
  readonly limit?: number
}

/** Rows in the order of their ids, and again by the value of each filter: pages cost the same however many there are. */
export class RowIndex<R extends Row> {
  readonly #byId = new SortedRows<R>()
  readonly #byValue: ReadonlyMap<string, Map<unknown, SortedRows<R>>>

  constructor(filters: readonly string[]) {
    this.#byValue = new Map(filters.map((name) => [name, new Map()]))
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: Id): R | undefined {
    return this.#byId.get(id)
  }

  add(id: Id, row: R): void {
    this.#byId.set(id, row)
    for (const [name, byValue] of this.#byValue) {
      for (const value of [row[name]].flat()) {
        const rows = byValue.get(value) ?? new SortedRows<R>()
        rows.set(id, row)
        byValue.set(value, rows)
      }
    }
  }

  remove(id: Id, row: R): void {
    this.#byId.delete(id)
    for (const [name, byValue] of this.#byValue) {
      for (const value of [row[name]].flat()) byValue.get(value)?.delete(id)
    }
  }

  page({ where = {}, after, limit = Number.POSITIVE_INFINITY }: PageQuery): Page<R> {
    const conditions = Object.entries(where)
    const found: R[] = []
    let last: Id = ''
    let isCut = false
    if (limit < 1) return { rows: found }

    this.#narrowest(conditions)?.each(after, (row, id) => {
      if (!conditions.every(([name, value]) => holds(row[name], value))) return true
      isCut = found.length >= limit
      if (isCut) return false
      found.push(row)
      last = id
      return true
    })
    return isCut ? { rows: found, next: last } : { rows: found }
  }

  /** The shortest list with every row asked for; `undefined` when no row can be. */
  #narrowest(conditions: readonly [string, unknown][]): SortedRows<R> | undefined {
    let narrowest = this.#byId
    for (const [name, value] of conditions) {
      const byValue = this.#byValue.get(name)
      if (!byValue || Array.isArray(value)) continue
      const rows = byValue.get(value)
      if (!rows) return undefined
      if (rows.size < narrowest.size) narrowest = rows
    }
    return narrowest
  }
}

/** Whether a property has the value asked for, or one of several; a list has each value in it. */
function holds(property: unknown, asked: unknown): boolean {
  const values = [property].flat()
  return [asked].flat().some((value) => values.includes(value))
}
