import { getOwn } from '../../validation/objects.ts'
import { keysOf } from '../conditions.ts'
import type { Id, StoredRecord } from '../record-table.ts'
import { sortKey } from '../sort-key.ts'
import type { RecordWrite } from '../stored-commit.ts'
import { idText } from './keys.ts'

// Indexes are sorted sets whose members all have the score 0, so that the store orders them by their bytes. A member is the text
// by which records are ordered, two NUL characters, and the id as JSON.

/** A member that an index gets or loses. */
export interface IndexChange {
  /** What the key of the index has after that of the collection, such as `i` for that of the ids. */
  readonly suffix: string
  readonly member: string
  readonly isAdded: boolean
}

/** The index of the ids of all records. */
export const ID_INDEX = 'i'

/** The index of the removed records. */
export const REMOVED_INDEX = 'removed'

/** The index of the records that have one value of a property. `key` is that of `keysOf`. */
export function filterIndex(property: string, key: Id): string {
  return `f:${encodeURIComponent(property)}:${idText(key)}`
}

/** The index of all records in the order of a property. */
export function orderIndex(property: string): string {
  return `o:${encodeURIComponent(property)}`
}

/** The member of a record in the order of a value; in that of the ids without one. */
export function memberOf(id: Id, value?: unknown): string {
  return `${byteOrdered(sortKey(value, id))}\0\0${idText(id)}`
}

/** What a write changes in the indexes of its collection. */
export function indexChanges(write: RecordWrite): readonly IndexChange[] {
  const { version, before, after } = write
  const old = version === '' ? new Map<string, string>() : membersOf(write, before)
  const next = membersOf(write, after)
  const lost = [...old].filter(([suffix, member]) => next.get(suffix) !== member)
  const added = [...next].filter(([suffix, member]) => old.get(suffix) !== member)

  return [
    ...lost.map(([suffix, member]) => ({ suffix, member, isAdded: false })),
    ...added.map(([suffix, member]) => ({ suffix, member, isAdded: true })),
  ]
}

/** The members of a record by the suffixes of their indexes. */
function membersOf(
  { id, filters, orders }: Pick<RecordWrite, 'id' | 'filters' | 'orders'>,
  record: StoredRecord | undefined,
): ReadonlyMap<string, string> {
  const member = memberOf(id)
  if (!record) return new Map([[REMOVED_INDEX, member]])

  return new Map([
    [ID_INDEX, member],
    ...filters.flatMap((name) =>
      keysOf(getOwn(record, name)).map((key) => [filterIndex(name, key), member] as const),
    ),
    ...orders.map((name) => [orderIndex(name), memberOf(id, getOwn(record, name))] as const),
  ])
}

const FIRST_ESCAPED = 0xd7ff

/**
 * A text whose UTF-8 bytes are in the order of the code units of the given one. In UTF-8, a pair of surrogates comes after U+FFFF,
 * and a lone one does not exist. So each surrogate becomes U+D7FF, the character before them, and its number among them.
 */
function byteOrdered(text: string): string {
  return text.replace(
    /[\ud7ff-\udfff]/g,
    (unit) => `\ud7ff${String.fromCharCode(unit.charCodeAt(0) - FIRST_ESCAPED + 1)}`,
  )
}
