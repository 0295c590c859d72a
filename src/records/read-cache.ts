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

/** What tasks have read of the records. Everything is asked once: those who ask for the same share one promise. */
export class ReadCache {
  readonly #records: StoredRecords
  readonly #collections = new Map<string, CollectionReads>()
  #opened: Promise<readonly string[]> | undefined
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
  opened(): Promise<readonly string[]> {
    this.#opened ??= kept(this.#records.opened(), () => {
      this.#opened = undefined
    })
    return this.#opened
  }

  get hasRead(): boolean {
    return this.#collections.size > 0 || this.#opened !== undefined
  }
}

/** What was read of one collection. */
export class CollectionReads {
  readonly #records: StoredRecords
  readonly #name: string
  readonly #add: (count: number) => void
  readonly #asked = new Map<string, Promise<VersionedRecord | undefined>>()
  readonly #pages = new Map<string, Promise<StoredPage>>()
  readonly #counts = new Map<string, Promise<number>>()
  /** The first read version of each record, which stands for the record for those who share what was read. */
  readonly #known = new Map<string, VersionedRecord>()
  #state: Promise<CollectionState | undefined> | undefined
  #opened: Promise<CollectionState> | undefined
  #removed: ReturnType<StoredRecords['removed']> | undefined

  /** `add` is told how many answers and records are kept in addition. */
  constructor(records: StoredRecords, name: string, add: (count: number) => void) {
    this.#records = records
    this.#name = name
    this.#add = add
  }

  state(): Promise<CollectionState | undefined> {
    this.#state ??= kept(this.#records.state(this.#name), () => {
      this.#state = undefined
    })
    return this.#state
  }

  /** The state as this server saw it last. */
  seenState(): CollectionState | undefined {
    return this.#records.seenState(this.#name)
  }

  /** The state of the collection, which is opened with `start` if nobody opened it. */
  opened(start: () => Promise<FirstState>): Promise<CollectionState> {
    this.#opened ??= kept(this.#open(start), () => {
      this.#opened = undefined
    })
    return this.#opened
  }

  async #open(start: () => Promise<FirstState>): Promise<CollectionState> {
    const state = await this.state()
    if (state) return state
    await this.#records.open(this.#name, await start())
    // What was read before is what the collection had without its first records.
    this.#state = undefined
    this.#removed = undefined
    for (const read of [this.#asked, this.#pages, this.#counts, this.#known]) read.clear()
    const opened = await this.state()
    if (opened) return opened
    throw new MissingCollectionError()
  }

  /** A record that was read already. */
  known(id: Id): VersionedRecord | undefined {
    return this.#known.get(idKey(id))
  }

  get(id: Id): Promise<VersionedRecord | undefined> {
    const seen = this.known(id)
    return this.#once(this.#asked, idKey(id), async () => {
      const found = seen ?? (await this.#records.get(this.#name, id))
      return found && this.#keep(found)
    })
  }

  page(query: PageQuery, filters: readonly string[]): Promise<StoredPage> {
    return this.#once(this.#pages, keyOf(query), async () => {
      const page = await this.#records.page(this.#name, query, filters)
      this.#add(page.records.length)
      return { ...page, records: page.records.map((found) => this.#keep(found)) }
    })
  }

  count(selection: RecordSelection, filters: readonly string[]): Promise<number> {
    return this.#once(this.#counts, keyOf(selection), () =>
      this.#records.count(this.#name, selection, filters),
    )
  }

  removed(): ReturnType<StoredRecords['removed']> {
    this.#removed ??= kept(this.#records.removed(this.#name), () => {
      this.#removed = undefined
    })
    return this.#removed
  }

  /** The answer to a question, which is asked once. */
  #once<Answer>(
    answers: Map<string, Promise<Answer>>,
    key: string,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    return once(answers, key, () => {
      this.#add(1)
      return kept(ask(), () => answers.delete(key))
    })
  }

  /** The same version of a record is the same object, whatever read it. */
  #keep(found: VersionedRecord): VersionedRecord {
    const first = once(this.#known, idKey(found.id), () => found)
    return first.version === found.version ? first : found
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
function keyOf(query: object): string {
  return JSON.stringify(query, (_name, value) => (value === undefined ? { undefined: 1 } : value))
}

/** A promise that may reject before anybody waits for it. `forget` is called then: the next one asks again. */
function kept<Value>(promise: Promise<Value>, forget: () => void): Promise<Value> {
  promise.catch(forget)
  return promise
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
