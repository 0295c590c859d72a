import type { Contract } from '../contract/contract.ts'
import type { MissingRecords } from '../contract/missing-records.ts'
import type { ResourceHints } from '../contract/resource-hints.ts'
import { resourceNamed } from '../resources/bind.ts'
import { hasParents } from '../resources/collection-name.ts'
import { createRecords, type OpenRecords } from '../resources/create-records.ts'
import {
  createKnownCollections,
  type KnownCollections,
  type NamedResource,
} from '../resources/first-records/known-collections.ts'
import type { ConcreteCollection } from '../resources/first-records/planned-ids.ts'
import { type FirstRecords, SHIPPED_COUNT, startOf } from '../resources/first-records/start-of.ts'
import { withIds } from '../resources/ids/with-ids.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import { MemoryStore } from '../resources/memory-store.ts'
import { completeRecord } from '../resources/record-values.ts'
import type { Records, RecordsSnapshot } from '../resources/records.ts'
import type { Resource } from '../resources/resource.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Settings } from './settings.ts'

/** A store with given records, or with records of the document's examples and generated ones, created when a request needs them. */
export async function createOtherFirstStore(
  settings: Settings,
  resources: () => readonly Resource[],
  records: FirstRecords,
  now: number,
): Promise<MemoryStore> {
  const first = new FirstCollections(settings, records, now)
  const given = typeof records === 'object' ? resources().filter((one) => first.isGiven(one)) : []
  try {
    const opened = given.map((one) => first.open(one, one.name, {}))
    return new MemoryStore(first.open, await Promise.all(opened))
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
  #known: KnownCollections | undefined

  constructor(settings: Settings, records: FirstRecords, now: number) {
    this.#settings = settings
    this.#records = records
    this.#now = now
  }

  /** Whether the records of a collection at the top are given, or it starts empty. */
  isGiven(resource: Resource): boolean {
    const start = startOf(this.#records, resource, resource.name)
    return !hasParents(resource) && (start === 0 || typeof start === 'object')
  }

  /** Creates a collection. Rejects with an InvalidRecordError when given records are invalid. */
  readonly open: OpenRecords = async (named, name, parameters) => {
    const { seed, contract } = this.#settings
    const resource = withIds(named)
    const records = createRecords(resource, seed, name)
    const start = startOf(this.#records, resource, name)
    if (typeof start === 'object') {
      const singleId = resource.isSingle && { [resource.id]: name.slice(name.lastIndexOf('/') + 1) }
      const rows = start.map((row) => completeRecord(resource, { ...row, ...singleId }, this.#now))
      await records.restore({ rows })
      return records
    }
    const count = start === 'default' ? undefined : start
    const created = resource.operations
      ? await this.#create({ resource, name, parameters }, count)
      : await generate(resource, count ?? SHIPPED_COUNT, this.#settings)
    const failure = (await addAll(records, created)) ?? created.failure
    if (failure) report(contract, { ...failure, path: resource.path, count: await records.count() })

    return records
  }

  async #create(collection: ConcreteCollection, count: number | undefined): Promise<Created> {
    const { createFirstRecords } = await import(
      '../resources/first-records/create-first-records.ts'
    )
    const { seed, locale } = this.#settings
    return createFirstRecords({
      ...collection,
      count,
      seed,
      locale,
      collections: this.#collections(),
    })
  }

  #collections(): KnownCollections {
    const { contract, seed } = this.#settings
    this.#known ??= createKnownCollections(
      Object.values(contract.resources ?? {})
        .flatMap((hints) => hints ?? [])
        .map(namedIn(contract)),
      (resource, name) => startOf(this.#records, resource, name),
      seed,
    )
    return this.#known
  }
}

function namedIn(contract: Contract): (hints: ResourceHints) => NamedResource {
  return ({ name, path }) => ({
    ...{ name, path },
    get: () => {
      const resource = resourceNamed(contract, name)
      return resource && withIds(resource)
    },
  })
}

async function generate(
  resource: Resource,
  count: number,
  { seed, locale }: Settings,
): Promise<Created> {
  if (count === 0) return { rows: [] }
  const { generateRecords } = await import('../resources/generate-records.ts')
  try {
    return {
      rows: (await generateRecords([resource], count, seed, locale)).get(resource.name) ?? [],
    }
  } catch (error) {
    if (!(error instanceof UsageError && error.cause instanceof InvalidRecordError)) throw error
    const { at } = error.cause
    return { rows: [], failure: { property: at?.property ?? [], reason: error.reason } }
  }
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
