import { idKey } from './id-key.ts'
import { MemoryTable } from './memory-table.ts'
import type { Id, PageQuery, StoredRecord } from './record-table.ts'
import type {
  CollectionState,
  FirstState,
  StoredPage,
  StoredRecords,
  VersionedRecord,
} from './stored-records.ts'

/** The records of a store for those who only read: a collection that nobody has opened is opened in memory. */
export class UnwrittenRecords implements StoredRecords {
  readonly #records: StoredRecords
  readonly #opened = new Map<string, UnwrittenCollection>()

  constructor(records: StoredRecords) {
    this.#records = records
  }

  /** Those of the store. */
  opened(): Promise<readonly string[]> {
    return this.#records.opened()
  }

  async state(collection: string): Promise<CollectionState | undefined> {
    return this.#opened.get(collection)?.state ?? this.#records.state(collection)
  }

  async open(collection: string, first: FirstState): Promise<void> {
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
    where: StoredRecord,
    filters: readonly string[],
  ): Promise<number> {
    const own = this.#opened.get(collection)
    return own ? own.table.count(where) : this.#records.count(collection, where, filters)
  }

  async removed(collection: string): ReturnType<StoredRecords['removed']> {
    return this.#opened.get(collection)?.removed ?? this.#records.removed(collection)
  }
}

/** A collection in memory. */
interface UnwrittenCollection extends Pick<FirstState, 'removed'> {
  readonly state: CollectionState
  readonly table: MemoryTable
  readonly byId: ReadonlyMap<string, VersionedRecord>
  readonly byRecord: ReadonlyMap<StoredRecord, VersionedRecord>
}

async function openInMemory({
  rows,
  removed,
  ids,
  filters,
  orders = [],
  emptied,
}: FirstState): Promise<UnwrittenCollection> {
  const table = new MemoryTable(filters, ids)
  const all: VersionedRecord[] = removed.map((one) => ({ ...one, version: '', record: undefined }))
  for (const { id, record: given, generation = 0 } of rows) {
    const record = await table.put(id, given, undefined)
    all.push({ id, version: '', generation, record })
  }
  return {
    state: { ids, orders, ...(emptied && { emptied }) },
    removed,
    table,
    byId: new Map(all.map((one) => [idKey(one.id), one])),
    byRecord: new Map(all.flatMap((one) => (one.record ? [[one.record, one] as const] : []))),
  }
}
