import type { Awaitable } from './awaitable.ts'
import { MemoryTable } from './memory-table.ts'
import { type Id, idKey, type PageQuery, type StoredRecord } from './record-table.ts'
import type { RecordSelection } from './selection.ts'
import {
  type CollectionState,
  type FirstState,
  MissingCollectionError,
  type RecordChanges,
  type StoredPage,
  type StoredRecords,
  type VersionedRecord,
} from './stored-records.ts'

/** What tasks have read of the records. Everything is asked once: those who ask for the same share its answer. */
export class ReadCache {
  readonly #records: StoredRecords
  readonly #collections = new Map<string, CollectionReads>()
  readonly #opened = new Answers<readonly string[]>()
  #size = 0

  constructor(records: StoredRecords) {
    this.#records = records
  }

  /** What was read of a collection. */
  of(collection: string): CollectionReads {
    return once(
      this.#collections,
      collection,
      () => new CollectionReads(this.#records, collection, (count) => this.#add(count)),
    )
  }

  /** How many answers and records are kept. */
  get size(): number {
    return this.#size
  }

  #add(count: number): void {
    this.#size += count
  }

  /** The names of the opened collections. */
  opened(): Awaitable<readonly string[]> {
    return this.#opened.get('', () => this.#records.opened())
  }

  get hasRead(): boolean {
    return this.#collections.size > 0 || this.#opened.size > 0
  }
}

/** What was read of one collection. */
export class CollectionReads {
  readonly #records: StoredRecords
  readonly #name: string
  readonly #add: (count: number) => void
  readonly #asked = new Answers<VersionedRecord | undefined>()
  readonly #pages = new Answers<StoredPage>()
  readonly #counts = new Answers<number>()
  readonly #states = new Answers<CollectionState | undefined>()
  readonly #openings = new Answers<CollectionState>()
  readonly #removed = new Answers<Awaited<ReturnType<StoredRecords['removed']>>>()
  /** The first read version of each record, which stands for the record for those who share what was read. */
  readonly #known = new Map<string, VersionedRecord>()

  /** `add` is told how many answers and records are kept in addition. */
  constructor(records: StoredRecords, name: string, add: (count: number) => void) {
    this.#records = records
    this.#name = name
    this.#add = add
  }

  state(): Awaitable<CollectionState | undefined> {
    return this.#states.get('', () => this.#records.state(this.#name))
  }

  /** The state as this server saw it last. */
  seenState(): CollectionState | undefined {
    return this.#records.seenState(this.#name)
  }

  /** The state of the collection, which is opened with `start` if nobody opened it. */
  opened(start: () => Promise<FirstState>): Awaitable<CollectionState> {
    return this.#openings.get('', () => this.#open(start))
  }

  async #open(start: () => Promise<FirstState>): Promise<CollectionState> {
    const state = await this.state()
    if (state) return state
    await this.#records.open(this.#name, await start())
    // What was read before is what the collection had without its first records.
    for (const read of [this.#states, this.#removed, this.#asked, this.#pages, this.#counts]) {
      read.clear()
    }
    this.#known.clear()
    const opened = await this.state()
    if (opened) return opened
    throw new MissingCollectionError()
  }

  /** A record that was read already. */
  known(id: Id): VersionedRecord | undefined {
    return this.#known.get(idKey(id))
  }

  get(id: Id): Awaitable<VersionedRecord | undefined> {
    const seen = this.known(id)
    if (seen) return seen
    return this.#asked.get(idKey(id), async () => {
      this.#add(1)
      const found = await this.#records.get(this.#name, id)
      return found && this.#keep(found)
    })
  }

  page(query: PageQuery, filters: readonly string[]): Awaitable<StoredPage> {
    return this.#pages.get(keyOf(query), async () => {
      const page = await this.#records.page(this.#name, query, filters)
      this.#add(1 + page.records.length)
      return { ...page, records: page.records.map((found) => this.#keep(found)) }
    })
  }

  count(selection: RecordSelection, filters: readonly string[]): Awaitable<number> {
    return this.#counts.get(keyOf(selection), () => {
      this.#add(1)
      return this.#records.count(this.#name, selection, filters)
    })
  }

  removed(): Awaitable<Awaited<ReturnType<StoredRecords['removed']>>> {
    return this.#removed.get('', () => this.#records.removed(this.#name))
  }

  /** The same version of a record is the same object, whatever read it. */
  #keep(found: VersionedRecord): VersionedRecord {
    const first = once(this.#known, idKey(found.id), () => found)
    return first.version === found.version ? first : found
  }
}

/** The answers of a store to questions of one kind. Each is asked once, until it fails: an answer that has come is no promise. */
class Answers<Answer> {
  readonly #answers = new Map<string, Awaitable<Answer>>()

  get size(): number {
    return this.#answers.size
  }

  get(key: string, ask: () => Promise<Answer>): Awaitable<Answer> {
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const asked = ask()
    this.#answers.set(key, asked)
    const isLatest = (): boolean => this.#answers.get(key) === asked
    asked.then(
      (answer) => answer !== undefined && isLatest() && this.#answers.set(key, answer),
      () => isLatest() && this.#answers.delete(key),
    )
    return asked
  }

  clear(): void {
    this.#answers.clear()
  }
}

