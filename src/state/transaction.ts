import { aheadOf, type Reads, unanswered } from './ahead-reads.ts'
import type { CollectionWrites, WrittenRecord } from './collection-writes.ts'
import { idKey, idsLike } from './id-key.ts'
import { ReadCache } from './read-cache.ts'
import type { Id } from './record-table.ts'
import type { Commit, RecordWrite } from './stored-commit.ts'
import type { CollectionState, FirstState, StoredRecords } from './stored-records.ts'
import { TransactionTable } from './transaction-table.ts'
import { UnwrittenRecords } from './unwritten-records.ts'

/** The records of a world as one request reads and changes them. Nothing is written to the store: `writes` is for its commit. */
export class Transaction {
  readonly #records: StoredRecords
  readonly #cache: ReadCache
  #writes: Map<string, CollectionWrites>
  /** Whether generated ids count as free until a commit refuses one. */
  #isTrusting: boolean
  readonly #isAhead: boolean

  constructor(
    records: StoredRecords,
    cache: ReadCache = new ReadCache(records),
    writes: ReadonlyMap<string, CollectionWrites> = new Map(),
    isTrusting = true,
    isAhead = false,
  ) {
    this.#records = records
    this.#cache = cache
    this.#isTrusting = isTrusting
    this.#isAhead = isAhead
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
  state(collection: string): Promise<CollectionState | undefined> {
    return this.reads(collection).state()
  }

  /** The names of the opened collections. */
  opened(): Promise<readonly string[]> {
    const opened = this.#cache.opened()
    return this.#isAhead ? unanswered(opened) : opened
  }

  /** How often the record with this id was removed, and created again; 0 in a collection that is not opened. */
  async generation(collection: string, id: Id): Promise<number> {
    const generations = idsLike(id).map(async (one) => {
      const written = (): WrittenRecord | undefined =>
        this.#writes.get(collection)?.records.get(idKey(one))
      const found = written() ? undefined : await this.reads(collection).get(one)
      return (written() ?? found)?.generation ?? 0
    })
    return Math.max(...(await Promise.all(generations)))
  }

  /** The reads of a collection. */
  reads(collection: string): Reads {
    const reads = this.#cache.of(collection)
    return this.#isAhead ? aheadOf(reads) : reads
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

  get isTrusting(): boolean {
    return this.#isTrusting
  }

  /** A transaction with the same writes, which shares what was read. Its own writes are for nobody else. */
  scratch(): Transaction {
    return new Transaction(this.#records, this.#cache, this.#writes, this.#isTrusting)
  }

  /** A transaction with the same writes, for those who try something: it opens no collection in the store. */
  copy(): Transaction {
    const records = new UnwrittenRecords(this.#records)
    return new Transaction(records, new ReadCache(records), this.#writes, this.#isTrusting)
  }

  /**
   * A transaction that asks for what it reads, and never gets an answer: what needs one stops there. The answers are for this
   * transaction.
   */
  ahead(): Transaction {
    return new Transaction(this.#records, this.#cache, this.#writes, this.#isTrusting, true)
  }

  /** Begins again after a conflict: everything is read anew, and nothing is guessed. */
  forget(): void {
    this.#cache.forget()
    this.#writes = new Map()
    this.#isTrusting = false
  }

  /** What is to be committed. */
  writes(): Pick<Commit, 'records' | 'ids'> {
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
