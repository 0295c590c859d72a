import { propertiesOf } from '../contract/normalize.ts'
import { describeErrors, propertyPathOf } from '../contract/validation-errors.ts'
import type { Resource } from './bind.ts'
import { copyOf } from './copy.ts'
import { type Id, type IdMaker, idIn, idMakerFor, type MadeId } from './id.ts'
import { type LiveRow, RowCollection } from './row-collection.ts'
import { type Page, type PageQuery, RowIndex, type StoredRecord } from './row-index.ts'
import { InvalidRecordError } from './row-refused.ts'

/** The records of every resource, by its name. */
export type Store = ReadonlyMap<string, Records>

/** The records of a resource, and the state of its ids. */
export interface RecordsSnapshot {
  readonly rows: readonly StoredRecord[]
  /** What the next id follows from; when left out, the ids of the rows. */
  readonly ids?: number
}

/** A store with these records in it. Ids are made from the seed. Rejects with a {@link InvalidRecordError}. */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
): Promise<Store> {
  const store = new Map(
    resources.map((resource) => [resource.name, new Records(resource, createIds(resource, seed))]),
  )
  for (const [name, records] of store) {
    await records.restore(snapshots.get(name) ?? { rows: [] })
  }
  return store
}

/** Another store of the same records. A change in either does not show in the other. */
export function forkStore(store: Store): Store {
  return new Map([...store].map(([name, records]) => [name, records.fork()]))
}

/**
 * The records of one resource, held in a collection of `@mswjs/data`.
 *
 * The library's traps are dealt with here and nowhere else. It finds a cursor by linear search, and loses rows when there is
 * a filter: pages come from an index beside it. It accepts a second record of the same id: ids are checked first. It stores
 * each update whole, so that the later of two at once undoes the earlier: writes take turns. Its `clear()` is quadratic, and
 * skips records: a reset makes a new store. It prints what its schema refuses: rows are checked before.
 *
 * A fork shares the records, which are never changed in place, and has a collection of its own for those it writes.
 */
export class Records {
  readonly resource: Resource
  #collection: RowCollection = new RowCollection()
  #index: RowIndex<LiveRow>
  readonly #ids: IdMaker
  /** The state of the ids. */
  #made: number
  #turn: Promise<unknown> = Promise.resolve()
  /** Of changes that were undone while a later one stood: what their records were before, by what they became. */
  readonly #undone = new WeakMap<StoredRecord, StoredRecord | undefined>()

  constructor(resource: Resource, ids: IdMaker) {
    this.resource = resource
    this.#index = new RowIndex(resource.filters)
    this.#ids = ids
    this.#made = ids.start
  }

  get size(): number {
    return this.#index.size
  }

  get(id: Id): StoredRecord | undefined {
    return this.#index.get(id)
  }

  /** The records as they are now, without a write that is still under way. */
  fork(): Records {
    const fork = new Records(this.resource, this.#ids)
    fork.#made = this.#made
    fork.#index = this.#index.fork()
    return fork
  }

  snapshot(): RecordsSnapshot {
    return { rows: this.page({}).rows.map(copyOf), ids: this.#made }
  }

  /** Adds the records of a snapshot, or none: rejects with a {@link InvalidRecordError} when one of them is refused. */
  restore({ rows, ids }: RecordsSnapshot): Promise<void> {
    return this.#inTurn(async () => {
      const fork = this.fork()
      for (const row of rows) await fork.#add(row)
      this.#collection = fork.#collection
      this.#index = fork.#index
      this.#made = ids ?? fork.#made
      // Ids that lag behind the records would be taken.
      for (const row of rows) {
        this.#made = this.#ids.taken(this.#made, idIn(row, this.resource.id) ?? 0)
      }
    })
  }

  /** In ascending order of the id. */
  page(query: PageQuery): Page {
    return this.#index.page(query)
  }

  /** Adds a record, with an id of its own or one that is made. Rejects with a {@link InvalidRecordError}. */
  create(values: StoredRecord): Promise<StoredRecord> {
    return this.#inTurn(() => this.#add(values))
  }

  /**
   * Puts what `change` makes of a record in its place; the id stays. Resolves with `undefined` when there is no such record,
   * rejects with a {@link InvalidRecordError}.
   */
  update(id: Id, change: (row: StoredRecord) => StoredRecord): Promise<StoredRecord | undefined> {
    return this.#inTurn(async () => {
      const before = this.#index.get(id)
      if (!before) return undefined
      const row = { ...change(before), [this.resource.id]: id }
      this.#refuseInvalid(row)

      const live = await this.#collection.replace(before, row)
      this.#index.remove(id, before)
      this.#index.add(id, live)
      return live
    })
  }

  /** Removes a record, and tells whether there was one. */
  remove(id: Id): Promise<boolean> {
    return this.#inTurn(async () => {
      const live = this.#index.get(id)
      if (!live) return false
      this.#collection.delete(live)
      this.#index.remove(id, live)
      return true
    })
  }

  /**
   * Undoes a change that made `after` of `before`; `undefined` where there was, or is, no such record. A later change of the
   * record stays; if that is undone, too, the record is as it was before both.
   */
  undo(id: Id, before: StoredRecord | undefined, after: StoredRecord | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const present = this.#index.get(id)
      if (present !== after) return void (after && this.#undone.set(after, before))
      let row = before
      while (row && this.#undone.has(row)) row = this.#undone.get(row)
      await this.#put(id, present, row)
    })
  }

  /** Puts a record, or none, in the place of what is there. */
  async #put(id: Id, present: LiveRow | undefined, row: StoredRecord | undefined): Promise<void> {
    const rows = this.#collection
    const copy = row && copyOf(row)
    const live = copy && (await (present ? rows.replace(present, copy) : rows.create(copy)))
    if (present) this.#index.remove(id, present)
    if (live) this.#index.add(id, live)
    else if (present) rows.delete(present)
  }

  async #add(values: StoredRecord): Promise<StoredRecord> {
    const { id, state } = this.#idFor(values)
    const row = { [this.resource.id]: id, ...copyOf(values) }
    this.#refuseInvalid(row)

    const live = await this.#collection.create(row)
    this.#made = state
    this.#index.add(id, live)
    return live
  }

  /** The id that new values have, or one made for them. */
  #idFor(values: StoredRecord): MadeId {
    const { id: name } = this.resource
    const given = idIn(values, name)
    if (given === undefined) {
      let made = this.#ids.next(this.#made)
      while (this.#index.get(made.id)) made = this.#ids.next(made.state)
      return made
    }
    if (Number.isInteger(given) && !Number.isSafeInteger(given)) {
      throw new InvalidRecordError(`body.${name} ${given} is not exact`)
    }
    if (this.#index.get(given)) throw new InvalidRecordError(`body.${name} ${given} is taken`)

    return { id: given, state: this.#ids.taken(this.#made, given) }
  }

  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#turn.then(write)
    this.#turn = written.catch(() => undefined)
    return written
  }

  #refuseInvalid(row: StoredRecord): void {
    const { validate, path } = this.resource
    if (validate(row)) return
    const errors = validate.errors ?? []
    throw new InvalidRecordError(describeErrors('body', errors), {
      path,
      property: propertyPathOf(errors[0]),
    })
  }
}

function createIds(resource: Resource, seed: number): IdMaker {
  const maker = idMakerFor(propertiesOf(resource.schema).get(resource.id) ?? {}, seed)
  if (!maker) throw new TypeError(`No ids can be made for ${resource.name}`)
  return maker
}
