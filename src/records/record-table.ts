import { largeInteger } from '../validation/large-integers.ts'
import { setOwn } from '../validation/objects.ts'
import type { Awaitable } from './awaitable.ts'
import type { RecordSelection } from './selection.ts'

/** The identifier of a record within its collection. */
export type Id = number | string

/** A record as it is stored. It is never changed in place: a change makes a new one. */
export type StoredRecord = Readonly<Record<string, unknown>>

/** A page of a list. */
export interface Page<R extends StoredRecord = StoredRecord> {
  readonly records: readonly R[]
  /** The id of the last record; absent when no more records follow. */
  readonly next?: Id
  /** The id of the first record when more records precede it; only for a page before a record. */
  readonly previous?: Id
}

/** Which records a page has, and their order. */
export interface PageQuery extends RecordSelection {
  /** Default: in ascending order of the ids. */
  readonly sort?: Sort
  /** Records up to and including this one are left out. */
  readonly after?: Id | Position | undefined
  /** This record and those that follow it are left out. Then the page has the last of the others. */
  readonly before?: Id | Position | undefined
  /** How many records are left out, besides those of `after` and `before`. Default: none. */
  readonly skip?: number
  /** The most records; default: all. */
  readonly limit?: number
}

/**
 * The order of a list. Numbers come first, then texts by their code units, `false` and `true`, and everything else last. Records
 * with the same value are in the order of their ids.
 */
export interface Sort {
  /** The property; default: the id. */
  readonly by?: string
  /** Whether the order is reversed. Default: no. */
  readonly descending?: boolean
}

/** The place of a record in a sorted list. It stays the same place when the record is removed. */
export interface Position {
  readonly id: Id
  /** The value of the property by which the list is sorted. */
  readonly value?: unknown
}

/**
 * The records of one collection, in memory or in a database. All that it takes and returns is plain data. Each method costs the
 * same however many records there are.
 *
 * What was decided on a record that has changed since is not written: `put` and `delete` are told which record they replace.
 * That is the one that the table returned, which stands for its version.
 */
export interface RecordTable {
  /** Counts the changes in memory; always 0 in a transaction, which knows what it has read. */
  readonly version: number
  get(id: Id): Awaitable<StoredRecord | undefined>
  /**
   * Whether there is a record with a generated id. A shared store may answer "no" without a look: then it refuses the record when it
   * is written, and the request is decided again.
   */
  isTaken(id: Id): Awaitable<boolean>
  /**
   * Puts a record in the place of the present one, or adds it when `present` is `undefined`. Resolves with the stored copy;
   * with `undefined`, and without a change, when the present record is another one. In the same step, the state of the ids
   * advances, if it is still `from`.
   */
  put(
    id: Id,
    record: StoredRecord,
    present: StoredRecord | undefined,
    ids?: { readonly from: number; readonly to: number },
  ): Awaitable<StoredRecord | undefined>
  /** Removes a record. Returns `false`, and removes nothing, when the present record is another one. */
  delete(id: Id, present: StoredRecord): Awaitable<boolean>
  /** A page. Of a large collection, only a query with properties that the table has an index of, and without tests, costs the same. */
  page(query: PageQuery): Awaitable<Page>
  /** How many records are selected. */
  count(selection?: RecordSelection): Awaitable<number>
  /** The state of the generator of ids. */
  idState(): Awaitable<number>
  /** Changes the state of the generator of ids. Returns `false`, and changes nothing, when it is not `from` any more. */
  advanceIds(from: number, to: number): Awaitable<boolean>
  /** How often a record was deleted, and put again after that: an odd number while it is deleted. */
  generation(id: Id): Awaitable<number>
  /** Changes the generation of a record when its deletion, or its creation after one, is undone. */
  setGeneration(id: Id, generation: number): Awaitable<void>
  /** The ids of the deleted records, as text. */
  removed(): Awaitable<readonly string[]>
  /** A table with the same contents. Changing one table does not change the other. */
  fork(): RecordTable
}

/** A text for an id, which tells the number 7 from the text `7`. */
export function idKey(id: Id): string {
  return typeof id === 'number' ? `#${id}` : `"${id}`
}

/** The ids with the same text: generations count by text. */
export function idsLike(id: Id): readonly Id[] {
  const text = String(id)
  if (String(Number(text)) === text) return [text, Number(text)]
  const large = largeInteger(text)
  return large === undefined ? [text] : [text, large]
}

/** The keys of a value in the index: of a list, those of its items. */
export function keysOf(value: unknown): readonly Id[] {
  return Array.isArray(value) ? value.map(keyOf) : [keyOf(value)]
}

/** The key of a value in the index. Only objects share one: they are compared when they are found. */
export function keyOf(value: unknown): Id {
  if (typeof value === 'string') return value.startsWith('\0') ? `\0${value}` : value
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  return hasObjects(value) ? '\0object' : `\0${value}`
}

/** Whether the key of a value may be that of another value. */
export function hasObjects(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** A deep copy of a JSON value. For small records it takes a third of the time of `structuredClone`. */
export function copyJson<T>(value: T): T
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => copyJson(member))
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name)
    setOwn(copy, name, typeof member === 'object' ? copyJson(member) : member)
  }
  return copy
}
