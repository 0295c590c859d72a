import { propertyPathOf } from '../../contract/validation-errors.ts'
import { type Awaitable, allKnown, bothKnown, whenKnown } from '../../records/awaitable.ts'
import { MemoryTable } from '../../records/memory-table.ts'
import {
  copyJson,
  type Id,
  idsLike,
  type Page,
  type PageQuery,
  type RecordTable,
  type StoredRecord,
} from '../../records/record-table.ts'
import type { RecordSelection } from '../../records/selection.ts'
import { once } from '../../validation/objects.ts'
import type { PathValues } from '../collection-name.ts'
import { createIdGenerator, type IdGenerator, idFor, idOf } from '../id-generator.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import { findNamed, indexedProperties, keyTexts } from '../keys.ts'
import { markedRows, originsOf, withMark, withoutMark } from '../record-origin.ts'
import type { Resource } from '../resource.ts'

/** The records of a collection, and the state of its ids, as snapshots have them. */
export interface RecordsSnapshot {
  readonly rows: readonly StoredRecord[]
  /** The state of the ids; default: it follows from the ids of the records. */
  readonly ids?: number
  /** The ids of removed records, as text; absent when there are none. */
  readonly removed?: readonly string[]
  /**
   * The ids of the records that were created or changed, as text, where clients choose ids or other collections are below the records;
   * absent elsewhere. Default: those of the records that are not first records.
   */
  readonly made?: readonly string[]
  /** The ids of those of them that were created; absent when there are none. */
  readonly created?: readonly string[]
}

/** A record above a collection. */
export interface Ancestor {
  /** How often it was removed, and created again. */
  readonly generation: number
  /** `undefined` when there is none. */
  readonly record: StoredRecord | undefined
}

/** The state of the records of a collection at some time. */
export interface RecordsState {
  readonly table: RecordTable
  readonly version: number
}

/** Adds what a new record lacks. */
type Complete = (record: StoredRecord) => Awaitable<StoredRecord>

/** How a record is added. */
interface Addition {
  readonly complete?: Complete | undefined
  /** The record in whose place it comes. */
  readonly before?: StoredRecord | undefined
  /** Whether somebody creates it. Default: the collection starts with it. */
  readonly isMade?: boolean
}

/**
 * The records of one collection: what may be in its table, and under which ids. Writes take turns, so that each is decided on
 * the result of the one before.
 */
export class Records {
  readonly resource: Resource
  /** The name of the collection: that of the resource, or the path of the collection if it has parents, such as `orgs/acme/repos`. */
  readonly name: string
  /** Called before a record is created, changed or removed. */
  onChange: (() => void) | undefined
  #table: RecordTable
  readonly #ids: IdGenerator
  #lastWrite: Promise<unknown> = Promise.resolve()
  /** The undone changes that a later change had replaced: the record before each, by the record after it. */
  readonly #undone = new WeakMap<StoredRecord, StoredRecord | undefined>()

  constructor(
    resource: Resource,
    ids: IdGenerator,
    table: RecordTable,
    name: string = resource.name,
  ) {
    this.resource = resource
    this.name = name
    this.#table = table
    this.#ids = ids
  }

  get(id: Id): Awaitable<StoredRecord | undefined> {
    return this.#table.get(id)
  }

