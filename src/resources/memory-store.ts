import { type Awaitable, whenKnown } from '../records/awaitable.ts'
import type { PathValues } from './collection-name.ts'
import type { OpenRecords } from './create-records.ts'
import { NestedCollections } from './nested-collections.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'
import type { Store } from './store.ts'

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
