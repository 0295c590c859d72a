import { idKey } from './id-key.ts'
import { MissingCollectionError } from './missing-collection-error.ts'
import type { Id, PageQuery, StoredRecord } from './record-table.ts'
import type {
  CollectionState,
  FirstState,
  StoredPage,
  StoredRecords,
  VersionedRecord,
} from './stored-records.ts'

/**
 * What a request has read of the records. Everything is asked once: those who ask for the same share one promise, so that what was
 * asked early costs no second round trip.
 */
export class ReadCache {
  readonly #records: StoredRecords
  readonly #collections = new Map<string, CollectionReads>()
  #opened: Promise<readonly string[]> | undefined

  constructor(records: StoredRecords) {
    this.#records = records
  }

  /** What was read of a collection. */
  of(collection: string): CollectionReads {
    const known =
      this.#collections.get(collection) ?? new CollectionReads(this.#records, collection)
    this.#collections.set(collection, known)
    return known
  }

  /** The names of the opened collections. */
  opened(): Promise<readonly string[]> {
    this.#opened ??= kept(this.#records.opened())
    return this.#opened
  }

  get hasRead(): boolean {
    return this.#collections.size > 0 || this.#opened !== undefined
  }

  forget(): void {
    this.#collections.clear()
    this.#opened = undefined
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
    const key = idKey(id)
    const known = this.#known.get(key)
    const asked =
      this.#asked.get(key) ??
      kept(
        known
          ? Promise.resolve(known)
          : this.#records.get(this.#name, id).then((found) => found && this.#keep(found)),
      )
    this.#asked.set(key, asked)
    return asked
  }

  page(query: PageQuery, filters: readonly string[]): Promise<StoredPage> {
    const key = keyOf(query)
    const asked =
      this.#pages.get(key) ??
      kept(
        this.#records.page(this.#name, query, filters).then((page) => ({
          ...page,
          records: page.records.map((found) => this.#keep(found)),
        })),
      )
    this.#pages.set(key, asked)
    return asked
  }

  count(where: StoredRecord, filters: readonly string[]): Promise<number> {
    const key = keyOf(where)
    const asked = this.#counts.get(key) ?? kept(this.#records.count(this.#name, where, filters))
    this.#counts.set(key, asked)
    return asked
  }

  removed(): ReturnType<StoredRecords['removed']> {
    this.#removed ??= kept(this.#records.removed(this.#name))
    return this.#removed
  }

  /** The same version of a record is the same object, whatever read it. */
  #keep(found: VersionedRecord): VersionedRecord {
    const key = idKey(found.id)
    const known = this.#known.get(key)
    if (known?.version === found.version) return known
    if (!known) this.#known.set(key, found)
    return found
  }
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