  /** The id of the record that a text in a path names: by its id, else by a further key. Other texts stay as they are. */
  idNamed(text: string): Awaitable<Id> {
    return this.resource.keys ? findNamed(text, this.resource, this.#table) : text
  }

  /** In ascending order of the ids, unless the query has another order. */
  page(query: PageQuery): Awaitable<Page> {
    const { sort } = query
    if (sort?.by !== this.resource.id) return this.#table.page(query)
    const { by: _, ...byId } = sort
    return this.#table.page({ ...query, sort: byId })
  }

  /** How many records have these values; without values, how many there are. */
  count(selection?: RecordSelection): Awaitable<number> {
    return this.#table.count(selection)
  }

  /** Whether the record with this id was removed, and not created again since. */
  isRemoved(id: Id): Awaitable<boolean> {
    return whenKnown(this.generation(id), (generation) => generation % 2 === 1)
  }

  /** The ids of removed records, and the further keys that named them, as text. */
  removed(): Awaitable<readonly string[]> {
    return this.#table.removed()
  }

  /** How often the record with this id was removed, and created again after that: an odd number while it is removed. */
  generation(id: Id): Awaitable<number> {
    return this.#table.generation(id)
  }

  /** What collections below a record depend on. `id` is the text in their paths. */
  ancestor(id: string): Awaitable<Ancestor> {
    const found = allKnown(idsLike(id).map((one) => this.#table.get(one)))
    return bothKnown(this.generation(id), found, (generation, records) => ({
      generation,
      record: records.find((one) => one !== undefined),
    }))
  }

  /** The same records, without a write that is still in progress. */
  fork(): Records {
    return new Records(this.resource, this.#ids, this.#table.fork(), this.name)
  }

  /** The present state, to find out about later changes. */
  state(): RecordsState {
    return { table: this.#table, version: this.#table.version }
  }

  /** Whether nothing was changed since this state. */
  isAt({ table, version }: RecordsState): boolean {
    return this.#table === table && table.version === version
  }

  /** Waits for the writes in progress. Later ones wait until the returned function is called. */
  hold(): Promise<() => void> {
    return new Promise((resolve) => {
      void this.#afterLastWrite(() => new Promise<void>((release) => resolve(release)))
    })
  }

  /** Takes over the records of a state, while writes are held. */
  adopt({ table }: RecordsState): void {
    this.onChange?.()
    this.#table = table
  }

  snapshot(): Awaitable<RecordsSnapshot> {
    const table = this.#table
    return whenKnown(table.page({}), ({ records }) =>
      whenKnown(table.idState(), (ids) =>
        whenKnown(table.removed(), (removed) => ({
          rows: records.map((record) => copyJson(withoutMark(record))),
          ids,
          ...(removed.length > 0 && { removed }),
          ...originsOf(records, this.resource),
        })),
      ),
    )
  }

  /** Adds the records of a snapshot. Adds none, and rejects with an InvalidRecordError, when one of them is invalid. */
  restore(snapshot: RecordsSnapshot): Promise<void> {
    const { ids, removed = [] } = snapshot
    return this.#afterLastWrite(async () => {
      const fork = this.fork()
      const table = fork.#table
      const records = markedRows(snapshot, this.resource)
      for (const record of records) await fork.#add(record)
      for (const id of removed) await table.setGeneration(id, 1)
      const before = await table.idState()
      let state = ids ?? before
      // The state must not be behind the records: the next ids would be in use.
      for (const record of records) {
        state = this.#ids.stateAfter(state, idOf(record, this.resource.id) ?? 0)
      }
      await table.advanceIds(before, state)
      this.#table = table
    })
  }

  /**
   * Adds a record with its own id or a generated one. `complete` gets the record with its id, and returns it with what it lacks.
   * It takes the place of `before`, as if that had been removed. Rejects with an InvalidRecordError.
   */
  create(values: StoredRecord, complete?: Complete, before?: StoredRecord): Promise<StoredRecord> {
    return this.#afterLastWrite(() => this.#add(values, { complete, before, isMade: true }))
  }

  /**
   * Adds records to those that the collection started with, once for each path that shows them: the path then counts as the id of a removed
   * record. Those that are not valid are left out. Resolves with whether there are any.
   */
  start(path: string, rows: readonly StoredRecord[]): Promise<boolean> {
    return this.#afterLastWrite(async () => {
      if ((await this.#table.generation(path)) > 0) return false
      this.onChange?.()
      await this.#table.setGeneration(path, 1)
      for (const row of rows) {
        await this.#add(row).catch((error: unknown) => {
          if (!(error instanceof InvalidRecordError)) throw error
        })
      }
      return rows.length > 0
    })
  }

  /**
   * Replaces a record by what `change` returns for it. The id stays. Resolves with `undefined` when the record does not
   * exist. Rejects with an InvalidRecordError.
   */
  update(
    id: Id,
    change: (record: StoredRecord) => Awaitable<StoredRecord>,
  ): Promise<StoredRecord | undefined> {
    return this.#afterLastWrite(async () => {
      for (;;) {
        const before = await this.#table.get(id)
        if (!before) return undefined
        const { id: name } = this.resource
        // The id comes first, as in new and in restored records.
        const changed = { [name]: id, ...(await change(before)), [name]: id }
        const record = withMark(changed, this.resource, before)
        this.#checkRecord(record)
        this.onChange?.()
        const stored = await this.#table.put(id, record, before)
        if (stored) return stored
      }
    })
  }

  /** Removes a record. Resolves with `false` when the record does not exist. */
  remove(id: Id): Promise<boolean> {
    return this.#afterLastWrite(async () => {
      for (;;) {
        const record = await this.#table.get(id)
        if (!record) return false
        this.onChange?.()
        if (!(await this.#table.delete(id, record))) continue
        await this.#removeKeys(record)
        return true
      }
    })
  }

  /** The further keys of a removed record name a removed one, too, until another record has them. */
  async #removeKeys(record: StoredRecord): Promise<void> {
    for (const text of keyTexts(record, this.resource)) {
      const found = await this.ancestor(text)
      if (!found.record && found.generation % 2 === 0)
        await this.#table.setGeneration(text, found.generation + 1)
    }
  }

  /**
   * Undoes a change from `before` to `after`; `undefined` means no record. A later change of the record stays. When that one is
   * undone too, the record is as it was before both.
   */
  undo(id: Id, before: StoredRecord | undefined, after: StoredRecord | undefined): Promise<void> {
    return this.#afterLastWrite(async () => {
      const present = await this.#table.get(id)
      if (present !== after) return void (after && this.#undone.set(after, before))
      let record = before
      while (record && this.#undone.has(record)) record = this.#undone.get(record)
      const generation = await this.#table.generation(id)
      if (record) await this.#table.put(id, copyJson(record), present)
      else if (present) await this.#table.delete(id, present)
      const isCounted = (present === undefined) !== (record === undefined)
      if (isCounted) await this.#table.setGeneration(id, Math.max(0, generation - 1))
    })
  }

  async #add(
    values: StoredRecord,
    { complete, before, isMade = false }: Addition = {},
  ): Promise<StoredRecord> {
    const table = this.#table
    const { id: name } = this.resource
    for (;;) {
      const ids = table.idState()
      const from = ids instanceof Promise ? await ids : ids
      const { id, state } = await idFor(values, { name, table, ids: this.#ids, from, before })
      const given = { [name]: id, ...copyJson(values) }
      const completing = complete ? complete(given) : given
      const completed = completing instanceof Promise ? await completing : completing
      const record = isMade ? withMark(completed, this.resource) : completed
      this.#checkRecord(record)
      this.onChange?.()
      if (before && !(await table.delete(id, before))) continue
      const stored = await table.put(id, record, undefined, { from, to: state })
      if (stored) return stored
    }
  }

  #afterLastWrite<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#lastWrite.then(write)
    this.#lastWrite = written.catch(() => undefined)
    return written
  }

  #checkRecord(record: StoredRecord): void {
    const { validate, path, isValidated } = this.resource
    if (!isValidated || validate(record)) return
    const errors = validate.errors ?? []
    throw new InvalidRecordError(errors, {
      path,
      property: propertyPathOf(errors[0]),
    })
  }
}

