/** The most first records of a collection, unless a number is given. */
const MOST = 50

/** The most first records of a collection below a record. There is one collection for each of these records. */
const MOST_NESTED = 10

/** The fewest first records. References between records count on them. */
export const FEWEST_RECORDS = 3

/** How many characters of JSON the first records of a collection have together. */
const CHARACTERS = 40_000

/** What the number of first records depends on. */
export interface CountBasis {
  /** The length of one record as JSON. */
  readonly length: number
  readonly isNested: boolean
  /** How many records a page of the list has, if it has pages. */
  readonly pageSize?: number | undefined
}

/**
 * How many first records a collection has: fewer when they are large. They fit on the first page of the list together with some more,
 * so that a client that creates a record finds it there.
 */
export function countOfRecords({
  length,
  isNested,
  pageSize = Number.POSITIVE_INFINITY,
}: CountBasis): number {
  const most = Math.min(isNested ? MOST_NESTED : MOST, pageSize - 3)
  return Math.max(FEWEST_RECORDS, Math.min(most, Math.floor(CHARACTERS / length)))
}
