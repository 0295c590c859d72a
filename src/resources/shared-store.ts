import type { FirstState } from '../records/stored-records.ts'
import type { Transaction } from '../records/transaction.ts'
import { collectionName, findCollection, hasParents, type PathValues } from './collection-name.ts'
import { idsOf, type OpenRecords } from './create-records.ts'
import { type EmptiedRecords, emptied, wasUsed } from './emptied-records.ts'
import { firstStateOf, storedName } from './first-state.ts'
import { isHiddenBelowRemoved } from './hidden-below-removed.ts'
import { withIds } from './ids/with-ids.ts'
import type { RecentCollections } from './recent-collections.ts'
import { Records } from './records.ts'
import type { Resource } from './resource.ts'
import { type Place, SharedPlaces } from './shared-places.ts'
import type { Store } from './store.ts'

/** What the collections of a world start with. */
export interface SharedRecords {
  readonly first: OpenRecords
  readonly seed: number
  /** All resources of the contract. They are asked for when a collection has parents. */
  readonly resources: () => readonly Resource[]
  /** What the collections below records that were read lately start with, by their names in the store; shared by all requests. */
  readonly recent?: RecentCollections<FirstState>
}

/** The records of a world in a shared store, as a transaction reads and changes them. */
export class SharedStore implements Store {
  readonly #transaction: Transaction
  readonly #shared: SharedRecords
  readonly #places: SharedPlaces
  /** By their names in the store. */
  readonly #records = new Map<string, Records>()

  constructor(transaction: Transaction, shared: SharedRecords) {
    this.#transaction = transaction
    this.#shared = shared
    this.#places = new SharedPlaces(transaction, shared.resources, async (path, generation) => {
      const opened = await this.#at(path, generation)
      return opened ? wasUsed(opened) : false
    })
  }

  async opened(): Promise<readonly Records[]> {
    const names = [...(await this.#transaction.opened())].sort()
    const found = await Promise.all(names.map((name) => this.#findUsed(name)))
    const opened = found.filter((records) => records !== undefined)
    const isTop = ({ resource }: Records): boolean => !hasParents(resource)

    return [...opened.filter(isTop), ...opened.filter((records) => !isTop(records))]
  }

  get(name: string): Records | undefined {
    const known = [...this.#records.values()].find((records) => records.name === name)
    return known && !hasParents(known.resource) ? known : undefined
  }

  async find(resource: Resource, parameters: PathValues = {}): Promise<Records | undefined> {
    const path = pathOf(resource, parameters)
    const { generation } = await this.#place(resource, path)

    const known = this.#records.get(storedName(path, generation))

    return known ?? (await this.#at(path, generation))?.records
  }

  /** The collection is opened in the store when it is first read. */
  async open(resource: Resource, parameters: PathValues = {}): Promise<Records> {
    const path = pathOf(resource, parameters)
    return this.#recordsAt(resource, parameters, await this.#place(resource, path))
  }

  async isBelowRemoved(resource: Resource, parameters: PathValues = {}): Promise<boolean> {
    return (await this.#place(resource, pathOf(resource, parameters))).isGone
  }

  fork(): SharedStore {
    return new SharedStore(this.#transaction.copy(), this.#shared)
  }

  async #place(resource: Resource, path: string): Promise<Place> {
    if (!hasParents(resource)) return { generation: 0, isGone: false }
    return this.#places.find(resource, path)
  }

  async #findUsed(stored: string): Promise<Records | undefined> {
    const end = stored.lastIndexOf('@')
    const path = stored.slice(0, end)
    const resource = this.#resourceAt(path)?.resource
    if (!resource) return undefined
    const { generation } = await this.#place(resource, path)
    if (storedName(path, generation) !== stored) return undefined
    const opened = await this.#at(path, generation)
    if (!opened?.emptied) return opened?.records

    return (await wasUsed(opened)) ? opened.records : undefined
  }

  /** A collection that was opened; `undefined` for another one. */
  async #at(path: string, generation: number): Promise<EmptiedRecords | undefined> {
    const state = await this.#transaction.state(storedName(path, generation))
    const found = state && this.#resourceAt(path)
    if (!found) return undefined
    const place = { generation, isGone: false }
    const records = this.#recordsAt(found.resource, found.parameters, place)
    return { records, ...(state.emptied && { emptied: state.emptied }) }
  }

  #resourceAt(path: string): ReturnType<typeof findCollection> {
    const resources = this.#shared.resources()
    const top = resources.find((one) => !hasParents(one) && one.path.slice(1) === path)
    return top ? { resource: top, name: top.name, parameters: {} } : findCollection(resources, path)
  }

  #recordsAt(resource: Resource, parameters: PathValues, { generation, isGone }: Place): Records {
    const { first, seed, recent } = this.#shared
    const name = collectionName(resource, parameters)
    const stored = storedName(pathOf(resource, parameters), generation)
    const isEmpty = isGone && isHiddenBelowRemoved(resource)
    const start = async (): Promise<FirstState> => {
      const known = isEmpty ? undefined : recent?.get(stored)
      if (known) return known
      const records = await first(resource, name, parameters)
      const begun = isEmpty ? await emptied(records) : { records, emptied: undefined }
      const state = await firstStateOf(begun.records, begun.emptied)
      if (state.isNested && !isEmpty) recent?.set(stored, state)
      return state
    }
    const own = withIds(resource)
    const table = this.#transaction.table(stored, own.filters, start)
    const records =
      this.#records.get(stored) ?? new Records(own, idsOf(own, seed, name), table, name)
    this.#records.set(stored, records)

    return records
  }
}

/** The path of a collection without the first slash. */
function pathOf(resource: Resource, parameters: PathValues): string {
  return hasParents(resource) ? collectionName(resource, parameters) : resource.path.slice(1)
}
