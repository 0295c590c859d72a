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

/** What a task has read of the records. Everything is asked once: those who ask for the same share one promise. */
export class ReadCache {
  readonly #records: StoredRecords
  readonly #collections = new Map<string, CollectionReads>()
  #opened: Promise<readonly string[]> | undefined

  constructor(records: StoredRecords) {
    this.#records = records
  }

  /** What was read of a collection. */
  of(collection: string): CollectionReads {
    return once(this.#collections, collection, () => new CollectionReads(this.#records, collection))
  }

  /** The names of the opened collections. */
  opened(): Promise<readonly string[]> {
    this.#opened ??= kept(this.#records.opened())
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
  readonly #asked = new Map<string, Promise<VersionedRecord | undefined>>()
  readonly #pages = new Map<string, Promise<StoredPage>>()
  readonly #counts = new Map<string, Promise<number>>()
  /** The first read version of each record, which stands for the record in this request. */
  readonly #known = new Map<string, VersionedRecord>()
  #state: Promise<CollectionState | undefined> | undefined
  #opened: Promise<CollectionState> | undefined
  #removed: ReturnType<StoredRecords['removed']> | undefined

  constructor(records: StoredRecords, name: string) {
    this.#records = records
    this.#name = name
  }

  state(): Promise<CollectionState | undefined> {
    this.#state ??= kept(this.#records.state(this.#name))
    return this.#state
  }

  /** The state as this server saw it last. */
  seenState(): CollectionState | undefined {
    return this.#records.seenState(this.#name)
  }

  /** The state of the collection, which is opened with `start` if nobody opened it. */
  opened(start: () => Promise<FirstState>): Promise<CollectionState> {
    this.#opened ??= kept(this.#open(start))
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
    return once(this.#asked, idKey(id), () =>
      kept(
        seen
          ? Promise.resolve(seen)
          : this.#records.get(this.#name, id).then((found) => found && this.#keep(found)),
      ),
    )
  }

  page(query: PageQuery, filters: readonly string[]): Promise<StoredPage> {
    return once(this.#pages, keyOf(query), () =>
      kept(
        this.#records.page(this.#name, query, filters).then((page) => ({
          ...page,
          records: page.records.map((found) => this.#keep(found)),
        })),
      ),
    )
  }

  count(selection: RecordSelection, filters: readonly string[]): Promise<number> {
    return once(this.#counts, keyOf(selection), () =>
      kept(this.#records.count(this.#name, selection, filters)),
    )
  }

  removed(): ReturnType<StoredRecords['removed']> {
    this.#removed ??= kept(this.#records.removed(this.#name))
    return this.#removed
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

/** A promise that may reject before anybody waits for it. */
function kept<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined)
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
