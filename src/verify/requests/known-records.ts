import type { JsonObject } from '../../document/json-value.ts'
import type { Resource } from '../../resources/resource.ts'

/** A resource, identified by its path. */
type ResourcePath = Pick<Resource, 'path'>

interface KnownList {
  readonly records: readonly JsonObject[]
  /** Whether these are all records of the resource. */
  readonly isComplete: boolean
}

const EMPTY: KnownList = { records: [], isComplete: false }

/** The records of the server that earlier responses contained, by resource. */
export class KnownRecords {
  readonly #lists = new Map<string, KnownList>()
  readonly #created = new Map<string, JsonObject>()
  readonly #ids = new Map<string, Set<unknown>>()
  readonly #withNewId = new WeakSet<JsonObject>()

  /** The longest list of a resource so far. */
  list({ path }: ResourcePath): KnownList {
    return this.#lists.get(path) ?? EMPTY
  }

  /** The first record of that list. */
  first(resource: ResourcePath): JsonObject | undefined {
    return this.list(resource).records[0]
  }

  /** The record that was created last. */
  created({ path }: ResourcePath): JsonObject | undefined {
    return this.#created.get(path)
  }

  /** Whether the server gave a created record an id that no known record had. */
  isNew(record: JsonObject): boolean {
    return this.#withNewId.has(record)
  }

  addList(resource: Resource, records: readonly JsonObject[], isComplete: boolean): void {
    for (const record of records) this.#idsOf(resource).add(record[resource.id])
    if (isComplete || records.length > this.list(resource).records.length) {
      this.#lists.set(resource.path, { records, isComplete })
    }
  }

  addCreated(resource: Resource, record: JsonObject): void {
    const { path, id } = resource
    const ids = this.#idsOf(resource)
    if (record[id] !== undefined && !ids.has(record[id])) this.#withNewId.add(record)
    ids.add(record[id])
    this.#created.set(path, record)
    const { records, isComplete } = this.list(resource)
    this.#lists.set(path, { records: [...records, record], isComplete })
  }

  /** Forgets a removed record. */
  removeCreated({ path, id }: Resource, removed: string): void {
    const { records, isComplete } = this.list({ path })
    const others = records.filter((record) => String(record[id]) !== removed)
    this.#lists.set(path, { records: others, isComplete })
    if (String(this.#created.get(path)?.[id]) === removed) this.#created.delete(path)
  }

  #idsOf({ path }: ResourcePath): Set<unknown> {
    const ids = this.#ids.get(path) ?? new Set()
    this.#ids.set(path, ids)
    return ids
  }
}
