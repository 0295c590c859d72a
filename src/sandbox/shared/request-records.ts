import type { CollectionState, StoredRecords } from '../../state/stored-records.ts'

/** The records of a world as one request reads them. The state of ids that a commit left can be used without reading it again. */
export class RequestRecords implements StoredRecords {
  readonly opened: StoredRecords['opened']
  readonly open: StoredRecords['open']
  readonly get: StoredRecords['get']
  readonly page: StoredRecords['page']
  readonly count: StoredRecords['count']
  readonly removed: StoredRecords['removed']
  readonly #records: StoredRecords
  /** The latest state of each collection that was read. */
  readonly #known = new Map<string, CollectionState>()
  /** The states that are under way because a record or a page was read, whose collection is opened next. */
  readonly #expected = new Map<string, Promise<CollectionState | undefined> | undefined>()
  /** The states to be given without reading. */
  readonly #given = new Map<string, CollectionState>()

  /** `opening` has the collections that this instance opens at the moment, so that parallel requests open each once. */
  constructor(records: StoredRecords, opening: Map<string, Promise<void>>) {
    this.#records = records
    this.opened = () => records.opened()
    this.open = (collection, first) => {
      const begun =
        opening.get(collection) ??
        records.open(collection, first).finally(() => opening.delete(collection))
      opening.set(collection, begun)
      return begun
    }
    this.get = (collection, id) => {
      this.#expect(collection)
      return records.get(collection, id)
    }
    this.page = (collection, ...given) => {
      this.#expect(collection)
      return records.page(collection, ...given)
    }
    this.count = (...given) => records.count(...given)
    this.removed = (...given) => records.removed(...given)
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

  /** All states are read again. */
  forget(): void {
    this.#expected.clear()
    this.#given.clear()
  }

  #expect(collection: string): void {
    if (this.#expected.has(collection)) return
    const state = this.#records.state(collection)
    // Nobody may ask for it.
    state.catch(() => undefined)
    this.#expected.set(collection, state)
  }
}
