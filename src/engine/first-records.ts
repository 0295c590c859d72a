import type { Contract, MissingRecords } from '../contract/contract.ts'
import type { ResourceHints } from '../contract/hints.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { pathsOf, resourceNamed } from '../resources/bind.ts'
import { hasParents, type PathValues } from '../resources/collection-name.ts'
import {
  type BoundParents,
  boundParents,
  type ParentRecord,
  parentRecords,
} from '../resources/first-records/bound-parents.ts'
import type { FirstRecordsRequest } from '../resources/first-records/create-first-records.ts'
import type { ConcreteCollection } from '../resources/first-records/planned-ids.ts'
import { MOST_RECORDS } from '../resources/first-records/planned-ids.ts'
import type { Collections, NamedResource } from '../resources/first-records/references.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import { completeRecord } from '../resources/record-values.ts'
import type { Resource } from '../resources/resource.ts'
import { type FirstRecords, startOf } from '../resources/start-of.ts'
import { MemoryCollections } from '../resources/store/memory-collections.ts'
import { RecentCollections } from '../resources/store/recent-collections.ts'
import {
  createRecords,
  type OpenRecords,
  type Records,
  type RecordsSnapshot,
  restoreRecords,
} from '../resources/store/records.ts'
import { Store } from '../resources/store/store.ts'
import { withIds } from '../resources/with-ids.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Settings } from './settings.ts'

/**
 * The store that worlds start with: with given records, with those that the document names, or with records of its examples and
 * generated ones. Records that are generated are created when a request needs them, because an API may have hundreds of
 * collections. Rejects with a UsageError for given records that are invalid.
 */
export async function createFirstStore(
  settings: Settings,
  resources: () => readonly Resource[],
  records: FirstRecords,
  now: number,
): Promise<Store> {
  const first = new FirstCollections(settings, records, now)
  const mayBeKnown =
    typeof records === 'object' || records === 0 || settings.contract.sandbox?.records
  const given = mayBeKnown ? resources().filter((one) => first.isKnown(one)) : []
  try {
    const opened = await Promise.all(given.map((one) => first.open(one, one.name, {})))
    const collections = new MemoryCollections()
    for (const records of opened) await collections.add(records)
    return new Store(first.open, collections)
  } catch (cause) {
    if (!(cause instanceof InvalidRecordError)) throw cause
    throw new UsageError({
      code: 'invalid_seed',
      task: `create the first records of ${settings.contract.title}`,
      reason: cause.message,
      cause,
    })
  }
}

type Failure = Pick<MissingRecords, 'property' | 'reason'>

/** Some first records, and why there are no more. */
interface Created extends RecordsSnapshot {
  readonly failure?: Failure
}

/** What each collection of a document starts with. */
class FirstCollections {
  readonly #settings: Settings
  readonly #records: FirstRecords
  readonly #now: number
  readonly #collections: Collections
  /** What the collections above others start with: always the same, and the same for all collections below them. */
  readonly #above = new RecentCollections<Promise<readonly ParentRecord[]>>()

