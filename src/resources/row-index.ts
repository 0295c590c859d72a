import sortedBtree from 'sorted-btree'
import type { Id } from './id.ts'

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

const BTree = sortedBtree.default
type Tree<R> = InstanceType<typeof BTree<Id, R>>

/** Rows in the order of their ids, and again by the value of each filter: pages cost the same however many there are. */
export class RowIndex<R extends Row> {
  readonly #byId: Tree<R> = new BTree()
  readonly #byValue: ReadonlyMap<string, Map<unknown, Tree<R>>>

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
        const tree: Tree<R> = byValue.get(value) ?? new BTree()
        tree.set(id, row)
        byValue.set(value, tree)
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
    const tree = this.#narrowest(conditions)
    const low = after ?? tree?.minKey()
    const high = tree?.maxKey()
    if (!tree || low === undefined || high === undefined || limit < 1) return { rows: [] }

    const rows: R[] = []
    let last = low
    let isCut = false
    tree.forRange(low, high, true, (id, row) => {
      if (id === after || !conditions.every(([name, value]) => holds(row[name], value))) return {}
      isCut = rows.length >= limit
      if (isCut) return { break: true }
      rows.push(row)
      last = id
      return {}
    })
    return isCut ? { rows, next: last } : { rows }
  }

  /** The smallest tree with every row asked for; `undefined` when no row can be. */
  #narrowest(conditions: readonly [string, unknown][]): Tree<R> | undefined {
    let narrowest = this.#byId
    for (const [name, value] of conditions) {
      const byValue = this.#byValue.get(name)
      if (!byValue || Array.isArray(value)) continue
      const tree = byValue.get(value)
      if (!tree) return undefined
      if (tree.size < narrowest.size) narrowest = tree
    }
    return narrowest
  }
}

/** Whether a property has the value asked for, or one of several; a list has each value in it. */
function holds(property: unknown, asked: unknown): boolean {
  const values = [property].flat()
  return [asked].flat().some((value) => values.includes(value))
}
