import { sortKey, sortValue } from '../records/record-index.ts'
import { hasObjects, type Id, keyOf, keysOf, type StoredRecord } from '../records/record-table.ts'
import type { Condition, RecordMatcher } from '../records/selection.ts'
import type { RecordWrite } from '../records/stored-records.ts'
import { getOwn } from '../validation/objects.ts'
import { idText } from './keys.ts'

// Indexes are sorted sets whose members all have the score 0, so that the store orders them by their bytes. A member is the text
// by which records are ordered, two NUL characters, and the id as JSON.

/** A member that an index gets or loses. */
interface IndexChange {
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
function filterIndex(property: string, key: Id): string {
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
    ...orders.map((name) => [orderIndex(name), memberOf(id, sortValue(record, name))] as const),
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

/** The indexes of the values of a condition: the records that are in one of them are those that match. */
export type IndexGroup = readonly string[]

/** For more values, the records are read one by one. */
const MAX_VALUES = 50

/** So many intersections are counted at most. */
const MAX_TERMS = 31

/** The group of each condition; `undefined` when the indexes do not tell which records match. */
export function groupsOf(
  { conditions, isPlain }: RecordMatcher,
  filters: readonly string[],
): readonly IndexGroup[] | undefined {
  const groups: IndexGroup[] = []
  if (!isPlain) return undefined
  for (const [name, wanted] of conditions) {
    const values = [...new Set<unknown>([wanted].flat())]
    const isIndexed = filters.includes(name) && values.length <= MAX_VALUES
    if (!isIndexed || values.some(hasObjects)) return undefined
    groups.push(values.map((value) => filterIndex(name, keyOf(value))))
  }
  return groups
}

/** The index whose records are all those that match, and no others; `undefined` when there is none. */
export function indexOfAll(groups: readonly IndexGroup[]): string | undefined {
  const [group = [ID_INDEX], ...others] = groups
  return others.length === 0 && group.length === 1 ? group[0] : undefined
}

/** Indexes whose common records are added to a count, or subtracted from it. */
export interface CountTerm {
  readonly sign: 1 | -1
  readonly suffixes: readonly string[]
}

/**
 * The terms whose sum is the number of records that are in one index of each group. A record may be in several of a group, because
 * a property may be a list. `undefined` when there would be too many terms.
 */
export function termsOf(groups: readonly IndexGroup[]): readonly CountTerm[] | undefined {
  let terms: readonly CountTerm[] = [{ sign: 1, suffixes: [] }]
  for (const group of groups) {
    if (terms.length * (2 ** group.length - 1) > MAX_TERMS) return undefined
    const parts = subsetsOf(group)
    terms = terms.flatMap(({ sign, suffixes }) =>
      parts.map((part) => ({
        sign: part.length % 2 === 1 ? sign : opposite(sign),
        suffixes: [...suffixes, ...part],
      })),
    )
  }
  return terms
}

function opposite(sign: CountTerm['sign']): CountTerm['sign'] {
  return sign === 1 ? -1 : 1
}

/** All parts of a list but the empty one. */
function subsetsOf([first, ...rest]: IndexGroup): readonly IndexGroup[] {
  if (first === undefined) return []
  const others = subsetsOf(rest)

  return [[first], ...others, ...others.map((other) => [first, ...other])]
}

/** An index that has every matching record, and others: that of a value, else that of the ids. */
export function candidatesFor(
  conditions: readonly Condition[],
  filters: readonly string[],
): string {
  for (const [name, wanted] of conditions) {
    if (filters.includes(name) && !Array.isArray(wanted)) return filterIndex(name, keyOf(wanted))
  }
  return ID_INDEX
}

/** A range of an index in the order of its bytes. */
export interface LexRange {
  readonly from: string
  readonly to: string
  readonly isReverse: boolean
}

/** The members after a place, exclusively, or all; backward: those before it. */
export function rangeFrom(member: string | undefined, isReverse: boolean): LexRange {
  const start = member === undefined ? undefined : `(${member}`
  return isReverse
    ? { from: start ?? '+', to: '-', isReverse }
    : { from: start ?? '-', to: '+', isReverse }
}
