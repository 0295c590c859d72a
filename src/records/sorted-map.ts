import type { Id } from './record-table.ts'

/** A chunk with more entries than this is split in two, so that adding an entry never moves more of them. */
const CHUNK_SIZE = 1024

/** Entries next to each other, in ascending order of their keys. */
interface Chunk<V> {
  /** Who may change the chunk. Every other owner copies it first. */
  readonly owner: object
  readonly keys: Id[]
  readonly values: V[]
}

/** A chunk whose values are made when they are first visited. Forks share them, too. */
class UnreadChunk<V> implements Chunk<V> {
  readonly owner: object
  readonly keys: Id[]
  readonly #make: (at: number) => V
  #values: V[] | undefined

  constructor(owner: object, keys: Id[], make: (at: number) => V) {
    this.owner = owner
    this.keys = keys
    this.#make = make
  }

  get values(): V[] {
    this.#values ??= this.keys.map((_, at) => this.#make(at))
    return this.#values
  }
}

/** Called with an entry; `false` ends the visit. */
type Visit<V> = (value: V, key: Id) => boolean

/** Where a key is in a map, or where it would be. */
interface Position<V> {
  readonly chunk: Chunk<V> | undefined
  readonly chunkIndex: number
  /** The index within the chunk. */
  readonly index: number
}

/**
 * A map in ascending order of its keys, numbers before strings. Its chunks are found by binary search, so getting, setting and
 * deleting an entry cost nearly the same in a map of a hundred and of a million. A fork shares the chunks.
 */
export class SortedMap<V extends object> {
  #owner: object
  readonly #chunks: Chunk<V>[]
  #size: number

  constructor(owner: object = {}, chunks: readonly Chunk<V>[] = [], size = 0) {
    this.#owner = owner
    this.#chunks = [...chunks]
    this.#size = size
  }

  /** A map with these keys, which are in ascending order. `make` makes the value of the key at an index when it is first visited. */
  static of<V extends object>(
    keys: readonly Id[],
    make: (at: number) => V,
    owner: object = {},
  ): SortedMap<V> {
    const chunks: Chunk<V>[] = []
    for (let start = 0; start < keys.length; start += CHUNK_SIZE) {
      const own = keys.slice(start, start + CHUNK_SIZE)
      chunks.push(new UnreadChunk(owner, own, (at) => make(start + at)))
    }
    return new SortedMap(owner, chunks, keys.length)
  }

  get size(): number {
    return this.#size
  }

  /** The entries, in chunks. */
  get chunks(): readonly Chunk<V>[] {
    return this.#chunks
  }

  isOwnedBy(owner: object): boolean {
    return this.#owner === owner
  }

  /** A map with the same entries for another owner. Changing one map does not change the other. */
  fork(owner: object = {}): SortedMap<V> {
    this.#owner = {}
    return new SortedMap(owner, this.#chunks, this.#size)
  }

  get(key: Id): V | undefined {
    const { chunk, index } = this.find(key)
    return chunk?.keys[index] === key ? chunk.values[index] : undefined
  }

  set(key: Id, value: V): void {
    if (this.#append(key, value)) return
    const { chunkIndex, index } = this.find(key)
    const chunk = this.#own(chunkIndex)
    const isNew = chunk.keys[index] !== key
    chunk.keys.splice(index, isNew ? 0 : 1, key)
    chunk.values.splice(index, isNew ? 0 : 1, value)
    if (isNew) this.#size += 1
    if (chunk.keys.length > CHUNK_SIZE) this.#split(chunk, chunkIndex)
  }

  delete(key: Id): void {
    const { chunk, chunkIndex, index } = this.find(key)
    if (chunk?.keys[index] !== key) return
    const { keys, values } = this.#own(chunkIndex)
    keys.splice(index, 1)
    values.splice(index, 1)
    this.#size -= 1
    if (keys.length === 0) this.#chunks.splice(chunkIndex, 1)
  }

  /** Calls `visit` with each entry after a key, or with every entry when `after` is undefined, until it returns `false`. */
  forEachAfter(after: Id | undefined, visit: Visit<V>): void {
    const start = after === undefined ? { chunkIndex: 0, index: 0 } : this.find(after)
    for (let at = start.chunkIndex; at < this.#chunks.length; at += 1) {
      const { keys = [], values = [] } = this.#chunks[at] ?? {}
      for (let next = at === start.chunkIndex ? start.index : 0; next < keys.length; next += 1) {
        const key = keys[next]
        const value = values[next]
        if (key === undefined || value === undefined || key === after) continue
        if (!visit(value, key)) return
      }
    }
  }

  /** Adds an entry after the last one, where most new keys belong. Returns `false` when the key belongs elsewhere. */
  #append(key: Id, value: V): boolean {
    const last = this.#chunks.at(-1)
    const lastKey = last?.keys.at(-1)
    if (!last || lastKey === undefined || !isBefore(lastKey, key)) return false
    const isFull = last.keys.length === CHUNK_SIZE
    if (isFull) this.#chunks.push({ owner: this.#owner, keys: [], values: [] })
    const { keys, values } = this.#own(this.#chunks.length - 1)
    keys.push(key)
    values.push(value)
    this.#size += 1
    return true
  }

  /** Where a key is, or would be, in the last chunk that does not start after it. */
  find(key: Id): Position<V> {
    const chunks = this.#chunks
    const firstAfter = firstIndexWhere(chunks.length, (at) =>
      isBefore(key, chunks[at]?.keys[0] ?? key),
    )
    const chunkIndex = Math.max(0, firstAfter - 1)
    const chunk = chunks[chunkIndex]
    const keys = chunk?.keys ?? []
    const index = firstIndexWhere(keys.length, (at) => !isBefore(keys[at] ?? key, key))

    return { chunk, chunkIndex, index }
  }

  /** The chunk at an index, to be changed: a copy of a shared one, or a new one where there is none. */
  #own(chunkIndex: number): Chunk<V> {
    const chunk = this.#chunks[chunkIndex]
    if (chunk?.owner === this.#owner) return chunk
    const own = {
      owner: this.#owner,
      keys: [...(chunk?.keys ?? [])],
      values: [...(chunk?.values ?? [])],
    }
    this.#chunks[chunkIndex] = own
    return own
  }

  #split({ owner, keys, values }: Chunk<V>, chunkIndex: number): void {
    const half = CHUNK_SIZE / 2
    const second = { owner, keys: keys.splice(half), values: values.splice(half) }
    this.#chunks.splice(chunkIndex + 1, 0, second)
  }
}

