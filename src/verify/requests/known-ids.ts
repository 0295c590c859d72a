import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/is-object.ts'
import type { ProbeResponse } from './probe-messages.ts'

interface Known {
  readonly record: JsonObject
  /** Whether this run created the record, so that it may change and remove it. */
  readonly isCreated: boolean
}

/** The number of records that are kept for each collection. */
const MAX_RECORDS = 20

/** The records that responses contained, by the path of their collection, as the requests wrote it. */
export class KnownIds {
  readonly #records = new Map<string, readonly Known[]>()

  /** Remembers the records in the successful response to a GET or POST. */
  add({ request: { method, target }, status, json }: ProbeResponse): void {
    if (status < 200 || status >= 300 || json === undefined) return
    const path = pathOf(target)
    if (method === 'DELETE') this.#forget(path)
    if (method !== 'GET' && method !== 'POST') return
    const isCreated = method === 'POST'
    const found = (isCreated ? createdIn(json) : listedIn(json)).map((record) => ({
      record,
      isCreated,
    }))
    const known = this.#records.get(path) ?? []
    // The newest ones come first.
    this.#records.set(path, [...found, ...known].slice(0, MAX_RECORDS))
  }

  /** The id of a record of a collection for a path parameter; with `onlyCreated`, of one that this run created. */
  find(
    collection: string,
    parameter: string,
    { onlyCreated }: { readonly onlyCreated: boolean },
  ): string | number | undefined {
    const known = this.#records.get(collection) ?? []
    return known
      .filter(({ isCreated }) => isCreated || !onlyCreated)
      .map(({ record }) => idIn(record, parameter))
      .find((id) => id !== undefined)
  }

  /** A removed record has no id any more. */
  #forget(path: string): void {
    const at = path.lastIndexOf('/')
    const collection = path.slice(0, at)
    const id = decodeURIComponent(path.slice(at + 1))
    const others = this.#records
      .get(collection)
      ?.filter(({ record }) => !Object.values(record).some((value) => String(value) === id))
    if (others) this.#records.set(collection, others)
  }
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? target
}

/** The items of a list: of an array, or of the first array of objects in an envelope. */
function listedIn(json: unknown): readonly JsonObject[] {
  if (Array.isArray(json)) return json.slice(0, MAX_RECORDS).filter(isObject)
  if (!isObject(json)) return []
  const lists = Object.values(json).flatMap((value) =>
    isObject(value) ? [value, ...Object.values(value)] : [value],
  )
  const list = lists.find((value) => Array.isArray(value) && value.some(isObject))

  return Array.isArray(list) ? list.slice(0, MAX_RECORDS).filter(isObject) : []
}

/** A created record, also in an envelope. */
function createdIn(json: unknown): readonly JsonObject[] {
  if (!isObject(json)) return []
  const inner = Object.values(json).filter(isObject)
  return [json, ...inner]
}

/** The value of the property whose name ends the name of the parameter, as `id` ends `petId`. The longest name counts. */
function idIn(record: JsonObject, parameter: string): string | number | undefined {
  const wanted = plain(parameter)
  const [best] = Object.entries(record)
    .filter(([name]) => plain(name) !== '' && wanted.endsWith(plain(name)))
    .sort(([one], [other]) => other.length - one.length)
  const value = best?.[1] ?? record.id
  const isId = typeof value === 'number' || (typeof value === 'string' && isSegment(value))

  return isId ? value : undefined
}

function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
}

/** Whether a text can be the segment of a path. */
function isSegment(text: string): boolean {
  return !/^\.{0,2}$|[/\\\p{Surrogate}]/u.test(text)
}
