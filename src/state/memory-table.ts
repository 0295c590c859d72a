import type { Awaitable } from './awaitable.ts'
import type * as FurtherPages from './further-pages.ts'
import { RecordIndex } from './record-index.ts'
import { RecordShards } from './record-shards.ts'
import type { Id, Page, PageQuery, RecordTable, StoredRecord } from './record-table.ts'

/** Pages that the shipped contract does not have. They are loaded with the first one. */
let furtherPages: typeof FurtherPages | undefined

/**
 * Records in memory: in collections of `@mswjs/data`, with an index beside them for what the library does slowly or not at all.
 * A fork shares the records, which are never changed in place. Its own shards contain only the records that it writes.
 */
export class MemoryTable implements RecordTable {
  readonly #shards = new RecordShards()
  readonly #index: RecordIndex<StoredRecord>
  #ids: number
  /** By the id as text. Forks share the map until one of them changes it. */
  #generations: Map<string, number>
  #sharesGenerations: boolean

  /** A table with an index of these properties. */
  constructor(
    filters: readonly string[],
    idState: number,
    index: RecordIndex<StoredRecord> = new RecordIndex(filters),
    generations?: Map<string, number>,
  ) {
    this.#index = index
    this.#ids = idState
    this.#generations = generations ?? new Map()
    this.#sharesGenerations = generations !== undefined
  }

  get(id: Id): StoredRecord | undefined {
    return this.#index.get(id)
  }

  isTaken(id: Id): boolean {
    return this.#index.get(id) !== undefined
  }

  async put(
    id: Id,
    record: StoredRecord,
    present: StoredRecord | undefined,
    ids?: { readonly from: number; readonly to: number },
  ): Promise<StoredRecord | undefined> {
    if (this.#index.get(id) !== present) return undefined
    const stored = await this.#shards.create(record)
    if (this.#index.get(id) !== present) {
      this.#shards.delete(stored)
      return undefined
    }
    if (present) this.#drop(id, present)
    else if (this.generation(id) % 2 === 1) this.#countGeneration(id)
    this.#index.add(id, stored)
    if (ids) this.advanceIds(ids.from, ids.to)

    return stored
  }

  delete(id: Id, present: StoredRecord): boolean {
    if (this.#index.get(id) !== present) return false
    this.#drop(id, present)
    this.#countGeneration(id)

    return true
  }

  page(query: PageQuery): Awaitable<Page> {
    const { after, before, sort, skip } = query
    return before === undefined && !sort && !skip && typeof after !== 'object'
      ? this.#index.page({ ...query, after })
      : this.#further(({ pageOf }) => pageOf(this.#index, query))
  }

  count(where?: StoredRecord): Awaitable<number> {
    return where ? this.#further(({ countOf }) => countOf(this.#index, where)) : this.#index.size
  }

  #further<Result>(use: (loaded: typeof FurtherPages) => Result): Awaitable<Result> {
    if (furtherPages) return use(furtherPages)
    return import('./further-pages.ts').then((loaded) => {
      furtherPages = loaded
      return use(loaded)
    })
  }

  idState(): number {
    return this.#ids
  }

  advanceIds(from: number, to: number): boolean {
    if (this.#ids !== from) return false
    this.#ids = to
    return true
  }

  generation(id: Id): number {
    return this.#generations.get(String(id)) ?? 0
  }

  setGeneration(id: Id, generation: number): void {
    if (this.#sharesGenerations) this.#generations = new Map(this.#generations)
    this.#sharesGenerations = false
    if (generation === 0) this.#generations.delete(String(id))
    else this.#generations.set(String(id), generation)
  }

  removed(): readonly string[] {
    return [...this.#generations].flatMap(([id, generation]) => (generation % 2 === 1 ? id : []))
  }

  #drop(id: Id, present: StoredRecord): void {
    this.#shards.delete(present)
    this.#index.remove(id, present)
  }

  #countGeneration(id: Id): void {
    this.setGeneration(id, this.generation(id) + 1)
  }

  fork(): MemoryTable {
    this.#sharesGenerations = true
    return new MemoryTable([], this.#ids, this.#index.fork(), this.#generations)
  }
}
