import { type Condition, hasObjects, keyOf } from '../conditions.ts'
import { filterIndex, ID_INDEX } from './index-members.ts'

/** The indexes of the values of a condition: the records that are in one of them are those that match. */
export type IndexGroup = readonly string[]

/** For more values, the records are read one by one. */
const MAX_VALUES = 50

/** So many intersections are counted at most. */
const MAX_TERMS = 31

/** The group of each condition; `undefined` when the indexes do not tell which records match. */
export function groupsOf(
  conditions: readonly Condition[],
  filters: readonly string[],
): readonly IndexGroup[] | undefined {
  const groups: IndexGroup[] = []
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