/** The value of a key, which is made when it is first needed. */
function once<Value extends object>(
  values: Map<string, Value>,
  key: string,
  make: () => Value,
): Value {
  const value = values.get(key) ?? make()
  values.set(key, value)
  return value
}

/** A text for a query. JSON has no `undefined`, which a property may have to be. */
function keyOf(query: RecordSelection): string {
  if (!query.where && !query.tests) return JSON.stringify(query)
  return JSON.stringify(query, (_name, value) => (value === undefined ? { undefined: 1 } : value))
}

/** The records of a store for those who do not open every collection that they read: the others are opened in memory. */
export class UnwrittenRecords implements StoredRecords {
  readonly #records: StoredRecords
  readonly #isUnwritten: (first: FirstState) => boolean
  readonly #opened = new Map<string, UnwrittenCollection>()

  /** `isUnwritten` tells which collections are opened in memory; default: all that nobody has opened. */
  constructor(records: StoredRecords, isUnwritten: (first: FirstState) => boolean = () => true) {
    this.#records = records
    this.#isUnwritten = isUnwritten
  }

  /** Opens those of the collections in the store that are opened in memory. Resolves with whether there were any. */
  async openWritten({ records = [], ids = [] }: RecordChanges): Promise<boolean> {
    const written = new Set([...records, ...ids].map(({ collection }) => collection))
    const unopened = [...written].flatMap((name) => {
      const own = this.#opened.get(name)
      return own ? [this.#records.open(name, own.first)] : []
    })
    await Promise.all(unopened)

    return unopened.length > 0
  }

  /** Those of the store. */
  opened(): Promise<readonly string[]> {
    return this.#records.opened()
  }

  async state(collection: string): Promise<CollectionState | undefined> {
    return this.#opened.get(collection)?.state ?? this.#records.state(collection)
  }

  seenState(collection: string): CollectionState | undefined {
    return this.#opened.get(collection)?.state ?? this.#records.seenState(collection)
  }

  async open(collection: string, first: FirstState): Promise<void> {
    if (!this.#isUnwritten(first)) return this.#records.open(collection, first)
    this.#opened.set(collection, await openInMemory(first))
  }

  async get(collection: string, id: Id): Promise<VersionedRecord | undefined> {
    const own = this.#opened.get(collection)
    return own ? own.byId.get(idKey(id)) : this.#records.get(collection, id)
  }

  async page(
    collection: string,
    query: PageQuery,
    filters: readonly string[],
  ): Promise<StoredPage> {
    const own = this.#opened.get(collection)
    if (!own) return this.#records.page(collection, query, filters)
    const { records, next, previous } = await own.table.page(query)

    return {
      records: records.flatMap((record) => own.byRecord.get(record) ?? []),
      hasMore: (query.before === undefined ? next : previous) !== undefined,
    }
  }

  async count(
    collection: string,
    selection: RecordSelection,
    filters: readonly string[],
  ): Promise<number> {
    const own = this.#opened.get(collection)
    return own ? own.table.count(selection) : this.#records.count(collection, selection, filters)
  }

  async removed(collection: string): ReturnType<StoredRecords['removed']> {
    return this.#opened.get(collection)?.first.removed ?? this.#records.removed(collection)
  }
}

/** A collection in memory. */
interface UnwrittenCollection {
  readonly first: FirstState
  readonly state: CollectionState
  readonly table: MemoryTable
  readonly byId: ReadonlyMap<string, VersionedRecord>
  readonly byRecord: ReadonlyMap<StoredRecord, VersionedRecord>
}

async function openInMemory(first: FirstState): Promise<UnwrittenCollection> {
  const { rows, removed, ids, filters, orders = [], emptied } = first
  const table = new MemoryTable(filters, ids)
  const all: VersionedRecord[] = removed.map((one) => ({ ...one, version: '', record: undefined }))
  for (const { id, record: given, generation = 0 } of rows) {
    const record = await table.put(id, given, undefined)
    all.push({ id, version: '', generation, record })
  }
  return {
    first,
    state: { ids, orders, ...(emptied && { emptied }) },
    table,
    byId: new Map(all.map((one) => [idKey(one.id), one])),
    byRecord: new Map(all.flatMap((one) => (one.record ? [[one.record, one] as const] : []))),
  }
}

/** Records to be read, and what was read of them. */
export interface ReadRecords {
  readonly records: UnwrittenRecords
  readonly cache: ReadCache
}

/**
 * Begins to read the records of a store for a task that opens collections in it. There may be any number of collections below records. Such a
 * one is opened in the store when the task changes it.
 */
export function beginReads(stored: StoredRecords): ReadRecords {
  const records = new UnwrittenRecords(stored, ({ isNested = false }) => isNested)
  return { records, cache: new ReadCache(records) }
}

/** So many answers and records are shared at most. */
const MAX_SHARED = 5000

/** What requests that only read have read since the records changed last. */
export class SharedReads {
  readonly #stored: StoredRecords
  #version: string | undefined
  #reads: ReadRecords

  constructor(stored: StoredRecords) {
    this.#stored = stored
    this.#reads = beginReads(stored)
  }

  /** What was read of this version of the records. */
  at(version: string): ReadRecords {
    if (version !== this.#version || this.#reads.cache.size > MAX_SHARED) {
      this.#version = version
      this.#reads = beginReads(this.#stored)
    }
    return this.#reads
  }
}