  constructor(settings: Settings, records: FirstRecords, now: number) {
    this.#settings = settings
    this.#records = records
    this.#now = now
    const { contract, seed } = settings
    this.#collections = {
      resources: () =>
        Object.entries(pathsOf(contract)).map(([name, path]) => namedIn(contract)({ name, path })),
      startOf: (resource, name) => startOf(records, resource, name),
      seed,
    }
  }

  /** Whether the records of a collection at the top are known without generating any. */
  isKnown(resource: Resource): boolean {
    const start = startOf(this.#records, resource, resource.name)
    const isGiven = start === 0 || typeof start === 'object'
    return (
      !hasParents(resource) &&
      (isGiven || this.#named(resource, resource.name, start) !== undefined)
    )
  }

  /** Creates a collection. Rejects with an InvalidRecordError when given records are invalid. */
  readonly open: OpenRecords = async (declared, name, parameters, count) => {
    const { seed, contract } = this.#settings
    const resource = await withIds(declared)
    if (resource.startsEmpty) return createRecords(resource, seed, name)
    const start = startOf(this.#records, resource, name)
    if (typeof start === 'object') {
      const singleId = resource.isSingle && { [resource.id]: name.slice(name.lastIndexOf('/') + 1) }
      const rows = start.map((row) => completeRecord(resource, { ...row, ...singleId }, this.#now))
      return restoreRecords(resource, { rows }, seed, name)
    }
    const records = createRecords(resource, seed, name)
    if (count === 0 && !resource.isSingle) return records
    const most = start === 'default' && count !== undefined ? Math.min(count, MOST_RECORDS) : start
    const parents = resource.aliases && (await this.#parentsOf(resource, parameters))
    const unmade = await this.#openUnmade({ resource, name, parameters }, most, parents)
    if (unmade) return unmade
    const created = await this.#create({ resource, name, parameters }, most, parents)
    const failure = (await addAll(records, created)) ?? created.failure
    if (failure) report(contract, { ...failure, path: resource.path, count: await records.count() })

    return records
  }

  /** The records above those of a collection that other paths name. */
  async #parentsOf(resource: Resource, own: PathValues): Promise<BoundParents | undefined> {
    return boundParents(resource, own, (declared, name, parameters) => {
      const finding = this.#above.get(name) ?? this.#findParents(declared, name, parameters)
      this.#above.set(name, finding)
      return finding
    })
  }

  async #findParents(
    declared: Resource,
    name: string,
    parameters: PathValues,
  ): Promise<readonly ParentRecord[]> {
    const resource = await withIds(declared)
    const start = startOf(this.#records, resource, name)
    const rows =
      typeof start === 'object'
        ? start.map((row) => completeRecord(resource, row, this.#now))
        : (await this.#create({ resource, name, parameters }, start)).rows
    return parentRecords(rows, resource)
  }

  /** The records that are made when they are read. What keeps a page's state has no time to make them when the page ends. */
  async #openUnmade(
    collection: ConcreteCollection,
    start: number | 'default',
    parents?: BoundParents,
  ): Promise<Records | undefined> {
    const { resource, name } = collection
    const isKept = this.#settings.persist === 'session'
    if (isKept || this.#named(resource, name, start)) return undefined
    const { openUnmade } = await import('../resources/first-records/create-first-records.ts')
    return openUnmade(this.#requestFor(collection, start, parents))
  }

  async #create(
    collection: ConcreteCollection,
    start: number | 'default',
    parents?: BoundParents,
  ): Promise<Created> {
    const { resource, name } = collection
    const rows = this.#named(resource, name, start)
    if (rows) return { rows }
    const { createFirstRecords } = await import(
      '../resources/first-records/create-first-records.ts'
    )
    return createFirstRecords(this.#requestFor(collection, start, parents))
  }

  #requestFor(
    collection: ConcreteCollection,
    start: number | 'default',
    parents: BoundParents | undefined,
  ): FirstRecordsRequest {
    const { seed, locale } = this.#settings
    const named = this.#recordsOf(collection.resource, collection.name)
    return {
      ...collection,
      hasExamples: !named,
      below: typeof this.#records === 'number' ? this.#records : undefined,
      count: start === 'default' ? named?.length : start,
      seed,
      locale,
      collections: this.#collections,
      parents,
    }
  }

  /** The records that the document names, if there are enough of them. They are those of the first seed, in English. */
  #named(
    resource: Resource,
    name: string,
    count: number | 'default',
  ): readonly StoredRecord[] | undefined {
    const { seed, locale } = this.#settings
    if (seed !== 1 || locale) return undefined
    const all = this.#recordsOf(resource, name)
    if (count === 'default') return all
    return all && count <= all.length ? all.slice(0, count) : undefined
  }

  /** All records of a collection that the document names. */
  #recordsOf(resource: Resource, name: string): readonly StoredRecord[] | undefined {
    const { records } = this.#settings.contract.sandbox ?? {}
    const start = records && startOf(records, resource, name)
    return typeof start === 'object' ? start : undefined
  }
}

type NamedPath = Pick<ResourceHints, 'name' | 'path'>

function namedIn(contract: Contract): (resource: NamedPath) => NamedResource {
  return ({ name, path }) => ({
    ...{ name, path },
    get: () => {
      const resource = resourceNamed(contract, name)
      return resource && withIds(resource)
    },
  })
}

/** Adds records, without those that are not valid. Resolves with the reason of the first of these. */
async function addAll(records: Records, { rows, ids }: Created): Promise<Failure | undefined> {
  try {
    await records.restore({ rows, ...(ids !== undefined && { ids }) })
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidRecordError)) throw error
  }
  let failure: Failure | undefined
  for (const row of rows) {
    await records.restore({ rows: [row] }).catch((error: unknown) => {
      if (!(error instanceof InvalidRecordError)) throw error
      failure ??= { property: error.at?.property ?? [], reason: error.message }
    })
  }
  return failure
}

/** Tells the loader of the document. A contract from elsewhere has none. */
function report({ onRecordsMissing = warn }: Contract, missing: MissingRecords): void {
  onRecordsMissing(missing)
}

function warn({ path, reason }: MissingRecords): void {
  // biome-ignore lint/suspicious/noConsole: Without records, tests fail for no visible reason.
  console.warn(`pet-sandbox: records of ${path} cannot be generated: ${reason}`)
}
