import type { Id } from './id.ts'

/** A chunk that grows beyond this many rows is cut in two, so that adding one moves no more than that. */
const MOST = 1024

interface Chunk<R> {
  /** The mark of who may change it; anyone else makes a copy first. */
  readonly owner: object
  readonly ids: Id[]
  readonly rows: R[]
}

/**
 * Rows in ascending order of their ids, numbers before texts, in chunks that are found by binary search: finding, adding and
 * removing one costs nearly the same among a hundred and among a million. A fork shares the chunks.
 */
export class SortedRows<R extends object> {
  #owner: object
  readonly #chunks: Chunk<R>[]
  #size: number

  constructor(owner: object = {}, chunks: readonly Chunk<R>[] = [], size = 0) {
    this.#owner = owner
    this.#chunks = [...chunks]
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  isOwnedBy(owner: object): boolean {
    return this.#owner === owner
  }

  /** The same rows for another owner. A change of either does not show in the other. */
  fork(owner: object = {}): SortedRows<R> {
    this.#owner = {}
    return new SortedRows(owner, this.#chunks, this.#size)
  }

  get(id: Id): R | undefined {
    const { chunk, at } = this.#find(id)
    return chunk?.ids[at] === id ? chunk.rows[at] : undefined
  }

  /** Adds a row, or puts it in the place of the one that has its id. */
  set(id: Id, row: R): void {
    if (this.#append(id, row)) return
    const { at, index } = this.#find(id)
    const chunk = this.#own(index)
    const isNew = chunk.ids[at] !== id
    chunk.ids.splice(at, isNew ? 0 : 1, id)
    chunk.rows.splice(at, isNew ? 0 : 1, row)
    if (isNew) this.#size += 1
    if (chunk.ids.length > MOST) this.#cut(chunk, index)
  }

  delete(id: Id): void {
    const { chunk, at, index } = this.#find(id)
    if (chunk?.ids[at] !== id) return
    const { ids, rows } = this.#own(index)
    ids.splice(at, 1)
    rows.splice(at, 1)
    this.#size -= 1
    if (ids.length === 0) this.#chunks.splice(index, 1)
  }

  /** Calls `visit` with each row after an id, or with every row when there is none, until it returns `false`. */
  each(after: Id | undefined, visit: (row: R, id: Id) => boolean): void {
    const start = after === undefined ? { index: 0, at: 0 } : this.#find(after)
    for (let { index, at } = start; index < this.#chunks.length; index += 1, at = 0) {
      const { ids = [], rows = [] } = this.#chunks[index] ?? {}
      for (let next = at; next < ids.length; next += 1) {
        const id = ids[next]
        const row = rows[next]
        if (id === undefined || row === undefined || id === after) continue
        if (!visit(row, id)) return
      }
    }
  }

  /** Adds a row after the last one, where most belong; `false` when it belongs elsewhere. */
  #append(id: Id, row: R): boolean {
    const last = this.#chunks.at(-1)
    const latest = last?.ids.at(-1)
    if (!last || latest === undefined || !isBefore(latest, id)) return false
    if (last.ids.length === MOST) this.#chunks.push({ owner: this.#owner, ids: [], rows: [] })
    const { ids, rows } = this.#own(this.#chunks.length - 1)
    ids.push(id)
    rows.push(row)
    this.#size += 1
    return true
  }

  /** Where an id is, or would be: in the last chunk that does not start after it. */
  #find(id: Id): { readonly chunk: Chunk<R> | undefined; readonly at: number; index: number } {
    const chunks = this.#chunks
    const behind = firstWhere(chunks.length, (at) => isBefore(id, chunks[at]?.ids[0] ?? id))
    const index = Math.max(0, behind - 1)
    const chunk = chunks[index]
    const ids = chunk?.ids ?? []

    return { chunk, at: firstWhere(ids.length, (at) => !isBefore(ids[at] ?? id, id)), index }
  }

  /** A chunk to write in: a copy where it is shared, a new one where there is none. */
  #own(index: number): Chunk<R> {
    const chunk = this.#chunks[index]
    if (chunk?.owner === this.#owner) return chunk
    const own = {
      owner: this.#owner,
      ids: [...(chunk?.ids ?? [])],
      rows: [...(chunk?.rows ?? [])],
    }
    this.#chunks[index] = own
    return own
  }

  #cut({ owner, ids, rows }: Chunk<R>, index: number): void {
    const rest = { owner, ids: ids.splice(MOST / 2), rows: rows.splice(MOST / 2) }
    this.#chunks.splice(index + 1, 0, rest)
  }
}

/** The first place at which `holds` is true, if it stays true from there on; `length` if there is none. Binary search. */
function firstWhere(length: number, holds: (at: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function isBefore(one: Id, other: Id): boolean {
  return typeof one === typeof other ? one < other : typeof one === 'number'
}
