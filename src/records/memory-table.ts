import { Collection } from '@mswjs/data'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { RecordIndex, type UnmadeRecord } from './record-index.ts'
import { countOf, pageOf } from './record-pages.ts'
import {
  copyJson,
  type Id,
  type Page,
  type PageQuery,
  type RecordTable,
  type StoredRecord,
} from './record-table.ts'
import type { RecordSelection } from './selection.ts'

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
  version = 0

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
    this.version += 1
    if (ids) this.advanceIds(ids.from, ids.to)

    return stored
  }

  /** Starts with records that are not made yet. The ids are in ascending order, and `unmade` returns what stands for each. */
  start(ids: readonly Id[], unmade: (at: number) => UnmadeRecord): void {
    this.#index.start(ids, unmade)
  }

  /**
   * Puts a record that is made in the place of what stands for it, if that is still there. It can be made again, so that it is in the
   * index only.
   */
  make(id: Id, unmade: UnmadeRecord, record: StoredRecord): boolean {
    if (this.#index.get(id) !== unmade) return false
    this.#index.make(id, unmade, record)
    return true
  }

  delete(id: Id, present: StoredRecord): boolean {
    if (this.#index.get(id) !== present) return false
    this.#drop(id, present)
    this.#countGeneration(id)

    return true
  }

  page(query: PageQuery): Page {
    const { after, before, sort, skip } = query
    return before === undefined && !sort && !skip && typeof after !== 'object'
      ? this.#index.page({ ...query, after })
      : pageOf(this.#index, query)
  }

  count(selection?: RecordSelection): number {
    return selection ? countOf(this.#index, selection) : this.#index.size
  }

  idState(): number {
    return this.#ids
  }

  advanceIds(from: number, to: number): boolean {
    if (this.#ids !== from) return false
    this.#ids = to
    this.version += 1
    return true
  }

  generation(id: Id): number {
    return this.#generations.get(String(id)) ?? 0
  }

  setGeneration(id: Id, generation: number): void {
    if (this.#sharesGenerations) this.#generations = new Map(this.#generations)
    this.#sharesGenerations = false
    this.version += 1
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

/** The library searches a collection from its first record on. Among this many records a search takes microseconds. */
const SHARD_SIZE = 1000

type Shard = Collection<StandardSchemaV1<NewRecord, StoredRecord>>
/** A record with the symbols by which the library recognizes it. */
type LiveRecord = Awaited<ReturnType<Shard['create']>>

/**
 * A record on its way into a collection. The library copies a plain object path by path, which takes five times as long as
 * `copyJson`; an object of a class it leaves to the schema, which takes the record out.
 */
class NewRecord {
  readonly record: StoredRecord
  constructor(record: StoredRecord) {
    this.record = record
  }
}

/**
 * Records in collections of `@mswjs/data` of at most `SHARD_SIZE` records each. Deleting one costs the same however many records
 * there are, because the library searches only its shard. The first shard is made when the first record is written: most forks
 * are only read.
 *
 * A changed record is created, and the one before is deleted. The library's own update is not used: its drafts refuse a property
 * called `__proto__`.
 */
export class RecordShards {
  readonly #shardOf = new Map<StoredRecord, Shard>()
  /** The shard that takes new records. */
  #latest: Shard | undefined

  /** Resolves with the stored copy, which must not be changed. */
  async create(record: StoredRecord): Promise<StoredRecord> {
    const copy = copyJson(record)
    if (!canMakeKeys()) return copy
    const shard = this.#openShard()
    const live = await shard.create(new NewRecord(copy))
    joinKey(live)
    this.#shardOf.set(live, shard)
    return live
  }

  /** Deletes a record, unless this is a fork and shares the record with its origin. */
  delete(record: StoredRecord): void {
    const shard = this.#shardOf.get(record)
    if (shard && isLive(record)) shard.delete(record)
    this.#shardOf.delete(record)
  }

  #openShard(): Shard {
    if (!this.#latest || this.#latest.count() >= SHARD_SIZE)
      this.#latest = new Collection({ schema: ANY_RECORD })
    return this.#latest
  }
}

/**
 * Whether the library can make its key of a record. Pages without HTTPS and jsdom before 22.1 have no `crypto.randomUUID`.
 * There, the records are only in the index.
 */
function canMakeKeys(): boolean {
  return typeof globalThis.crypto?.randomUUID === 'function'
}

function isLive(record: StoredRecord): record is LiveRecord {
  return Object.getOwnPropertySymbols(record).length > 0
}

/**
 * Has the parts of a record's key joined. The key of the library is a random UUID: Node concatenates it from twenty parts, and V8
 * keeps all of them, 480 bytes, until something reads its characters.
 */
function joinKey(record: LiveRecord): void {
  for (const symbol of Object.getOwnPropertySymbols(record)) {
    const value: unknown = Reflect.get(record, symbol)
    if (typeof value === 'string') ANY_CHARACTER.test(value)
  }
}

const ANY_CHARACTER = /./

/** The library requires a schema (standardschema.dev). This one accepts every record: records are checked before they are written. */
const ANY_RECORD: StandardSchemaV1<NewRecord, StoredRecord> = {
  '~standard': {
    version: 1,
    vendor: 'pet-sandbox',
    validate: (value) =>
      value instanceof NewRecord
        ? { value: value.record }
        : { issues: [{ message: 'must be a new record' }] },
  },
}
