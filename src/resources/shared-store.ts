import type { Id } from '../records/record-table.ts'
import type { FirstState, StoredRecords } from '../records/stored-records.ts'
import type { Transaction } from '../records/transaction.ts'
import {
  type EmptiedRecords,
  emptied,
  findPlace,
  isHiddenBelowRemoved,
  type Place,
  wasUsed,
} from './below-removed.ts'
import { collectionName, findCollection, hasParents, type PathValues } from './collection-name.ts'
import { idOf, typedId } from './id-generator.ts'
import { withIds } from './ids/with-ids.ts'
import type { RecentCollections } from './recent-collections.ts'
import { idsOf, type OpenRecords, Records } from './records.ts'
import type { Resource } from './resource.ts'
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
  /** By their names in the store. */
  readonly #records = new Map<string, Records>()

  constructor(transaction: Transaction, shared: SharedRecords) {
    this.#transaction = transaction
    this.#shared = shared
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
    return findPlace(path, lengthsAbove(resource, this.#shared.resources), {
      generation: (above, generation, id) =>
        this.#transaction.generation(storedName(above, generation), id),
      wasUsed: async (above, generation) => {
        const opened = await this.#at(above, generation)
        return opened ? wasUsed(opened) : false
      },
    })
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

/** What a collection in a shared store starts with: the present state of these records. */
async function firstStateOf(
  records: Records,
  emptied: readonly Id[] | undefined = undefined,
): Promise<FirstState> {
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
    filters: resource.filters,
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
  const byPath = new Map(opened.map((records) => [pathOfRecords(records), records]))
  for (const records of opened) {
    const path = pathOfRecords(records)
    const { generation } = await findPlace(path, [...path.split('/').keys()], {
      generation: (above, _, id) => byPath.get(above)?.generation(id) ?? 0,
      wasUsed: () => false,
    })
    await stored.open(storedName(path, generation), await firstStateOf(records))
  }
}

/** The name of a collection in a shared store: its path, and how often its parents were removed and created again. */
function storedName(path: string, generation: number): string {
  return `${path}@${generation}`
}

/** The path of a collection without the first slash. */
function pathOfRecords({ resource, name }: Records): string {
  return hasParents(resource) ? name : resource.path.slice(1)
}

const lengthsOf = new WeakMap<Resource, readonly number[]>()

/** The numbers of segments after which the path of a resource is that of another collection. */
function lengthsAbove(resource: Resource, resources: () => readonly Resource[]): readonly number[] {
  if (!hasParents(resource)) return []
  const made = lengthsOf.get(resource)
  if (made) return made
  const own = resource.path.slice(1).split('/')
  const fits = ({ path }: Resource): number | [] => {
    const other = path.slice(1).split('/')
    const isAbove =
      other.length < own.length &&
      other.every((part, at) => part === own[at] || part.includes('{') || own[at]?.includes('{'))
    return isAbove ? other.length : []
  }
  const lengths = [...new Set(resources().flatMap(fits))].sort((one, other) => one - other)
  lengthsOf.set(resource, lengths)
  return lengths
}
