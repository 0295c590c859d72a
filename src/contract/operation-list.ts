import { MAX_COMPARED, nearestNames } from '../validation/usage-error.ts'
import type { Operation } from './contract.ts'

/** A message lists so many operations. Of a larger API, it lists those whose paths are nearest. */
const MAX_LISTED = 5

/** The command that lists all operations. */
const EXPLAIN = 'The command "pet-sandbox explain"'

/** How the operations of an API are listed. */
export interface ListOptions {
  /** The address of an operation; default: its path. */
  readonly addressOf?: (operation: Operation) => string
  /** What lists all operations, as the subject of a sentence. */
  readonly overview?: string | undefined
}

/**
 * The operations as sentences, such as `The operations are: GET /books, POST /books.` Of many operations, the nearest ones to `path`, and
 * where all are.
 */
export function listOperations(
  operations: readonly Operation[],
  path: string,
  { addressOf = (operation) => operation.path, overview = EXPLAIN }: ListOptions = {},
): string {
  const listing = (listed: readonly Operation[]): string =>
    listed.map((operation) => `${operation.method} ${addressOf(operation)}`).join(', ')
  if (operations.length === 0) return 'The document has no operations.'
  if (operations.length <= MAX_LISTED) return `The operations are: ${listing(operations)}.`
  const fill = filledFrom(path)
  const nameOf = (operation: Operation): string => fill(addressOf(operation))
  const nearest = nearestNames(path, operations, nameOf, MAX_LISTED)

  return `The nearest operations are: ${listing(nearest)}. ${overview} lists all ${operations.length}.`
}

/** Fills the parameters of an address with the segments of a path of the same length, so that they make no difference. */
function filledFrom(path: string): (address: string) => string {
  const given = path.slice(0, MAX_COMPARED).split('/')
  return (address) => {
    const segments = address.split('/')
    const values = segments.length === given.length ? given : []
    return segments
      .map((segment, at) => (segment.includes('{') ? (values[at] ?? '') : segment))
      .join('/')
  }
}
