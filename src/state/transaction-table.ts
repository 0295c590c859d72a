import type { Reads } from './ahead-reads.ts'
import type { CollectionWrites, WrittenRecord } from './collection-writes.ts'
import { matches } from './conditions.ts'
import { copyJson } from './copy-json.ts'
import { idKey, idsLike } from './id-key.ts'
import { pageWith } from './page-with-writes.ts'
import type { Id, Page, PageQuery, RecordTable, StoredRecord } from './record-table.ts'
import type { CollectionState, FirstState } from './stored-records.ts'

/** What a table needs of its transaction. */
interface TableTransaction {
  readonly isTrusting: boolean
  reads(collection: string): Reads
  written(collection: string): CollectionWrites
  scratch(): TableTransaction
}

/** The records of one collection in a transaction: those of the store, behind what the transaction has written. */
export class TransactionTable implements RecordTable {
  readonly #transaction: TableTransaction
  readonly #name: string
  readonly #filters: readonly string[]
  readonly #start: (() => Promise<FirstState>) | undefined
  /** The generated ids that count as free. */
  readonly #free = new Set<string>()

  constructor(
    transaction: TableTransaction,
    name: string,
    filters: readonly string[],
    start?: () => Promise<FirstState>,
  ) {
    this.#transaction = transaction
    this.#name = name
    this.#filters = filters
    this.#start = start
  }

  get #reads(): Reads {
    return this.#transaction.reads(this.#name)
  }

  get #written(): CollectionWrites {
    return this.#transaction.written(this.#name)
  }

  async get(id: Id): Promise<StoredRecord | undefined> {
    return (await this.#present(id)).record
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

  async page(query: PageQuery): Promise<Page> {
    const { sort } = query
    const start = query.before ?? query.after
    let position = start
    if (sort?.by !== undefined && start !== undefined && typeof start !== 'object') {
      const record = await this.get(start)
      if (!record) return { records: [] }
      position = { id: start, value: record[sort.by] }
    }
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

  async count(where: StoredRecord = {}): Promise<number> {
    const stored = await this.#read((reads) => reads.count(where, this.#filters))
    const conditions = Object.entries(where)
    let count = stored
    for (const { before, record } of this.#written.records.values()) {
      if (before?.record && matches(before.record, conditions)) count -= 1
      if (record && matches(record, conditions)) count += 1
    }
    return count
  }

  async idState(): Promise<number> {
    await this.#ready()
    return this.#ids()
  }

  async advanceIds(from: number, to: number): Promise<boolean> {
    await this.#ready()
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

  async #present(id: Id): Promise<WrittenRecord> {
    const key = idKey(id)
    const written = (): WrittenRecord | undefined => this.#written.records.get(key)
    const isFree = this.#free.has(key) && this.#transaction.isTrusting
    const before = isFree || written() ? undefined : await this.#read((reads) => reads.get(id))
    await this.#ready()

    return written() ?? { id, before, record: before?.record, generation: before?.generation ?? 0 }
  }

  /** Reads when the collection is opened. The read is under way while that is not known: usually it is. */
  async #read<Value>(ask: (reads: Reads) => Promise<Value>): Promise<Value> {
    void ask(this.#reads)
    await this.#ready()
    return ask(this.#reads)
  }

  async #ready(): Promise<void> {
    this.#written.state ??= await this.#state()
  }

  async #state(): Promise<CollectionState> {
    if (this.#start) return this.#reads.opened(this.#start)
    const state = await this.#reads.state()
    if (state) return state
    throw new TypeError(`The collection ${this.#name} is not opened`)
  }
}
