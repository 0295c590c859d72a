import { createIdGenerator, type IdGenerator } from './id-generator.ts'
import { Records, type RecordsSnapshot } from './records.ts'
import type { Resource } from './resource.ts'

/** Creates the first records of a resource. */
type OpenRecords = (resource: Resource) => Promise<Records>

/** The records of each resource. Those of a resource are created when they are first needed. */
export class Store {
  readonly #open: OpenRecords
  readonly #opening = new Map<string, Promise<Records>>()
  readonly #opened = new Map<string, Records>()

  /** A store with some records that exist already. */
  constructor(open: OpenRecords, opened: Iterable<readonly [name: string, Records]> = []) {
    this.#open = open
    for (const [name, records] of opened) this.#opened.set(name, records)
  }

  /** The records of the resources that were needed until now, by the name of the resource. */
  get opened(): ReadonlyMap<string, Records> {
    return this.#opened
  }

  /** The records of a resource by its name; `undefined` when they were not needed until now. */
  get(name: string): Records | undefined {
    return this.#opened.get(name)
  }

  /** The records of a resource. Creates them when they are needed for the first time. */
  async open(resource: Resource): Promise<Records> {
    const { name } = resource
    const opened = this.#opened.get(name)
    if (opened) return opened
    const opening = this.#opening.get(name) ?? this.#open(resource)
    this.#opening.set(name, opening)
    const records = this.#opened.get(name) ?? (await opening)
    this.#opened.set(name, this.#opened.get(name) ?? records)

    return this.#opened.get(name) ?? records
  }

  /** A store with the same records. Changing one store does not change the other. */
  fork(): Store {
    return new Store(this.#open, this.#forks())
  }

  /** A store that starts with the records of this one, which never changes. */
  createWorldStore(): Store {
    return new Store(async (resource) => (await this.open(resource)).fork(), this.#forks())
  }

  #forks(): readonly (readonly [name: string, Records])[] {
    return [...this.#opened].map(([name, records]) => [name, records.fork()] as const)
  }
}

/** Creates a store with these records. Ids are generated from the seed. Rejects with an InvalidRecordError. */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
  open: OpenRecords = async (resource) => createRecords(resource, seed),
): Promise<Store> {
  const opened: (readonly [name: string, Records])[] = []
  for (const resource of resources) {
    const records = createRecords(resource, seed)
    await records.restore(snapshots.get(resource.name) ?? { rows: [] })
    opened.push([resource.name, records])
  }
  return new Store(open, opened)
}

/** The records of a resource, without any yet. */
export function createRecords(resource: Resource, seed: number): Records {
  return new Records(resource, idGeneratorOf(resource, seed))
}

function idGeneratorOf(resource: Resource, seed: number): IdGenerator {
  const generator = createIdGenerator(resource.idSchema, seed)
  if (!generator) throw new TypeError(`Cannot generate ids for ${resource.name}`)
  return generator
}