/**
 * Creates the first records of a collection. `parameters` are the ids of its parents, by the names of the path parameters; `count` is
 * how many there are, as the record above says, if it does.
 */
export type OpenRecords = (
  resource: Resource,
  name: string,
  parameters: PathValues,
  count?: number,
) => Promise<Records>

/** The records of a collection, without any yet. */
export function createRecords(
  resource: Resource,
  seed: number,
  name: string = resource.name,
): Records {
  const ids = idsOf(resource, seed, name)
  return new Records(resource, ids, new MemoryTable(indexedProperties(resource), ids.start), name)
}

/** The records of a snapshot. Rejects with an InvalidRecordError. */
export async function restoreRecords(
  resource: Resource,
  saved: RecordsSnapshot,
  seed: number,
  name?: string,
): Promise<Records> {
  const records = createRecords(resource, seed, name)
  await records.restore(saved)
  return records
}

/** How many generators of the collections of a resource are kept. Those of a shared store are opened anew for each request. */
const MAX_GENERATORS = 100

const generatorsOf = once((_resource: Resource) => new Map<string, IdGenerator>())

/** The generator of the ids of a collection. */
export function idsOf(resource: Resource, seed: number, name: string): IdGenerator {
  const generators = generatorsOf(resource)
  const key = `${seed} ${name}`
  const known = generators.get(key)
  if (known) return known
  const generator = resource.ids?.create(seed, name) ?? idGeneratorOf(resource, seed)
  if (generators.size >= MAX_GENERATORS) generators.clear()
  generators.set(key, generator)

  return generator
}

function idGeneratorOf(resource: Resource, seed: number): IdGenerator {
  const generator = createIdGenerator(resource.idSchema, seed)
  if (!generator) throw new TypeError(`Cannot generate ids for ${resource.name}`)
  return generator
}
