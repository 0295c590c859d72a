import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { FirstState, StoredRecords } from '../../records/stored-records.ts'
import type { Transaction } from '../../records/transaction.ts'
import {
  type CollectionAddress,
  collectionPath,
  findCollection,
  hasParents,
  parentsFirst,
} from '../collection-name.ts'
import { idOf, typedId } from '../id-generator.ts'
import { indexedProperties } from '../keys.ts'
import type { Resource } from '../resource.ts'
import { withIds } from '../with-ids.ts'
import { wasUsed } from './below-removed.ts'
import {
  type CollectionPlace,
  type Collections,
  type CollectionsAttempt,
  type EmptiedRecords,
  type OpenedCollection,
  parentsElsewhere,
} from './collections.ts'
import { MemoryCollections } from './memory-collections.ts'
import type { RecentCollections } from './recent-collections.ts'
import { type Ancestor, idsOf, type OpenRecords, Records } from './records.ts'
import { Store } from './store.ts'

/** What the collections of a world start with. */
export interface SharedRecords {
  readonly first: OpenRecords
  readonly seed: number
  /** All resources of the contract. They are asked for when a collection has parents. */
  readonly resources: () => readonly Resource[]
  /** What the collections below records that were read lately start with, by their names in the store; shared by all requests. */
  readonly recent?: RecentCollections<FirstState>
}

/** The collections of a world in a shared store, as a transaction reads and changes them. */
class TransactionCollections implements Collections {
  readonly #transaction: Transaction
  readonly #shared: SharedRecords
  /** By their names in the store. */
  readonly #records = new Map<string, Records>()

  constructor(transaction: Transaction, shared: SharedRecords) {
    this.#transaction = transaction
    this.#shared = shared
  }

  async opened(isWanted?: (resource: Resource) => boolean): Promise<readonly OpenedCollection[]> {
    // Where no collection is wanted, the store need not tell which ones there are.
    if (isWanted && !this.#shared.resources().some(isWanted)) return []
    const names = [...(await this.#transaction.opened())].sort()
    const found = await Promise.all(
      names.map(async (name) => {
        const end = name.lastIndexOf('@')
        const path = name.slice(0, end)
        const own = isWanted && addressAt(path, this.#shared.resources())?.resource
        if (isWanted && !(own && isWanted(own))) return undefined
        return this.#at(path, Number(name.slice(end + 1)))
      }),
    )
    return found.filter((one) => one !== undefined)
  }

  endsAbove(resource: Resource): readonly number[] {
    const known = endsOf.get(resource) ?? findEndsAbove(resource, this.#shared.resources())
    endsOf.set(resource, known)
    return known
  }

  ancestor(path: string, generation: number, id: string): Awaitable<Ancestor> {
    return this.#transaction.find(storedName(path, generation), id)
  }

  async wasUsed(path: string, generation: number): Promise<boolean> {
    const opened = await this.#at(path, generation)
    return opened ? wasUsed(opened) : false
  }

  async removedFrom(path: string, generation: number): Promise<readonly string[]> {
    return (await this.#at(path, generation))?.records.removed() ?? []
  }

  /** The collection is opened in the store when it is first read. */
  open(place: CollectionPlace, start: () => Promise<EmptiedRecords>): Awaitable<Records> {
    const { path, generation, isEmpty, removed = '' } = place
    const stored = storedName(path, generation)
    const key = stored + removed
    return this.#recordsAt(stored, place, async () => {
      const { recent } = this.#shared
      const known = isEmpty ? undefined : recent?.get(key)
      if (known) return known
      const state = await firstStateOf(await start())
      if (state.isNested && !isEmpty) recent?.set(key, state)
      return state
    })
  }

  /** The transaction is committed with the request. */
  begin(): CollectionsAttempt {
    const abort = this.#transaction.savepoint()
    return { collections: this, commit: async () => async () => abort(), abort }
  }

  fork(): TransactionCollections {
    return new TransactionCollections(this.#transaction.copy(), this.#shared)
  }

  /** A collection that was opened; `undefined` for another one. */
  async #at(path: string, generation: number): Promise<OpenedCollection | undefined> {
    const stored = storedName(path, generation)
    const state = await this.#transaction.state(stored)
    const address = state && addressAt(path, this.#shared.resources())
    if (!address) return undefined
    const records = await this.#recordsAt(stored, address)
    return { records, generation, ...(state.emptied && { emptied: state.emptied }) }
  }

  #recordsAt(
    stored: string,
    { resource, name }: CollectionAddress,
    start?: () => Promise<FirstState>,
  ): Awaitable<Records> {
    return whenKnown(withIds(resource), (own) => {
      const known = this.#records.get(stored)
      if (known) return known
      const table = this.#transaction.table(stored, indexedProperties(own), start)
      const records = new Records(own, idsOf(own, this.#shared.seed, name), table, name)
      this.#records.set(stored, records)
      return records
    })
  }
}

/** A store with the records of a world in a shared store. */
export function createSharedStore(transaction: Transaction, shared: SharedRecords): Store {
  return new Store(shared.first, new TransactionCollections(transaction, shared))
}

function addressAt(path: string, resources: readonly Resource[]): CollectionAddress | undefined {
  const top = resources.find((one) => !hasParents(one) && one.path.slice(1) === path)
  return top ? { resource: top, name: top.name, parameters: {} } : findCollection(resources, path)
}

/** What a collection in a shared store starts with: the present state of these records. */
async function firstStateOf({ records, emptied }: EmptiedRecords): Promise<FirstState> {
  const { resource } = records
  const { records: rows } = await records.page({})
  const { ids = 0, removed = [] } = await records.snapshot()
  const known = new Map((emptied ?? []).map((id) => [String(id), id]))

  return {
    rows: await Promise.all(
      rows.map(async (record) => {
        const id = idOf(record, resource.id) ?? ''
        return { id, record, generation: await records.generation(id) }
      }),
    ),
    removed: await Promise.all(
      removed.map(async (text) => ({
        id: known.get(text) ?? typedId(text, resource),
        generation: await records.generation(text),
      })),
    ),
    ids,
    filters: indexedProperties(resource),
    orders: resource.sorts ?? [],
    ...(hasParents(resource) && { isNested: true }),
    ...(emptied && { emptied }),
  }
}

/** Writes collections to an epoch of a shared store. Those of the parents must be among them. */
export async function writeCollections(
  opened: readonly Records[],
  stored: StoredRecords,
): Promise<void> {
  const collections = new MemoryCollections()
  for (const records of parentsFirst(opened)) await collections.add(records)
  for (const { records, generation } of collections.opened()) {
    const name = storedName(collectionPath(records), generation)
    await stored.open(name, await firstStateOf({ records }))
  }
}

/** The name of a collection in a shared store: its path, and the generation of its parents. */
export function storedName(path: string, generation: number): string {
  return `${path}@${generation}`
}

const endsOf = new WeakMap<Resource, readonly number[]>()

function findEndsAbove(resource: Resource, resources: readonly Resource[]): readonly number[] {
  const own = resource.path.slice(1).split('/')
  const above = resources.flatMap(({ path }) => {
    const other = path.slice(1).split('/')
    const isAbove =
      other.length < own.length &&
      other.every((part, at) => part === own[at] || part.includes('{') || own[at]?.includes('{'))
    return isAbove ? other.length : []
  })
  return [...new Set([...above, ...parentsElsewhere(resource).keys()])].sort(
    (one, other) => one - other,
  )
}
