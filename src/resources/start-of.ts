import type { StoredRecord } from '../records/record-table.ts'
import { getOwn } from '../validation/objects.ts'

/**
 * The records that a world starts with: how many in each collection, or the records or their number by collection. `default` is a
 * number that suits each collection.
 */
export type FirstRecords = 'default' | number | RecordsByCollection

/** The records, or their number, by the names or concrete paths of collections, and by `*` for every other collection. */
export type RecordsByCollection = Readonly<Record<string, Start>>

/** What a collection starts with. */
export type Start = readonly StoredRecord[] | number | 'default'

/** The name for every collection that is not named. */
export const OTHERS = '*'

/** A collection, or collections below parents: their name and path. */
export interface NamedCollection {
  readonly name: string
  readonly path: string
  /** The name of the schema of the records; absent when the document does not name it. */
  readonly schemaName?: string | undefined
}

/** Whether a name is that of a resource, or the concrete path of one of its collections. */
export function isCollectionOf({ name, path }: NamedCollection, given: string): boolean {
  if (given === name) return true
  const segments = path.split('/').slice(1)
  const own = given.replace(/^\//, '').split('/')
  return (
    own.length === segments.length &&
    segments.every((segment, at) =>
      segment.startsWith('{') ? own[at] !== '' : own[at] === segment,
    )
  )
}

/** What a collection starts with: its records or how many, by its concrete name, its resource, or the number of all others. */
export function startOf(records: FirstRecords, resource: NamedCollection, name: string): Start {
  if (typeof records !== 'object') return records
  const own = getOwn(records, name) ?? getOwn(records, `/${name}`)
  return own ?? getOwn(records, resource.name) ?? getOwn(records, OTHERS) ?? 0
}
