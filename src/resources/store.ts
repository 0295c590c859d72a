import { type Awaitable, whenKnown } from '../state/awaitable.ts'
import type { PathValues } from './collection-name.ts'
import type { OpenRecords } from './create-records.ts'
import type { NestedCollections } from './nested-collections.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'

/**
 * The records of each collection, which are created when they are first needed. A resource has one collection; a resource with
 * parents has one for each combination of them, such as `orgs/acme/repos`.
 */
export class Store {
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

  /** The collections that were needed until now. */
  opened(): Awaitable<readonly Records[]> {
    const own = [...this.#opened.values()]
    return this.#nested ? whenKnown(this.#nested.all(), (all) => [...own, ...all]) : own
  }

  /** The records of a resource without parents, by its name; `undefined` when they were not needed until now. */
  get(name: string): Records | undefined {
    return this.#opened.get(name)
  }

  /** The records of a collection; `undefined` when they were not needed until now. */
  find(resource: Resource, parameters: PathValues = {}): Awaitable<Records | undefined> {
    if (!resource.parents?.length) return this.#opened.get(resource.name)
    return whenKnown(this.#loadNested(), (nested) => nested.find(resource, parameters))
  }

  /** The records of a collection. Creates them when they are needed for the first time; below a removed record there are none. */
  async open(resource: Resource, parameters: PathValues = {}): Promise<Records> {
    const { name, parents } = resource
    if (parents?.length) return (await this.#loadNested()).open(resource, parameters)
    const opened = this.#opened.get(name)
    if (opened) return opened
    const opening = this.#opening.get(name) ?? this.#open(resource, name, {})
    this.#opening.set(name, opening)
    const records = await opening

    return this.#opened.get(name) ?? this.#keep(records)
  }

  /** Whether a collection is below a removed record, and has no record that was created there since. */
  isBelowRemoved(resource: Resource, parameters: PathValues = {}): Awaitable<boolean> {
    if (!resource.parents?.length) return false
    return whenKnown(this.#loadNested(), (nested) => nested.isBelowRemoved(resource, parameters))
  }

  /** Adds a collection, such as that of a snapshot. The collections of its parents must be there. */
  async add(records: Records): Promise<void> {
    if (records.resource.parents?.length) await (await this.#loadNested()).add(records)
    else this.#keep(records)
  }

  /** A store with the same records. Changing one store does not change the other. */
  fork(): Store {
    return this.#forkWith(this.#open)
  }

  /** A store that starts with the records of this one, which never changes. */
  createWorldStore(): Store {
    return this.#forkWith(this.startRecords)
  }

  /** The records with which a world starts that starts with those of this store. */
  readonly startRecords: OpenRecords = async (resource, name, parameters) => {
    if (!resource.parents?.length) return (await this.open(resource)).fork()
    const own = await this.find(resource, parameters)
    // They are generated again for each world: there are too many combinations of parents to keep them all.
    return own ? own.fork() : this.#open(resource, name, parameters)
  }

  #forkWith(open: OpenRecords): Store {
    const fork = new Store(
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

  #loadNested(): Awaitable<NestedCollections> {
    return (
      this.#nested ??
      import('./nested-collections.ts').then((loaded) => {
        this.#nested ??= new loaded.NestedCollections(this.#open, this.#at)
        return this.#nested
      })
    )
  }
}
