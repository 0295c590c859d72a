import type { JsonObject } from '../../document/json-value.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, type ProbeResponse } from './messages.ts'
import { idForParameter, listedIn, pathOf } from './record-address.ts'

/** A resource, identified by its path. */
type ResourcePath = Pick<Resource, 'path'>

interface SeenList {
  readonly records: readonly JsonObject[]
  /** Whether these are all records of the resource. */
  readonly isComplete: boolean
}

const EMPTY: SeenList = { records: [], isComplete: false }

/** The records of the server that earlier responses contained, by resource. */
export class SeenRecords {
  readonly #lists = new Map<string, SeenList>()
  readonly #created = new Map<string, JsonObject>()
  readonly #ids = new Map<string, Set<unknown>>()
  readonly #withNewId = new WeakSet<JsonObject>()

  /** The longest list of a resource so far. */
  list({ path }: ResourcePath): SeenList {
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

/** The number of records that are kept for each collection. */
const MAX_RECORDS = 20

/** The records that responses contained, by the path of their collection, as the requests wrote it. They are read, not changed. */
export class SeenIds {
  readonly #records = new Map<string, readonly JsonObject[]>()

  /** Remembers the records in the successful response to a GET or POST. */
  add({ request: { method, target }, status, json }: ProbeResponse): void {
    if (!isSuccess({ status }) || json === undefined) return
    const path = pathOf(target)
    if (method === 'DELETE') this.#forget(path)
    if (method !== 'GET' && method !== 'POST') return
    const found = method === 'POST' ? createdIn(json) : listedIn(json).slice(0, MAX_RECORDS)
    const known = this.#records.get(path) ?? []
    // The newest ones come first.
    this.#records.set(path, [...found, ...known].slice(0, MAX_RECORDS))
  }

  /** The id of a record of a collection for a path parameter. */
  find(collection: string, parameter: string): string | number | undefined {
    const known = this.#records.get(collection) ?? []
    return known.map((record) => idForParameter(record, parameter)).find((id) => id !== undefined)
  }

  /** A removed record has no id any more. */
  #forget(path: string): void {
    const at = path.lastIndexOf('/')
    const collection = path.slice(0, at)
    const id = decodeURIComponent(path.slice(at + 1))
    const others = this.#records
      .get(collection)
      ?.filter((record) => !Object.values(record).some((value) => String(value) === id))
    if (others) this.#records.set(collection, others)
  }
}

/** A created record, also in an envelope. */
function createdIn(json: unknown): readonly JsonObject[] {
  if (!isObject(json)) return []
  const inner = Object.values(json).filter(isObject)
  return [json, ...inner]
}