/**
 * The first index for which `condition` is true, by binary search: it must be true for every later index, too. Returns `length`
 * when it is true for none.
 */
function firstIndexWhere(length: number, condition: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (condition(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Whether a key comes before another one in a sorted map. */
export function isBefore(one: Id, other: Id): boolean {
  return typeof one === typeof other ? one < other : typeof one === 'number'
}

/** Which entries of a map are visited. */
export interface Range {
  /** The key before the first entry, in the direction of the visit; default: from the end of the map. The map may lack it. */
  readonly after?: Id | undefined
  /** Whether the last entry comes first. Default: no. */
  readonly isBackward?: boolean
  /** How many entries are left out. Chunks of them cost as much as one. */
  readonly skip?: number
}

/** Calls `visit` with each entry of a range until it returns `false`. */
export function walkMap<V extends object>(
  map: SortedMap<V>,
  { after, isBackward = false, skip = 0 }: Range,
  visit: Visit<V>,
): void {
  const { chunks } = map
  const step = isBackward ? -1 : 1
  const begin = startOf(map, after, isBackward)
  let toSkip = skip
  let at = begin.chunkIndex
  for (let chunk = chunks[at]; chunk; chunk = chunks[at]) {
    const { length } = chunk.keys
    const first = isBackward ? length - 1 : 0
    const start = at === begin.chunkIndex ? begin.index : first
    const skipped = Math.min(toSkip, isBackward ? start + 1 : length - start)
    toSkip -= skipped
    if (!visitChunk(chunk, start + skipped * step, step, visit)) return
    at += step
  }
}

/** The first entry of a range. Its index may be one outside of the chunk, on the side where the range begins. */
function startOf<V extends object>(
  map: SortedMap<V>,
  after: Id | undefined,
  isBackward: boolean,
): { readonly chunkIndex: number; readonly index: number } {
  if (after !== undefined) {
    const { chunk, chunkIndex, index } = map.find(after)
    if (isBackward) return { chunkIndex, index: index - 1 }
    return { chunkIndex, index: chunk?.keys[index] === after ? index + 1 : index }
  }
  if (!isBackward) return { chunkIndex: 0, index: 0 }
  const chunkIndex = map.chunks.length - 1
  return { chunkIndex, index: (map.chunks[chunkIndex]?.keys.length ?? 0) - 1 }
}

/** Visits the entries of a chunk from an index on. Returns whether the visit goes on. */
function visitChunk<V>(
  { keys, values }: Chunk<V>,
  start: number,
  step: 1 | -1,
  visit: Visit<V>,
): boolean {
  for (let at = start; at >= 0 && at < keys.length; at += step) {
    const key = keys[at]
    const value = values[at]
    if (key !== undefined && value !== undefined && !visit(value, key)) return false
  }
  return true
}
