import type { Id, PageQuery } from '../records/record-table.ts'
import { matcherOf, type RecordSelection } from '../records/selection.ts'
import type {
  CollectionState,
  FirstState,
  StoredPage,
  StoredRecords,
  VersionedRecord,
} from '../records/stored-records.ts'
import {
  candidatesFor,
  groupsOf,
  indexOfAll,
  REMOVED_INDEX,
  rangeFrom,
  termsOf,
} from './indexes.ts'
import { collectionKey, collectionPart, collectionsKey } from './keys.ts'
import { RedisCollection } from './redis-collection.ts'
import type { RedisConnection } from './redis-connection.ts'
import { readPage, walkIndex } from './redis-pages.ts'
import { firstArguments, ordersText } from './script-arguments.ts'
import { ADD_FIRST, OPEN } from './scripts/record-scripts.ts'
import { textsIn } from './store-errors.ts'
import { readCollectionName } from './stored-texts.ts'

/** How many collections this server remembers the state of. */
const MAX_SEEN = 1000

/** The records of an epoch in Redis. */
export class RedisRecords implements StoredRecords {
  readonly #connection: RedisConnection
  readonly #world: string
  readonly #epoch: string
  readonly #opening = new Map<string, Promise<void>>()
  readonly #seen = new Map<string, CollectionState>()

  /** `world` and `epoch` are keys. */
  constructor(connection: RedisConnection, world: string, epoch: string) {
    this.#connection = connection
    this.#world = world
    this.#epoch = epoch
  }

  async opened(): Promise<readonly string[]> {
    const key = collectionsKey(this.#epoch)
    const names = textsIn(await this.#connection.command('smembers', key), key)
    return names.map((name) => readCollectionName(name, key)).sort()
  }

  async state(collection: string): Promise<CollectionState | undefined> {
    const state = await this.#at(collection).state()
    if (!state) return undefined
    const { ready: _, ...rest } = state
    if (this.#seen.size === MAX_SEEN) this.#seen.clear()
    this.#seen.set(collection, rest)
    return rest
  }

  seenState(collection: string): CollectionState | undefined {
    return this.#seen.get(collection)
  }

  /** Parallel requests of this instance open each collection once. */
  open(collection: string, first: FirstState): Promise<void> {
    const begun =
      this.#opening.get(collection) ??
      this.#open(collection, first).finally(() => this.#opening.delete(collection))
    this.#opening.set(collection, begun)
    return begun
  }

  async #open(collection: string, first: FirstState): Promise<void> {
    const { ids, orders = [], emptied } = first
    const place = this.#at(collection)
    for (const batch of firstArguments(first)) {
      const [isAdded] = await place.run(ADD_FIRST, batch)
      // Another server was faster.
      if (isAdded === 0) return
    }
    await this.#connection.run(OPEN, this.#world, [
      collectionsKey(this.#epoch),
      collectionPart(collection),
      ids,
      ordersText(orders),
      emptied ? JSON.stringify(emptied) : '',
    ])
  }

  get(collection: string, id: Id): Promise<VersionedRecord | undefined> {
    return this.#at(collection).get(id)
  }

  page(collection: string, query: PageQuery, filters: readonly string[]): Promise<StoredPage> {
    return readPage(this.#at(collection), query, filters)
  }

  async count(
    collection: string,
    selection: RecordSelection,
    filters: readonly string[],
  ): Promise<number> {
    const place = this.#at(collection)
    const matcher = matcherOf(selection)
    const groups = groupsOf(matcher, filters)
    const only = groups && indexOfAll(groups)
    if (only !== undefined) return place.size(only)
    const terms = groups && termsOf(groups)
    if (terms) return terms.length === 0 ? 0 : place.count(terms)
    let count = 0
    const index = { suffix: candidatesFor(matcher.conditions, filters) }
    await walkIndex(place, index, rangeFrom(undefined, false), ({ record = {} }) => {
      if (matcher.matches(record)) count += 1
      return true
    })
    return count
  }

  async removed(
    collection: string,
  ): Promise<readonly { readonly id: Id; readonly generation: number }[]> {
    const removed: { readonly id: Id; readonly generation: number }[] = []
    const index = { suffix: REMOVED_INDEX }
    await walkIndex(this.#at(collection), index, rangeFrom(undefined, false), (one) => {
      removed.push({ id: one.id, generation: one.generation })
      return true
    })
    return removed
  }

  #at(collection: string): RedisCollection {
    const key = collectionKey(this.#epoch, collection)
    return new RedisCollection(this.#connection, this.#world, key)
  }
}
