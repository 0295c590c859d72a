import { propertyPathOf } from '../contract/validation-errors.ts'
import { copyJson } from './copy-json.ts'
import { type GeneratedId, type Id, type IdGenerator, idOf } from './id-generator.ts'
import { InvalidRecordError, invalidProperty } from './invalid-record-error.ts'
import { type Page, type PageQuery, RecordIndex, type StoredRecord } from './record-index.ts'
import { RecordShards } from './record-shards.ts'
import type { Resource } from './resource.ts'

/** The records of a resource, and the state of its ids, as snapshots have them. */
export interface RecordsSnapshot {
  readonly rows: readonly StoredRecord[]
  /** The state of the ids; default: it follows from the ids of the records. */
  readonly ids?: number
}

/**
 * The records of one resource, in collections of `@mswjs/data`.
 *
 * This class and `RecordShards` work around what the library does not do. Its cursors are linear searches, and they lose
 * records when there is a filter: pages come from an index beside it. It accepts a second record with the same id: ids are
 * checked first. Of two updates at once, the later one overwrites the earlier one: writes take turns. Its `clear()` is
 * quadratic and skips records: a reset makes a new store. It prints what its schema refuses: records are checked before.
 *
 * A fork shares the records, which are never changed in place. Its own shards contain only the records that it writes.
 */
export class Records {
  readonly resource: Resource
  #shards: RecordShards = new RecordShards()
  #index: RecordIndex<StoredRecord>
  readonly #ids: IdGenerator
  #idState: number
  #lastWrite: Promise<unknown> = Promise.resolve()
  /** The undone changes that a later change had replaced: the record before each, by the record after it. */
  readonly #undone = new WeakMap<StoredRecord, StoredRecord | undefined>()

  constructor(resource: Resource, ids: IdGenerator) {
    this.resource = resource
    this.#index = new RecordIndex(resource.filters)
    this.#ids = ids
    this.#idState = ids.start
  }

  get size(): number {
    return this.#index.size
  }

  get(id: Id): StoredRecord | undefined {
    return this.#index.get(id)
  }

  /** The same records, without a write that is still in progress. */
  fork(): Records {
    const fork = new Records(this.resource, this.#ids)
    fork.#idState = this.#idState
    fork.#index = this.#index.fork()
    return fork
  }

  snapshot(): RecordsSnapshot {
    return { rows: this.page({}).records.map(copyJson), ids: this.#idState }
  }

  /** Adds the records of a snapshot. Adds none, and rejects with an InvalidRecordError, when one of them is invalid. */
  restore({ rows: records, ids }: RecordsSnapshot): Promise<void> {
    return this.#afterLastWrite(async () => {
      const fork = this.fork()
      for (const record of records) await fork.#add(record)
      this.#shards = fork.#shards
      this.#index = fork.#index
      this.#idState = ids ?? fork.#idState
      // The state must not be behind the records: the next ids would be in use.
      for (const record of records) {
        const id = idOf(record, this.resource.id) ?? 0
        this.#idState = this.#ids.stateAfter(this.#idState, id)
      }
    })
  }

  /** In ascending order of the ids. */
  page(query: PageQuery): Page {
    return this.#index.page(query)
  }

  /** Adds a record with its own id or a generated one. Rejects with an InvalidRecordError. */
  create(values: StoredRecord): Promise<StoredRecord> {
    return this.#afterLastWrite(() => this.#add(values))
  }

  /**
   * Replaces a record by what `change` returns for it. The id stays. Resolves with `undefined` when the record does not
   * exist. Rejects with an InvalidRecordError.
   */
  update(
    id: Id,
    change: (record: StoredRecord) => StoredRecord,
  ): Promise<StoredRecord | undefined> {
    return this.#afterLastWrite(async () => {
      const before = this.#index.get(id)
      if (!before) return undefined
      const record = { ...change(before), [this.resource.id]: id }
      this.#checkRecord(record)

      const stored = await this.#shards.replace(id, before, record)
      this.#index.remove(id, before)
      this.#index.add(id, stored)
      return stored
    })
  }

  /** Removes a record. Resolves with `false` when the record does not exist. */
  remove(id: Id): Promise<boolean> {
    return this.#afterLastWrite(async () => {
      const record = this.#index.get(id)
      if (!record) return false
      this.#shards.delete(id, record)
      this.#index.remove(id, record)
      return true
    })
  }

  /**
   * Undoes a change from `before` to `after`; `undefined` means no record. A later change of the record stays. When that one is
   * undone too, the record is as it was before both.
   */
  undo(id: Id, before: StoredRecord | undefined, after: StoredRecord | undefined): Promise<void> {
    return this.#afterLastWrite(async () => {
      const present = this.#index.get(id)
      if (present !== after) return void (after && this.#undone.set(after, before))
      let record = before
      while (record && this.#undone.has(record)) record = this.#undone.get(record)
      await this.#put(id, present, record)
    })
  }

  /** Replaces what is stored under an id by a record, or by none. */
  async #put(
    id: Id,
    present: StoredRecord | undefined,
    record: StoredRecord | undefined,
  ): Promise<void> {
    if (present) this.#shards.delete(id, present)
    const stored = record && (await this.#shards.create(id, copyJson(record)))
    if (present) this.#index.remove(id, present)
    if (stored) this.#index.add(id, stored)
  }

  async #add(values: StoredRecord): Promise<StoredRecord> {
    const { id, state } = this.#idFor(values)
    const record = { [this.resource.id]: id, ...copyJson(values) }
    this.#checkRecord(record)

    const stored = await this.#shards.create(id, record)
    this.#idState = state
    this.#index.add(id, stored)
    return stored
  }

  /** The id in the values, or a generated one. */
  #idFor(values: StoredRecord): GeneratedId {
    const { id: name } = this.resource
    const given = idOf(values, name)
    if (given === undefined) {
      let generated = this.#ids.next(this.#idState)
      while (this.#index.get(generated.id)) generated = this.#ids.next(generated.state)
      return generated
    }
    if (Number.isInteger(given) && !Number.isSafeInteger(given)) {
      throw invalidProperty(name, `${given} is not exact`)
    }
    if (this.#index.get(given)) throw invalidProperty(name, `${given} is taken`)

    return { id: given, state: this.#ids.stateAfter(this.#idState, given) }
  }

  #afterLastWrite<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#lastWrite.then(write)
    this.#lastWrite = written.catch(() => undefined)
    return written
  }

  #checkRecord(record: StoredRecord): void {
    const { validate, path } = this.resource
    if (validate(record)) return
    const errors = validate.errors ?? []
    throw new InvalidRecordError(errors, {
      path,
      property: propertyPathOf(errors[0]),
    })
  }
}
