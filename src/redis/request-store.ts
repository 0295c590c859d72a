import { UnwrittenRecords } from '../records/read-cache.ts'
import type {
  CollectionState,
  FirstState,
  RecordChanges,
  StoredRecords,
} from '../records/stored-records.ts'
import { Transaction } from '../records/transaction.ts'
import { type SharedRecords, SharedStore } from '../resources/shared-store.ts'
import type { Store } from '../resources/store.ts'
import type { CreationTurns } from './creation-turns.ts'

/** The records of a world as one request reads and writes them. */
export class RequestStore {
  readonly #first: SharedRecords
  readonly #turns: CreationTurns
  readonly #records: RequestRecords
  #transaction: Transaction
  #store: SharedStore
  #since: number

  /** `first` has what this instance has seen of the world, `opening` the collections that it opens at the moment. */
  constructor(
    records: StoredRecords,
    first: SharedRecords,
    turns: CreationTurns,
    opening: Map<string, Promise<void>>,
  ) {
    this.#first = first
    this.#turns = turns
    this.#records = new RequestRecords(records, opening)
    this.#transaction = new Transaction(this.#records)
    this.#store = new SharedStore(this.#transaction, first)
    this.#since = turns.sequence
  }

  /** The store that the request is answered from. */
  get store(): Store {
    return this.#store
  }

  /** How many creations this instance had committed when the request began to read. */
  get since(): number {
    return this.#since
  }

  /** A store whose reads are under way for the request. Nothing of what it writes is kept. */
  early(): Store {
    return this.#store.early()
  }

  /** What the answer to the request has written. */
  writes(): RecordChanges {
    return this.#transaction.writes()
  }

  /** Opens the collections that the answer has written in the store, unless they are there. Resolves with whether there were any. */
  openWritten({ records = [], ids = [] }: RecordChanges): Promise<boolean> {
    return this.#records.openUnwritten([...records, ...ids].map(({ collection }) => collection))
  }

  /** Begins again, with the states of ids that are known by now. After a conflict, no id counts as free without asking. */
  restart(ids: ReadonlyMap<string, number>, isConflict: boolean): void {
    this.#since = this.#turns.sequence
    this.#records.forget()
    for (const [collection, state] of ids) this.#records.setIds(collection, state)
    this.#transaction = new Transaction(this.#records)
    if (isConflict) this.#transaction.forget()
    this.#store = new SharedStore(this.#transaction, this.#first)
  }
}

/**
 * The records of a world as one request reads them. The state of ids that a commit left can be used without reading it again. A
 * collection below records is opened in memory, until the request changes it: there may be any number of paths.
 */
class RequestRecords implements StoredRecords {
  readonly opened: StoredRecords['opened']
  readonly open: StoredRecords['open']
  readonly get: StoredRecords['get']
  readonly page: StoredRecords['page']
  readonly count: StoredRecords['count']
  readonly removed: StoredRecords['removed']
  readonly #stored: StoredRecords
  /** The collections that this instance opens at the moment. */
  readonly #opening: Map<string, Promise<void>>
  #records: UnwrittenRecords
  /** What the collections that are opened in memory start with. */
  readonly #unwritten = new Map<string, FirstState>()
  /** The latest state of each collection that was read. */
  readonly #known = new Map<string, CollectionState>()
  /** The states that are under way because a record or a page was read, whose collection is opened next. */
  readonly #expected = new Map<string, Promise<CollectionState | undefined> | undefined>()
  /** The states to be given without reading. */
  readonly #given = new Map<string, CollectionState>()

  /** `opening` has the collections that this instance opens at the moment, so that parallel requests open each once. */
  constructor(records: StoredRecords, opening: Map<string, Promise<void>>) {
    this.#stored = records
    this.#opening = opening
    this.#records = new UnwrittenRecords(records)
    this.opened = () => records.opened()
    this.open = (collection, first) => {
      if (!first.isNested) return this.#openStored(collection, first)
      this.#unwritten.set(collection, first)
      return this.#records.open(collection, first)
    }
    this.get = (collection, id) => {
      this.#expect(collection)
      return this.#records.get(collection, id)
    }
    this.page = (collection, ...given) => {
      this.#expect(collection)
      return this.#records.page(collection, ...given)
    }
    this.count = (...given) => this.#records.count(...given)
    this.removed = (...given) => this.#records.removed(...given)
  }

  /** Opens those of the collections in the store that are opened in memory. Resolves with whether there were any. */
  async openUnwritten(collections: Iterable<string>): Promise<boolean> {
    const opened = [...new Set(collections)].flatMap((name) => {
      const first = this.#unwritten.get(name)
      return first ? [this.#openStored(name, first)] : []
    })
    await Promise.all(opened)

    return opened.length > 0
  }

  #openStored(collection: string, first: FirstState): Promise<void> {
    const begun =
      this.#opening.get(collection) ??
      this.#stored.open(collection, first).finally(() => this.#opening.delete(collection))
    this.#opening.set(collection, begun)
    return begun
  }

  async state(collection: string): Promise<CollectionState | undefined> {
    const given = this.#given.get(collection)
    if (given) return given
    const expected = this.#expected.get(collection)
    // It is given once: whoever asks again wants to know what has changed.
    this.#expected.set(collection, undefined)
    const state = await (expected ?? this.#records.state(collection))
    if (state) this.#known.set(collection, state)
    return state
  }

  /** The state of the ids of a collection is this one from now on. */
  setIds(collection: string, ids: number): void {
    const known = this.#known.get(collection)
    if (known) this.#given.set(collection, { ...known, ids })
  }

  /** Everything is read again. */
  forget(): void {
    this.#expected.clear()
    this.#given.clear()
    this.#unwritten.clear()
    this.#records = new UnwrittenRecords(this.#stored)
  }

  #expect(collection: string): void {
    if (this.#expected.has(collection)) return
    const state = this.#records.state(collection)
    // Nobody may ask for it.
    state.catch(() => undefined)
    this.#expected.set(collection, state)
  }
}
