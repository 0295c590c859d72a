import { describeErrors, propertyPathOf } from '../contract/validation-errors.ts'
import type { Resource } from './bind.ts'
import { copyOf } from './copy.ts'
import { type Id, type IdMaker, idIn, type MadeId } from './id.ts'
import { RecordShards } from './record-shards.ts'
import { type Page, type PageQuery, RowIndex, type StoredRecord } from './row-index.ts'
import { InvalidRecordError } from './row-refused.ts'

/** The records of a resource, and the state of its ids. */
export interface RecordsSnapshot {
  readonly rows: readonly StoredRecord[]
  /** What the next id follows from; when left out, the ids of the rows. */
  readonly ids?: number
}

/**
 * The records of one resource, held in collections of `@mswjs/data`.
 *
 * This class and `RecordShards` work around what the library does not do. Its cursors are linear searches, and they lose
 * records when there is a filter: pages come from an index beside it. It accepts a second record with the same id: ids are
 * checked first. Of two updates at once, the later one overwrites the earlier one: writes take turns. Its `clear()` is
 * quadratic and skips records: a reset makes a new store. It prints what its schema refuses: records are checked before.
 *
 * A fork shares the records, which are never changed in place. Its own shards hold only the records that it writes.
 */
export class Records {
  readonly resource: Resource
  #shards: RecordShards = new RecordShards()
  #index: RowIndex<StoredRecord>
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
      this.#shards = fork.#shards
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

      const live = await this.#shards.replace(id, before, row)
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
      this.#shards.delete(id, live)
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
  async #put(
    id: Id,
    present: StoredRecord | undefined,
    row: StoredRecord | undefined,
  ): Promise<void> {
    if (present) this.#shards.delete(id, present)
    const live = row && (await this.#shards.create(id, copyOf(row)))
    if (present) this.#index.remove(id, present)
    if (live) this.#index.add(id, live)
  }

  async #add(values: StoredRecord): Promise<StoredRecord> {
    const { id, state } = this.#idFor(values)
    const row = { [this.resource.id]: id, ...copyOf(values) }
    this.#refuseInvalid(row)

    const live = await this.#shards.create(id, row)
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
