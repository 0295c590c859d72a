import { type Awaitable, whenKnown } from './awaitable.ts'
import type { MemoryTable } from './memory-table.ts'
import type { Id, Page, PageQuery, RecordTable, StoredRecord } from './record-table.ts'
import type { RecordSelection } from './selection.ts'

/** Makes the record of an id, the same one each time. */
export type MakeRecord = (id: Id) => Promise<StoredRecord>

/** Records that are made when they are first read. */
export interface UnmadeRecords {
  readonly ids: readonly Id[]
  readonly make: MakeRecord
  /** The property with the id. */
  readonly id: string
  /** The properties that none of them has: lists that are sorted by these need no values. */
  readonly absent: readonly string[]
}

/**
 * A table in memory some of whose records are made when they are first read. Until then, it knows their ids: so a page of a list makes
 * the records of this page. A list that is filtered, or sorted by a value, makes all of them.
 */
export class UnmadeTable implements RecordTable {
  readonly #table: MemoryTable
  readonly #make: MakeRecord
  readonly #absent: readonly string[]
  /** The ids by what stands for their records in the table. */
  readonly #unmade: Map<StoredRecord, Id>
  /** How many records were made, which is no change. */
  #madeCount = 0

  constructor(
    table: MemoryTable,
    { make, absent }: Pick<UnmadeRecords, 'make' | 'absent'>,
    unmade: ReadonlyMap<StoredRecord, Id>,
  ) {
    this.#table = table
    this.#make = make
    this.#absent = absent
    this.#unmade = new Map(unmade)
  }

  /** A table with these records besides those that it has. */
  static of(table: MemoryTable, unmade: UnmadeRecords): UnmadeTable {
    const standing = unmade.ids.map((id) => {
      const record = { [unmade.id]: id }
      table.stand(id, record)
      return [record, id] as const
    })
    return new UnmadeTable(table, unmade, new Map(standing))
  }

  get version(): number {
    return this.#table.version - this.#madeCount
  }

  get(id: Id): Awaitable<StoredRecord | undefined> {
    const found = this.#table.get(id)
    return found && this.#unmade.has(found)
      ? whenKnown(this.#made([found]), () => this.#table.get(id))
      : found
  }

  page(query: PageQuery): Awaitable<Page> {
    return whenKnown(this.#readyFor(query, query.sort?.by), () => {
      const page = this.#table.page(query)
      const missing = page.records.filter((record) => this.#unmade.has(record))

      return missing.length === 0
        ? page
        : whenKnown(this.#made(missing), () => this.#table.page(query))
    })
  }

  count(selection?: RecordSelection): Awaitable<number> {
    return whenKnown(this.#readyFor(selection), () => this.#table.count(selection))
  }

  /** Makes all records where their values decide. */
  #readyFor(selection: RecordSelection = {}, sortedBy?: string): Awaitable<void> {
    const { where = {}, tests = [] } = selection
    const isSelected = Object.keys(where).length > 0 || tests.length > 0
    const isSorted = sortedBy !== undefined && !this.#absent.includes(sortedBy)
    if (this.#unmade.size > 0 && (isSelected || isSorted))
      return this.#made([...this.#unmade.keys()])
    return undefined
  }

  async #made(standing: readonly StoredRecord[]): Promise<void> {
    for (const one of standing) {
      const id = this.#unmade.get(one)
      if (id === undefined) continue
      const record = await this.#make(id)
      // Nothing happens when another request has made it since.
      if (await this.#table.put(id, record, one)) this.#madeCount += 1
      this.#unmade.delete(one)
    }
  }

  isTaken(id: Id): boolean {
    return this.#table.isTaken(id)
  }

  put(...args: Parameters<MemoryTable['put']>): ReturnType<MemoryTable['put']> {
    return this.#table.put(...args)
  }

  delete(id: Id, present: StoredRecord): boolean {
    return this.#table.delete(id, present)
  }

  idState(): number {
    return this.#table.idState()
  }

  advanceIds(from: number, to: number): boolean {
    return this.#table.advanceIds(from, to)
  }

  generation(id: Id): number {
    return this.#table.generation(id)
  }

  setGeneration(id: Id, generation: number): void {
    this.#table.setGeneration(id, generation)
  }

  removed(): readonly string[] {
    return this.#table.removed()
  }

  fork(): UnmadeTable {
    const own = { make: this.#make, absent: this.#absent }
    return new UnmadeTable(this.#table.fork(), own, this.#unmade)
  }
}
