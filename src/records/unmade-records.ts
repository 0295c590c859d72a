import { type Awaitable, whenKnown } from './awaitable.ts'
import { MemoryTable } from './memory-table.ts'
import { isUnmade, UNMADE, type UnmadeRecord } from './record-index.ts'
import type { Id, Page, PageQuery, RecordTable, StoredRecord } from './record-table.ts'
import type { RecordSelection } from './selection.ts'
import { isBefore } from './sorted-map.ts'

/** Makes the record of an id at a position, the same one each time. */
export type MakeRecord = (at: number, id: Id) => Awaitable<StoredRecord>

/** Records that are made when they are first read. */
export interface UnmadeRecords {
  /** In the order of their positions. */
  readonly ids: readonly Id[]
  readonly make: MakeRecord
  /** The property with the id. */
  readonly id: string
  /** The properties that none of them has: lists that are sorted by these need no values. */
  readonly absent: readonly string[]
}

/** How a table is made whose first records are made when they are read. */
interface TableOptions extends UnmadeRecords {
  /** The properties that the table has an index of. */
  readonly filters: readonly string[]
  readonly idState: number
}

/**
 * A table in memory some of whose records are made when they are first read. Until then, it knows their ids: so a page of a list makes
 * the records of this page. A list that is filtered, or sorted by a value, makes all of them.
 */
export class UnmadeTable implements RecordTable {
  readonly #table: MemoryTable
  readonly #unmade: Pick<UnmadeRecords, 'make' | 'absent'>
  /** How many records are not made. */
  #left: number

  constructor(table: MemoryTable, unmade: Pick<UnmadeRecords, 'make' | 'absent'>, left: number) {
    this.#table = table
    this.#unmade = unmade
    this.#left = left
  }

  static of({ filters, idState, ...unmade }: TableOptions): UnmadeTable {
    const table = new MemoryTable(filters, idState)
    const positions = ascending(unmade.ids)
    const ids = positions ? positions.map((at) => unmade.ids[at] ?? '') : unmade.ids
    table.start(ids, (at) => {
      const id = ids[at] ?? ''
      return { [unmade.id]: id, [UNMADE]: { id, position: positions?.[at] ?? at } }
    })
    return new UnmadeTable(table, unmade, ids.length)
  }

  get version(): number {
    return this.#table.version
  }

  get(id: Id): Awaitable<StoredRecord | undefined> {
    const found = this.#table.get(id)
    return isUnmade(found) ? whenKnown(this.#made(found), () => this.#table.get(id)) : found
  }

  page(query: PageQuery): Awaitable<Page> {
    return whenKnown(this.#readyFor(query, query.sort?.by), () => {
      const page = this.#table.page(query)
      const unmade = this.#left > 0 ? page.records.filter(isUnmade) : []

      return unmade.length === 0
        ? page
        : whenKnown(this.#makeAll(unmade), () => this.#table.page(query))
    })
  }

  count(selection?: RecordSelection): Awaitable<number> {
    return whenKnown(this.#readyFor(selection), () => this.#table.count(selection))
  }

  /** Makes all records where their values decide. */
  #readyFor(selection: RecordSelection = {}, sortedBy?: string): Awaitable<void> {
    const { where = {}, tests = [] } = selection
    const isSelected = Object.keys(where).length > 0 || tests.length > 0
    const isSorted = sortedBy !== undefined && !this.#unmade.absent.includes(sortedBy)
    return this.#left > 0 && (isSelected || isSorted) ? this.makeAll() : undefined
  }

  /** Makes all records that are not made yet. */
  makeAll(): Awaitable<void> {
    return this.#makeAll(this.#table.page({}).records.filter(isUnmade))
  }

  /** Makes records one after the other: at once, as long as nothing has to be waited for. */
  #makeAll(unmade: readonly UnmadeRecord[]): Awaitable<void> {
    for (const [at, one] of unmade.entries()) {
      const made = this.#made(one)
      if (made instanceof Promise) return made.then(() => this.#makeRest(unmade.slice(at + 1)))
    }
    return undefined
  }

  async #makeRest(unmade: readonly UnmadeRecord[]): Promise<void> {
    for (const one of unmade) await this.#made(one)
  }

  #made(unmade: UnmadeRecord): Awaitable<void> {
    const { id, position, made } = unmade[UNMADE]
    return whenKnown(made ?? this.#unmade.make(position, id), (record) => {
      unmade[UNMADE].made = record
      // Nothing happens when another request has made it since.
      if (this.#table.make(id, unmade, record)) this.#left -= 1
    })
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
    return new UnmadeTable(this.#table.fork(), this.#unmade, this.#left)
  }
}

/** The positions of ids in the ascending order of these; `undefined` when they are in this order. */
function ascending(ids: readonly Id[]): readonly number[] | undefined {
  const isAscending = ids.every((id, at) => at === 0 || isBefore(ids[at - 1] ?? id, id))
  if (isAscending) return undefined
  const entries = ids.map((id, at) => [id, at] as const)
  entries.sort(([one], [other]) => (isBefore(one, other) ? -1 : 1))

  return entries.map(([, at]) => at)
}
