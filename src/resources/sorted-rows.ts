import type { Id } from './id.ts'

/** A chunk that grows past this is cut in two: adding to one moves no more entries than this. */
const MOST = 1024

interface Chunk<R> {
  readonly ids: Id[]
  readonly rows: R[]
}

/**
 * Rows in ascending order of their ids, numbers before texts, in chunks that are searched by halves: to find, add and
 * remove one costs the same, near enough, for a hundred and for a million.
 */
export class SortedRows<R extends object> {
  readonly #chunks: Chunk<R>[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  get(id: Id): R | undefined {
    const { chunk, at } = this.#find(id)
    return chunk?.ids[at] === id ? chunk.rows[at] : undefined
  }

  /** Adds a row, or puts it in the place of the one that has its id. */
  set(id: Id, row: R): void {
    const { chunk = this.#open(), at, index } = this.#find(id)
    const isNew = chunk.ids[at] !== id
    chunk.ids.splice(at, isNew ? 0 : 1, id)
    chunk.rows.splice(at, isNew ? 0 : 1, row)
    if (isNew) this.#size += 1
    if (chunk.ids.length > MOST) this.#cut(chunk, index)
  }

  delete(id: Id): void {
    const { chunk, at, index } = this.#find(id)
    if (chunk?.ids[at] !== id) return
    chunk.ids.splice(at, 1)
    chunk.rows.splice(at, 1)
    this.#size -= 1
    if (chunk.ids.length === 0) this.#chunks.splice(index, 1)
  }

  /** Shows `visit` each row behind the id, or every row when there is none, until it answers `false`. */
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

  /** Where an id is, or would be: in the last chunk that starts no later. */
  #find(id: Id): { readonly chunk: Chunk<R> | undefined; readonly at: number; index: number } {
    const chunks = this.#chunks
    const behind = firstWhere(chunks.length, (at) => isBefore(id, chunks[at]?.ids[0] ?? id))
    const index = Math.max(0, behind - 1)
    const chunk = chunks[index]
    const ids = chunk?.ids ?? []

    return { chunk, at: firstWhere(ids.length, (at) => !isBefore(ids[at] ?? id, id)), index }
  }

  #open(): Chunk<R> {
    const chunk = { ids: [], rows: [] }
    this.#chunks.push(chunk)
    return chunk
  }

  #cut({ ids, rows }: Chunk<R>, index: number): void {
    this.#chunks.splice(index + 1, 0, { ids: ids.splice(MOST / 2), rows: rows.splice(MOST / 2) })
  }
}

/** The first place from 0 up where `holds` is true, if it is so from some place on; else `length`. */
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
