import type { JsonObject } from '../../document/json-value.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { idForParameter, listedIn, pathOf } from '../record-address.ts'

/** What is known about the records of a resource. */
interface Seen {
  /** The longest list so far. */
  records: readonly JsonObject[]
  /** Whether these are all records of the resource. */
  isComplete: boolean
  /** The record that was created last. */
  created?: JsonObject | undefined
  readonly ids: Set<unknown>
}

/** The records of the server that earlier responses contained, by resource. */
export class SeenRecords {
  readonly #seen = new Map<string, Seen>()
  readonly #withNewId = new WeakSet<JsonObject>()

  /** The longest list of a resource so far. */
  list({ path }: Resource): Seen {
    const seen = this.#seen.get(path) ?? { records: [], isComplete: false, ids: new Set() }
    this.#seen.set(path, seen)
    return seen
  }

  /** The first record of that list. */
  first(resource: Resource): JsonObject | undefined {
    return this.list(resource).records[0]
  }

  /** The record of that list with the most content, which shows best what a list leaves out. */
  fullest(resource: Resource): JsonObject | undefined {
    const lengthOf = (record: JsonObject): number => JSON.stringify(record).length
    return this.list(resource).records.reduce<JsonObject | undefined>(
      (most, record) => (most && lengthOf(most) >= lengthOf(record) ? most : record),
      undefined,
    )
  }

  /** The record that was created last. */
  created(resource: Resource): JsonObject | undefined {
    return this.list(resource).created
  }

  /** Whether the server gave a created record an id that no known record had. */
  isNew(record: JsonObject): boolean {
    return this.#withNewId.has(record)
  }

  addList(resource: Resource, records: readonly JsonObject[], isComplete: boolean): void {
    const seen = this.list(resource)
    for (const record of records) seen.ids.add(record[resource.id])
    if (isComplete || records.length > seen.records.length) {
      Object.assign(seen, { records, isComplete })
    }
  }

  addCreated(resource: Resource, record: JsonObject): void {
    const seen = this.list(resource)
    const id = record[resource.id]
    if (id !== undefined && !seen.ids.has(id)) this.#withNewId.add(record)
    seen.ids.add(id)
    seen.created = record
    seen.records = [...seen.records, record]
  }

  /** Forgets a removed record. */
  removeCreated(resource: Resource, removed: string): void {
    const seen = this.list(resource)
    const isRemoved = (record: JsonObject): boolean => String(record[resource.id]) === removed
    seen.records = seen.records.filter((record) => !isRemoved(record))
    if (seen.created && isRemoved(seen.created)) seen.created = undefined
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

  /** The records of a collection that were shown, the newest responses first. */
  recordsOf(collection: string): readonly JsonObject[] {
    return this.#records.get(collection) ?? []
  }

  /** The record at a path, as it was shown last; `undefined` when it was not, or is no longer known. */
  recordAt(path: string): JsonObject | undefined {
    const at = path.lastIndexOf('/')
    const id = decodeURIComponent(path.slice(at + 1))
    const known = this.#records.get(path.slice(0, at)) ?? []
    return known.find((record) => Object.values(record).some((value) => String(value) === id))
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
