import { type Awaitable, allKnown, whenKnown } from './awaitable.ts'
import { type CollectionReads, ReadCache, UnwrittenRecords } from './read-cache.ts'
import { sortKey, sortValue } from './record-index.ts'
import {
  copyJson,
  type Id,
  idKey,
  idsLike,
  type Page,
  type PageQuery,
  type Position,
  type RecordTable,
  type StoredRecord,
} from './record-table.ts'
import { matcherOf, type RecordSelection } from './selection.ts'
import {
  type CollectionState,
  type FirstState,
  MissingCollectionError,
  type RecordChanges,
  type RecordWrite,
  type StoredPage,
  type StoredRecords,
  type VersionedRecord,
} from './stored-records.ts'

/** The records of a world as one task reads and changes them. Nothing is written to the store: `writes` is for its commit. */
export class Transaction {
  /** Whether generated ids count as free, and collections as this server saw them, until a commit refuses one. */
  readonly isTrusting: boolean
  readonly #records: StoredRecords
  readonly #cache: ReadCache
  readonly #writes: Map<string, CollectionWrites>

  constructor(
    records: StoredRecords,
    isTrusting = true,
    cache: ReadCache = new ReadCache(records),
    writes: ReadonlyMap<string, CollectionWrites> = new Map(),
  ) {
    this.#records = records
    this.#cache = cache
    this.isTrusting = isTrusting
    this.#writes = new Map(
      [...writes].map(([name, one]) => [name, { ...one, records: new Map(one.records) }]),
    )
  }

  /**
   * The table of a collection with an index of `filters`. It is opened with `start` when it is first needed; without `start`, reading a
   * collection that is not opened rejects.
   */
  table(
    collection: string,
    filters: readonly string[],
    start?: () => Promise<FirstState>,
  ): TransactionTable {
    return new TransactionTable(this, collection, filters, start)
  }

  /** The state of a collection; `undefined` when it is not opened. */
  state(collection: string): Awaitable<CollectionState | undefined> {
    const reads = this.reads(collection)
    return (this.isTrusting ? reads.seenState() : undefined) ?? reads.state()
  }

  /** The names of the opened collections. */
  opened(): Awaitable<readonly string[]> {
    return this.#cache.opened()
  }

  /** The record with this id, and how often it was removed and created again; 0 in a collection that is not opened. */
  find(
    collection: string,
    id: Id,
  ): Awaitable<{ readonly generation: number; readonly record: StoredRecord | undefined }> {
    const all = allKnown(idsLike(id).map((one) => this.#latest(collection, one)))
    return whenKnown(all, (found) => ({
      generation: Math.max(...found.map((one) => one?.generation ?? 0)),
      record: found.find((one) => one?.record)?.record,
    }))
  }

  #latest(
    collection: string,
    id: Id,
  ): Awaitable<Pick<WrittenRecord, 'generation' | 'record'> | undefined> {
    const written = (): WrittenRecord | undefined =>
      this.#writes.get(collection)?.records.get(idKey(id))
    const reading = written() ? undefined : this.reads(collection).get(id)
    return whenKnown(reading, (found) => written() ?? found)
  }

  /** The reads of a collection. */
  reads(collection: string): CollectionReads {
    return this.#cache.of(collection)
  }

  /** The writes of a collection. */
  written(collection: string): CollectionWrites {
    const known = this.#writes.get(collection) ?? { records: new Map(), filters: [] }
    this.#writes.set(collection, known)
    return known
  }

  /** Whether anything was read. */
  get hasRead(): boolean {
    return this.#cache.hasRead
  }

  /** A transaction with the same writes, which shares what was read. Its own writes are for nobody else. */
  scratch(): Transaction {
    return new Transaction(this.#records, this.isTrusting, this.#cache, this.#writes)
  }

  /** A transaction with the same writes, for those who try something: it opens no collection in the store. */
  copy(): Transaction {
    const records = new UnwrittenRecords(this.#records)
    return new Transaction(records, this.isTrusting, new ReadCache(records), this.#writes)
  }

  /** Returns a function that drops what is written from now on. */
  savepoint(): () => void {
    const saved = copyWrites(this.#writes)
    return () => {
      this.#writes.clear()
      for (const [collection, writes] of copyWrites(saved)) this.#writes.set(collection, writes)
    }
  }

  /** What is to be committed. */
  writes(): RecordChanges {
    const records = [...this.#writes].flatMap(([collection, writes]) =>
      [...writes.records.values()]
        .filter(isChanged)
        .map((written) => toWrite(collection, writes, written)),
    )
    const ids = [...this.#writes].flatMap(([collection, { state, ids: to }]) =>
      state && to !== undefined && to !== state.ids ? { collection, from: state.ids, to } : [],
    )
    return { ...(records.length > 0 && { records }), ...(ids.length > 0 && { ids }) }
  }
}

function isChanged({ before, record, generation }: WrittenRecord): boolean {
  if ((before?.generation ?? 0) !== generation) return true
  return before?.record !== record && JSON.stringify(before?.record) !== JSON.stringify(record)
}

function toWrite(
  collection: string,
  { filters, state }: CollectionWrites,
  { id, before, record, generation }: WrittenRecord,
): RecordWrite {
  return {
    collection,
    id,
    version: before?.version ?? '',
    generation,
    before: before?.record,
    after: record,
    filters,
    orders: state?.orders ?? [],
  }
}

/** The records of one collection in a transaction: those of the store, behind what the transaction has written. */
class TransactionTable implements RecordTable {
  readonly version: number = 0
  readonly #transaction: Transaction
  readonly #name: string
  readonly #filters: readonly string[]
  readonly #start: (() => Promise<FirstState>) | undefined
  /** The generated ids that count as free. */
  readonly #free = new Set<string>()

  constructor(
    transaction: Transaction,
    name: string,
    filters: readonly string[],
    start?: () => Promise<FirstState>,
  ) {
    this.#transaction = transaction
    this.#name = name
    this.#filters = filters
    this.#start = start
  }

  get #reads(): CollectionReads {
    return this.#transaction.reads(this.#name)
  }

  get #written(): CollectionWrites {
    return this.#transaction.written(this.#name)
  }

  get(id: Id): Awaitable<StoredRecord | undefined> {
    return whenKnown(this.#present(id), ({ record }) => record)
  }

  async isTaken(id: Id): Promise<boolean> {
    const known = this.#written.records.get(idKey(id)) ?? this.#reads.known(id)
    if (known || !this.#transaction.isTrusting) return (await this.get(id)) !== undefined
    this.#free.add(idKey(id))
    return false
  }

  async put(
    id: Id,
    record: StoredRecord,
    present: StoredRecord | undefined,
    ids?: { readonly from: number; readonly to: number },
  ): Promise<StoredRecord | undefined> {
    if (ids) await this.#loadIds()
    const latest = await this.#latest(id)
    if (latest.record !== present) return undefined
    const stored = copyJson(record)
    const isBack = present === undefined && latest.generation % 2 === 1
    this.#write({ ...latest, record: stored, generation: latest.generation + (isBack ? 1 : 0) })
    if (ids && this.#ids() === ids.from) this.#written.ids = ids.to

    return stored
  }

  async delete(id: Id, present: StoredRecord): Promise<boolean> {
    const latest = await this.#latest(id)
    if (latest.record !== present) return false
    this.#write({ ...latest, record: undefined, generation: latest.generation + 1 })
    return true
  }

  page(query: PageQuery): Awaitable<Page> {
    const by = query.sort?.by
    const start = query.before ?? query.after
    if (by === undefined || start === undefined || typeof start === 'object') {
      return this.#pageAt(query, start)
    }
    return whenKnown(this.get(start), (record) =>
      record ? this.#pageAt(query, { id: start, value: sortValue(record, by) }) : { records: [] },
    )
  }

  #pageAt(query: PageQuery, position: Id | Position | undefined): Awaitable<Page> {
    const place = query.before === undefined ? { after: position } : { before: position }
    const { after: _, before: __, ...rest } = query
    const asked = { ...rest, ...(position !== undefined && place) }
    // Asked before the writes are read: what is under way shares its round trip.
    return pageWith(
      asked,
      () => [...this.#written.records.values()],
      (one) => this.#read((reads) => reads.page(one, this.#filters)),
    )
  }

  async count(selection: RecordSelection = {}): Promise<number> {
    const stored = await this.#read((reads) => reads.count(selection, this.#filters))
    const { matches } = matcherOf(selection)
    let count = stored
    for (const { before, record } of this.#written.records.values()) {
      if (before?.record && matches(before.record)) count -= 1
      if (record && matches(record)) count += 1
    }
    return count
  }

  async idState(): Promise<number> {
    await this.#loadIds()
    return this.#ids()
  }

  async advanceIds(from: number, to: number): Promise<boolean> {
    await this.#loadIds()
    if (this.#ids() !== from) return false
    this.#written.ids = to
    return true
  }

  async generation(id: Id): Promise<number> {
    const all = await Promise.all(idsLike(id).map((one) => this.#present(one)))
    return Math.max(...all.map(({ generation }) => generation))
  }

  async setGeneration(id: Id, generation: number): Promise<void> {
    const all = await Promise.all(idsLike(id).map((one) => this.#present(one)))
    const [known = await this.#present(id)] = all.filter((one) => one.before ?? one.record)
    this.#write({ ...known, generation })
  }

  async removed(): Promise<readonly string[]> {
    const stored = await this.#read((reads) => reads.removed())
    const removed = new Set(stored.map(({ id }) => String(id)))
    for (const { id, record, generation } of this.#written.records.values()) {
      if (!record && generation % 2 === 1) removed.add(String(id))
      else removed.delete(String(id))
    }
    return [...removed]
  }

  fork(): TransactionTable {
    const scratch = this.#transaction.scratch()
    return new TransactionTable(scratch, this.#name, this.#filters, this.#start)
  }

  #write(written: WrittenRecord): void {
    this.#written.filters = this.#filters
    this.#written.records.set(idKey(written.id), written)
  }

  /** The state of the ids. The state of the collection must be known. */
  #ids(): number {
    const { ids, state } = this.#written
    return ids ?? state?.ids ?? 0
  }

  async #latest(id: Id): Promise<WrittenRecord> {
    const present = await this.#present(id)
    // Another write may have come first.
    return this.#written.records.get(idKey(id)) ?? present
  }

  #present(id: Id): Awaitable<WrittenRecord> {
    const key = idKey(id)
    const written = (): WrittenRecord | undefined => this.#written.records.get(key)
    const isFree = this.#free.has(key) && this.#transaction.isTrusting
    const before = isFree || written() ? undefined : this.#read((reads) => reads.get(id))

    return whenKnown(before, (found) =>
      whenKnown(
        this.#isReady() ? undefined : this.#loadState(),
        () =>
          written() ?? {
            id,
            before: found,
            record: found?.record,
            generation: found?.generation ?? 0,
          },
      ),
    )
  }

  /** Reads when the collection is opened. The read is under way while that is not known: usually it is. */
  #read<Value>(ask: (reads: CollectionReads) => Awaitable<Value>): Awaitable<Value> {
    if (this.#isReady()) return ask(this.#reads)
    // Who asks again gets the failure.
    Promise.resolve(ask(this.#reads)).catch(() => undefined)
    return this.#loadState().then(() => ask(this.#reads))
  }

  /** Whether the state of the collection is known, as this server saw it or as it was asked for. */
  #isReady(): boolean {
    const { state } = this.#written
    if (state || !this.#transaction.isTrusting) return state !== undefined
    const seen = this.#reads.seenState()
    if (seen) this.#written.state = seen
    return seen !== undefined
  }

  /** Others may have created records since this server saw the state of the ids. */
  #loadIds(): Promise<void> {
    return this.#loadState()
  }

  async #loadState(): Promise<void> {
    this.#written.state = await this.#state()
  }

  async #state(): Promise<CollectionState> {
    if (this.#start) return this.#reads.opened(this.#start)
    const state = await this.#reads.state()
    if (state) return state
    throw new MissingCollectionError()
  }
}

/** A record that was written, and what it replaces. */
interface WrittenRecord {
  readonly id: Id
  readonly before: VersionedRecord | undefined
  readonly record: StoredRecord | undefined
  readonly generation: number
}

/** What was written to a collection. */
interface CollectionWrites {
  readonly records: Map<string, WrittenRecord>
  filters: readonly string[]
  /** The state of the collection; known before anything is written. */
  state?: CollectionState
  /** The state of the ids after the writes. */
  ids?: number
}

function copyWrites(
  writes: ReadonlyMap<string, CollectionWrites>,
): ReadonlyMap<string, CollectionWrites> {
  const copies = [...writes].map(
    ([collection, one]) => [collection, { ...one, records: new Map(one.records) }] as const,
  )
  return new Map(copies)
}

type Row = Pick<WrittenRecord, 'id'> & { readonly record: StoredRecord }

/** A page of the records of the store, with the few that a transaction has written in their places. */
function pageWith(
  query: PageQuery,
  writes: () => readonly WrittenRecord[],
  ask: (query: PageQuery) => Awaitable<StoredPage>,
): Awaitable<Page> {
  if ((query.limit ?? 1) < 1) return { records: [] }
  if (writes().length > 0) return mergedPage(query, writes, ask)
  return whenKnown(ask(query), ({ records, hasMore }) =>
    toPage(query, records.flatMap(rowOf), hasMore),
  )
}

async function mergedPage(
  query: PageQuery,
  writes: () => readonly WrittenRecord[],
  ask: (query: PageQuery) => Awaitable<StoredPage>,
): Promise<Page> {
  const { limit = Number.POSITIVE_INFINITY, skip = 0 } = query
  const written = writes()
  const { skip: _, limit: __, ...rest } = query
  // As many more as may be removed, or in another place.
  const most = limit === Number.POSITIVE_INFINITY ? {} : { limit: skip + limit + written.length }
  const page = await ask({ ...rest, ...most })
  const isBefore = query.before !== undefined
  const rows = merge(query, page.records.flatMap(rowOf), writes())
  const inWalk = isBefore ? rows.reverse() : rows
  const found = inWalk.slice(skip, skip + limit)
  const hasMore = page.hasMore || inWalk.length > skip + limit

  return toPage(query, isBefore ? found.reverse() : found, hasMore)
}

function rowOf({ id, record }: WrittenRecord | StoredPage['records'][number]): Row | [] {
  return record ? { id, record } : []
}

/** In the order of the list. */
function merge(query: PageQuery, stored: readonly Row[], written: readonly WrittenRecord[]): Row[] {
  const { sort, before, after } = query
  const { matches } = matcherOf(query)
  const by = sort?.by
  const keyOf = ({ id, record }: Row): string =>
    sortKey(by === undefined ? undefined : sortValue(record, by), id)
  const direction = sort?.descending ? -1 : 1
  const compare = (one: string, other: string): number =>
    one === other ? 0 : (one < other ? -1 : 1) * direction
  const start = before ?? after
  const startKey = start === undefined ? undefined : keyAt(start, by)
  const isInRange = (row: Row): boolean => {
    if (startKey === undefined) return true
    const place = compare(keyOf(row), startKey)
    return before === undefined ? place > 0 : place < 0
  }
  const replaced = new Set(written.map(({ id }) => idKey(id)))
  const own = written.flatMap(rowOf).filter((row) => matches(row.record) && isInRange(row))
  const kept = stored.filter(({ id }) => !replaced.has(idKey(id)))

  return [...kept, ...own].sort((one, other) => compare(keyOf(one), keyOf(other)))
}

function keyAt(start: NonNullable<PageQuery['after']>, by: string | undefined): string {
  const place = typeof start === 'object' ? start : { id: start }
  return sortKey(by === undefined ? undefined : place.value, place.id)
}

function toPage({ before }: PageQuery, rows: readonly Row[], hasMore: boolean): Page {
  const [first] = rows
  const last = rows.at(-1)
  const records = rows.map(({ record }) => record)
  if (!first || !last) return { records }
  if (before === undefined) return hasMore ? { records, next: last.id } : { records }
  // The record before which the page ends follows it.
  return { records, next: last.id, ...(hasMore && { previous: first.id }) }
}
