import { isObject } from '../../validation/objects.ts'
import type { Id } from '../record-table.ts'
import type { VersionedRecord } from '../stored-records.ts'
import { textIn } from './reply.ts'
import { corruptValue } from './store-errors.ts'

/** The state of a collection as the store has it. */
export interface ReadState {
  readonly ids: number
  readonly orders: readonly string[]
  /** The orders that have all records. */
  readonly ready: readonly string[]
  readonly emptied?: readonly Id[]
}

/** Reads the text of a record: its version, its generation, and its JSON unless it is removed. `key` is named by errors. */
export function readRecord(id: Id, text: string, key: string): VersionedRecord {
  const [, version, generation, json] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? []
  if (version === undefined || json === undefined) throw corruptValue(key)
  const record = json === '' ? undefined : parse(json, key)
  if (record !== undefined && !isObject(record)) throw corruptValue(key)

  return { id, version, generation: Number(generation), record }
}

/** Reads an id in the member of an index. */
export function readId(text: string, key: string): Id {
  const id = parse(text, key)
  if (isId(id)) return id
  throw corruptValue(key)
}

/** Reads a list of names, such as those of properties. */
export function readNames(value: unknown, key: string): readonly string[] {
  const list = parse(textIn(value, key), key)
  if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list
  throw corruptValue(key)
}

/** Reads a list of ids; `undefined` when there is none. */
export function readIds(value: unknown, key: string): readonly Id[] | undefined {
  if (value === null || value === undefined) return undefined
  const list = parse(textIn(value, key), key)
  if (Array.isArray(list) && list.every(isId)) return list
  throw corruptValue(key)
}

/** The name of a collection from its form in keys. */
export function readCollectionName(text: string, key: string): string {
  try {
    const name: unknown = JSON.parse(`"${decodeURIComponent(text)}"`)
    if (typeof name === 'string') return name
  } catch {}
  throw corruptValue(key)
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number'
}

function parse(text: string, key: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw corruptValue(key)
  }
}
