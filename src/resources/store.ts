import { Collection } from '@mswjs/data'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Check } from '../contract/contract.ts'
import { describeFaults } from '../contract/faults.ts'
import { propertiesOf } from '../contract/shape.ts'
import type { Resource } from './bind.ts'
import { type Id, type IdMaker, idMakerFor } from './id.ts'
import { type Page, type PageQuery, type Row, RowIndex } from './row-index.ts'

type RowCollection = Collection<StandardSchemaV1<Row>>
/** A row with the library's marks on it. It must not leave this file unread-only: changing it changes the store. */
type LiveRow = Awaited<ReturnType<RowCollection['create']>>

/** The records of every resource, by its name. */
export type Store = ReadonlyMap<string, Records>

/** A record that is not what its schema asks for, or whose id is taken; the message says where and why. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused'
}

/** The rows of a resource, and how far its ids are. */
export interface RecordsSnapshot {
  readonly rows: readonly Row[]
  readonly ids?: number
}

/** A store with these rows in it; each resource makes its ids from the seed. */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
): Promise<Store> {
  const store = new Map(resources.map((resource) => [resource.name, new Records(resource, seed)]))
  for (const [name, records] of store) {
    await records.restore(snapshots.get(name) ?? { rows: [] })
  }
  return store
}

/**
 * The records of one resource, held in a collection of `@mswjs/data`.
 *
 * The traps of the library end here. Its cursor is found by search and loses rows when a filter is on, so pages come
 * from an index beside it. It takes a second record with the same id, so the id is checked first. It stores each update
 * whole, so that of two at once the later undoes the earlier: writes take turns. Its `clear()` is quadratic and skips
 * records, so a reset makes a new store. It prints what its schema refuses, so the schema is asked first.
 */
export class Records {
  readonly resource: Resource
  readonly #collection: RowCollection
  readonly #index: RowIndex<LiveRow>
  readonly #ids: IdMaker
  #turn: Promise<unknown> = Promise.resolve()

  constructor(resource: Resource, seed: number) {
    this.resource = resource
    this.#collection = new Collection({ schema: standardSchema(resource.check) })
    this.#index = new RowIndex(resource.filters)
    this.#ids = createIds(resource, seed)
  }

  get size(): number {
    return this.#index.size
  }

  get(id: Id): Row | undefined {
    return this.#index.get(id)
  }

  snapshot(): RecordsSnapshot {
    return { rows: structuredClone([...this.page({}).rows]), ids: this.#ids.snapshot() }
  }

  /** Adds the rows of a snapshot. Throws a {@link RowRefused}. */
  async restore({ rows, ids }: RecordsSnapshot): Promise<void> {
    for (const row of rows) await this.create(row)
    if (ids !== undefined) this.#ids.restore(ids)
  }

  /** In ascending order of the id. */
  page(query: PageQuery): Page {
    return this.#index.page(query)
  }

  /** Adds a record. Its id is made here, unless the values bring one. Throws a {@link RowRefused}. */
  create(values: Row): Promise<Row> {
    return this.#inTurn(async () => {
      const { id: idName } = this.resource
      const id = idIn(values, idName) ?? this.#ids.next()
      if (this.#index.get(id)) throw new RowRefused(`body.${idName} ${id} is taken`)
      const row = { [idName]: id, ...values }
      this.#refuseInvalid(row)

      const live = await this.#collection.create(row)
      this.#ids.taken(id)
      this.#index.add(id, live)
      return live
    })
  }

  /** Puts what `change` makes of a record in its place; the id stays. `undefined` when there is no such record. */
  update(id: Id, change: (row: Row) => Row): Promise<Row | undefined> {
    return this.#inTurn(async () => {
      const before = this.#index.get(id)
      if (!before) return undefined
      const row = { ...change(before), [this.resource.id]: id }
      this.#refuseInvalid(row)

      const live = await this.#collection.update(before, { data: become(row), strict: true })
      this.#index.remove(id, before)
      this.#index.add(id, live)
      return live
    })
  }

  /** Whether there was such a record. */
  remove(id: Id): Promise<boolean> {
    return this.#inTurn(async () => {
      const live = this.#index.get(id)
      if (!live) return false
      this.#collection.delete(live)
      this.#index.remove(id, live)
      return true
    })
  }

  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#turn.then(write)
    this.#turn = written.catch(() => undefined)
    return written
  }

  #refuseInvalid(row: Row): void {
    const { check } = this.resource
    if (!check(row)) throw new RowRefused(describeFaults('body', check.errors ?? []))
  }
}

/** Changes the library's draft of a record into `row`. */
function become(row: Row): (draft: Record<string, unknown>) => void {
  return (draft) => {
    for (const name of Object.keys(draft)) {
      if (!Object.hasOwn(row, name)) delete draft[name]
    }
    Object.assign(draft, structuredClone(row))
  }
}

function createIds(resource: Resource, seed: number): IdMaker {
  const maker = idMakerFor(propertiesOf(resource.schema).get(resource.id) ?? {}, seed)
  if (!maker) throw new TypeError(`No ids can be made for ${resource.name}`)
  return maker
}

function idIn(values: Row, name: string): Id | undefined {
  const id = values[name]
  return typeof id === 'number' || typeof id === 'string' ? id : undefined
}

/** A check in the form that the library asks for (standardschema.dev). */
function standardSchema(check: Check): StandardSchemaV1<Row> {
  const isRow = (value: unknown): value is Row => check(value)
  return {
    '~standard': {
      version: 1,
      vendor: 'pet-sandbox',
      validate: (value) =>
        isRow(value)
          ? { value }
          : { issues: [{ message: describeFaults('record', check.errors ?? []) }] },
    },
  }
}
