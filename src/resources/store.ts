import { type Awaitable, allKnown, whenKnown } from '../records/awaitable.ts'
import {
  type EmptiedRecords,
  emptied,
  findPlace,
  isHiddenBelowRemoved,
  type Place,
  wasUsed,
} from './below-removed.ts'
import {
  collectionName,
  findCollection,
  hasParents,
  type PathValues,
  parentsFirst,
} from './collection-name.ts'
import { withIds } from './ids/with-ids.ts'
import { RecentCollections } from './recent-collections.ts'
import { createRecords, type OpenRecords, type Records, type RecordsSnapshot } from './records.ts'
import type { Resource } from './resource.ts'

/**
 * The records of each collection of a world, which are created when they are first needed. A resource has one collection; a
 * resource with parents has one for each combination of them, such as `orgs/acme/repos`.
 */
export interface Store {
  /** The collections that were needed until now. */
  opened(): Awaitable<readonly Records[]>
  /**
   * The records of a resource without parents, by its name, when they are known without waiting; `undefined` when they were not
   * needed until now.
   */
  get(name: string): Records | undefined
  /** The records of a collection; `undefined` when they were not needed until now. */
  find(resource: Resource, parameters?: PathValues): Awaitable<Records | undefined>
  /** The records of a collection. Creates them when they are needed for the first time; below a removed record there are none. */
  open(resource: Resource, parameters?: PathValues): Promise<Records>
  /** Whether a collection is below a removed record, and has no record that was created there since. */
  isBelowRemoved(resource: Resource, parameters?: PathValues): Awaitable<boolean>
  /** A store with the same records. Changing one store does not change the other. */
  fork(): Store
}

/** A store in memory. First records are created when a collection is first needed. */
export class MemoryStore implements Store {
  readonly #open: OpenRecords
  readonly #opening = new Map<string, Promise<Records>>()
  readonly #opened = new Map<string, Records>()
  readonly #byPath = new Map<string, Records>()
  #nested: NestedCollections | undefined

  /** A store with some records that exist already. */
  constructor(open: OpenRecords, opened: Iterable<Records> = []) {
    this.#open = open
    for (const records of opened) this.#keep(records)
  }

  opened(): Awaitable<readonly Records[]> {
    const own = [...this.#opened.values()]
    return this.#nested ? whenKnown(this.#nested.all(), (all) => [...own, ...all]) : own
  }

  get(name: string): Records | undefined {
    return this.#opened.get(name)
  }

  find(resource: Resource, parameters: PathValues = {}): Awaitable<Records | undefined> {
    if (!resource.parents?.length) return this.#opened.get(resource.name)
    return this.#nestedCollections().find(resource, parameters)
  }

  async open(resource: Resource, parameters: PathValues = {}): Promise<Records> {
    const { name, parents } = resource
    if (parents?.length) return this.#nestedCollections().open(resource, parameters)
    const opened = this.#opened.get(name)
    if (opened) return opened
    const opening = this.#opening.get(name) ?? this.#open(resource, name, {})
    this.#opening.set(name, opening)
    const records = await opening

    return this.#opened.get(name) ?? this.#keep(records)
  }

  isBelowRemoved(resource: Resource, parameters: PathValues = {}): Awaitable<boolean> {
    if (!resource.parents?.length) return false
    return this.#nestedCollections().isBelowRemoved(resource, parameters)
  }

  /** Adds a collection, such as that of a snapshot. The collections of its parents must be there. */
  async add(records: Records): Promise<void> {
    if (records.resource.parents?.length) await this.#nestedCollections().add(records)
    else this.#keep(records)
  }

  fork(): MemoryStore {
    return this.#forkWith(this.#open)
  }

  /** A store that starts with the records of this one, which never changes. */
  createWorldStore(): MemoryStore {
    return this.#forkWith(this.startRecords)
  }

  /** The records with which a world starts that starts with those of this store. */
  readonly startRecords: OpenRecords = async (resource, _name, parameters) => {
    return (await this.open(resource, parameters)).fork()
  }

  #forkWith(open: OpenRecords): MemoryStore {
    const fork = new MemoryStore(
      open,
      [...this.#opened.values()].map((records) => records.fork()),
    )
    fork.#nested = this.#nested?.fork(open, fork.#at)
    return fork
  }

  readonly #at = (path: string): Records | undefined => this.#byPath.get(path)

  #keep(records: Records): Records {
    this.#opened.set(records.name, records)
    this.#byPath.set(records.resource.path.slice(1), records)
    return records
  }

  #nestedCollections(): NestedCollections {
    this.#nested ??= new NestedCollections(this.#open, this.#at)
    return this.#nested
  }
}

/**
 * Creates a store with the records of collections without parents, by their names; `restoreNested` adds those of the others. Ids are
 * generated from the seed. Rejects with an InvalidRecordError.
 */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
  open: OpenRecords = async (resource, name) => createRecords(resource, seed, name),
): Promise<MemoryStore> {
  const opened: Records[] = []
  for (const resource of resources) {
    if (resource.parents?.length) continue
    const records = createRecords(resource, seed)
    await records.restore(snapshots.get(resource.name) ?? { rows: [] })
    opened.push(records)
  }
  return new MemoryStore(open, opened)
}

/** Adds the collections with parents to a store, those of the parents first. Rejects with an InvalidRecordError. */
export async function restoreNested(
  store: MemoryStore,
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
): Promise<void> {
  const named = [...snapshots].map(([name, saved]) => ({ name, saved }))
  for (const { name, saved } of parentsFirst(named)) {
    const found = findCollection(resources, name)
    if (!found || !hasParents(found.resource)) continue
    const records = createRecords(withIds(found.resource), seed, found.name)
    await records.restore(saved)
    await store.add(records)
  }
}

