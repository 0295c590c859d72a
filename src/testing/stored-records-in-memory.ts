import { MemoryTable } from '../records/memory-table.ts'
import { type Id, idKey, type PageQuery, type StoredRecord } from '../records/record-table.ts'
import type { RecordSelection } from '../records/selection.ts'
import type {
  CollectionState,
  FirstState,
  RecordChanges,
  StoredPage,
  StoredRecords,
  VersionedRecord,
} from '../records/stored-records.ts'
import { idOf } from '../resources/id-generator.ts'

interface Stored {
  readonly table: MemoryTable
  readonly versions: Map<string, VersionedRecord>
  readonly emptied?: readonly Id[]
}

/** Stored records for tests, in memory. All records have their id in `id`. */
export class StoredRecordsInMemory implements StoredRecords {
  readonly #collections = new Map<string, Stored>()
  #version = 0
  /** How often something was read, by the name of the method. */
  readonly calls: string[] = []

  async opened(): Promise<readonly string[]> {
    return [...this.#collections.keys()]
  }

  async state(collection: string): Promise<CollectionState | undefined> {
    this.calls.push('state')
    const found = this.#collections.get(collection)
    if (!found) return undefined
    const { table, emptied } = found
    return { ids: table.idState(), orders: [], ...(emptied && { emptied }) }
  }

  seenState(): undefined {
    return undefined
  }

  async open(collection: string, first: FirstState): Promise<void> {
    if (this.#collections.has(collection)) return
    const { rows, removed, ids, filters, emptied } = first
    const table = new MemoryTable(filters, ids)
    const versions: Stored['versions'] = new Map()
    this.#collections.set(collection, { table, versions, ...(emptied && { emptied }) })
    for (const { id, record, generation = 0 } of rows) {
      await this.#write(collection, id, record, generation)
    }
    for (const { id, generation } of removed) {
      await this.#write(collection, id, undefined, generation)
    }
  }

  async get(collection: string, id: Id): Promise<VersionedRecord | undefined> {
    this.calls.push('get')
    return this.#collections.get(collection)?.versions.get(idKey(id))
  }

  async page(collection: string, query: PageQuery): Promise<StoredPage> {
    this.calls.push('page')
    const found = this.#collections.get(collection)
    if (!found) return { records: [], hasMore: false }
    const { records, next, previous } = await found.table.page(query)
    return {
      records: records.flatMap(
        (record) => found.versions.get(idKey(idOf(record, 'id') ?? '')) ?? [],
      ),
      hasMore: (query.before === undefined ? next : previous) !== undefined,
    }
  }

  async count(collection: string, selection: RecordSelection): Promise<number> {
    return this.#collections.get(collection)?.table.count(selection) ?? 0
  }

  async removed(collection: string): ReturnType<StoredRecords['removed']> {
    const versions = this.#collections.get(collection)?.versions.values() ?? []
    return [...versions].filter(({ generation }) => generation % 2 === 1)
  }

  /** Commits as a shared store does: `false` for a conflict. */
  async commit({ records = [], ids = [] }: RecordChanges): Promise<boolean> {
    const isSame = records.every(({ collection, id, version }) => {
      const present = this.#collections.get(collection)?.versions.get(idKey(id))
      return (present?.version ?? '') === version
    })
    const areIdsSame = ids.every(
      ({ collection, from }) => this.#collections.get(collection)?.table.idState() === from,
    )
    if (!(isSame && areIdsSame)) return false
    for (const { collection, from, to } of ids) {
      this.#collections.get(collection)?.table.advanceIds(from, to)
    }
    for (const { collection, id, after, generation } of records) {
      await this.#write(collection, id, after, generation)
    }
    return true
  }

  async #write(
    collection: string,
    id: Id,
    given: StoredRecord | undefined,
    generation: number,
  ): Promise<void> {
    const found = this.#collections.get(collection)
    if (!found) throw new TypeError(`${collection} is not opened`)
    const { table, versions } = found
    const present = table.get(id)
    const record: StoredRecord | undefined = given && JSON.parse(JSON.stringify(given))
    if (record) await table.put(id, record, present)
    else if (present) table.delete(id, present)
    this.#version += 1
    const version = String(this.#version)
    versions.set(idKey(id), { id, version, generation, record })
  }
}
