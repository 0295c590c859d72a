import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from './probe-messages.ts'
import { idForParameter, listedIn } from './shown-ids.ts'

/** The number of records that are kept for each collection. */
const MAX_RECORDS = 20

/** The records that responses contained, by the path of their collection, as the requests wrote it. They are read, not changed. */
export class KnownIds {
  readonly #records = new Map<string, readonly JsonObject[]>()

  /** Remembers the records in the successful response to a GET or POST. */
  add({ request: { method, target }, status, json }: ProbeResponse): void {
    if (status < 200 || status >= 300 || json === undefined) return
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

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? target
}

/** A created record, also in an envelope. */
function createdIn(json: unknown): readonly JsonObject[] {
  if (!isObject(json)) return []
  const inner = Object.values(json).filter(isObject)
  return [json, ...inner]
}