/** The records of a collection that was changed, for as long as its parents are the same. */
interface Opened extends EmptiedRecords {
  /** How often the parents had been removed and created again when the collection was opened. */
  readonly generation: number
  /** What was there before the latest change of the parents, which may be undone. */
  readonly before?: Opened
}

/**
 * The collections below records, by their concrete paths. When a record is removed, the collections below it are gone, and when it
 * is created again, they start anew. That takes no work when a record is removed: a collection is valid only in the
 * generation of its parents in which it was opened. So undoing the removal brings it back, too.
 *
 * A collection that was only read is as it would be created again. So it is kept only while it is used often, and nothing else
 * depends on whether it was read.
 */
class NestedCollections {
  readonly #open: OpenRecords
  /** The records of a collection without parents, by its path. */
  readonly #topAt: (path: string) => Records | undefined
  readonly #opened: Map<string, Opened>
  /** Those that were only read, by their generation and name. */
  readonly #unchanged = new RecentCollections<EmptiedRecords>()
  readonly #opening = new Map<string, Promise<EmptiedRecords>>()

  constructor(
    open: OpenRecords,
    topAt: (path: string) => Records | undefined,
    opened: Iterable<readonly [name: string, Opened]> = [],
  ) {
    this.#open = open
    this.#topAt = topAt
    this.#opened = new Map(opened)
  }

  /** The same collections for another store. Changing one store does not change the other. */
  fork(open: OpenRecords, topAt: (path: string) => Records | undefined): NestedCollections {
    const opened = [...this.#opened].map(([name, one]) => [name, forkOf(one)] as const)
    return new NestedCollections(open, topAt, opened)
  }

  /** Adds the records of a collection, such as those of a snapshot. Those of its parents must be there. */
  async add(records: Records): Promise<void> {
    this.#keep({ records }, (await this.#place(records.name)).generation)
  }

  /** The records of a collection; `undefined` when it is not opened. */
  find(resource: Resource, parameters: PathValues): Awaitable<Records | undefined> {
    return this.#find(collectionName(resource, parameters))
  }

  #find(name: string): Awaitable<Records | undefined> {
    return whenKnown(this.#place(name), ({ generation }) => {
      const opened = this.#at(name, generation) ?? this.#unchanged.get(`${generation} ${name}`)
      return opened?.records
    })
  }

  /** The records of a collection. Below a removed record it has none at first if reading its list is a 404 there. */
  async open(resource: Resource, parameters: PathValues): Promise<Records> {
    const name = collectionName(resource, parameters)
    const { generation, isGone } = await this.#place(name)
    const opened = this.#at(name, generation)
    if (opened) return opened.records
    const key = `${generation} ${name}`
    const unchanged = this.#unchanged.get(key)
    if (unchanged) return unchanged.records
    const isEmpty = isGone && isHiddenBelowRemoved(resource)
    const first = (): Promise<EmptiedRecords> =>
      this.#open(resource, name, parameters).then((records) =>
        isEmpty ? emptied(records) : { records },
      )
    const opening = this.#opening.get(key) ?? first()
    this.#opening.set(key, opening)
    const begun = await opening.finally(() => this.#opening.delete(key))

    const present = this.#at(name, generation) ?? this.#unchanged.get(key)
    if (present) return present.records
    this.#unchanged.set(key, begun)
    begun.records.onChange = () => {
      begun.records.onChange = undefined
      this.#unchanged.delete(key)
      this.#keep(begun, generation)
    }
    return begun.records
  }

  /** Whether a collection is below a removed record, and nothing was created there since. */
  isBelowRemoved(resource: Resource, parameters: PathValues): Awaitable<boolean> {
    return whenKnown(this.#place(collectionName(resource, parameters)), ({ isGone }) => isGone)
  }

  /** The records of all changed collections whose parents are still the same, without those that are gone. */
  all(): Awaitable<readonly Records[]> {
    const all = allKnown([...this.#opened.keys()].map((name) => this.#findUsed(name)))
    return whenKnown(all, (found) => found.filter((records) => records !== undefined))
  }

  #findUsed(name: string): Awaitable<Records | undefined> {
    return whenKnown(this.#place(name), ({ generation }) => {
      const opened = this.#at(name, generation)
      if (!opened?.emptied) return opened?.records
      return whenKnown(wasUsed(opened), (isUsed) => (isUsed ? opened.records : undefined))
    })
  }

  #keep(begun: EmptiedRecords, generation: number): void {
    const { name } = begun.records
    const present = this.#opened.get(name)
    // A request may change what was there before its parents changed.
    const isLate = present !== undefined && present.generation > generation
    const [latest, before] = isLate
      ? [present, { ...begun, generation }]
      : [{ ...begun, generation }, present]
    this.#opened.set(name, { ...latest, ...(before && { before: withoutBefore(before) }) })
  }

  #at(name: string, generation: number): Opened | undefined {
    const opened = this.#opened.get(name)
    return [opened, opened?.before].find((one) => one?.generation === generation)
  }

  #place(name: string): Awaitable<Place> {
    return findPlace(name, [...name.split('/').keys()], {
      generation: (path, generation, id) =>
        this.#above(path, generation)?.records.generation(id) ?? 0,
      wasUsed: (path, generation) => {
        const opened = this.#above(path, generation)
        return opened ? wasUsed(opened) : false
      },
    })
  }

  #above(path: string, generation: number): EmptiedRecords | undefined {
    const top = this.#topAt(path)
    return top ? { records: top } : this.#at(path, generation)
  }
}

function withoutBefore({ before: _, ...opened }: Opened): Opened {
  return opened
}

function forkOf({ records, before, ...rest }: Opened): Opened {
  return { records: records.fork(), ...rest, ...(before && { before: forkOf(before) }) }
}
