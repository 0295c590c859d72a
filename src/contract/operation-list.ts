import type { Operation } from './contract.ts'

/** A message shows at most this many characters of each end of a list (`Problem`), so the rest is not needed. */
const MAX_SHOWN = 600

/** So many operations at each end fill {@link MAX_SHOWN}, however short they are. */
const MAX_LISTED = 200

/** The operations as text, such as `GET /books, POST /books`. Of a long list, only the ends are written. */
export function listOperations(
  operations: readonly Operation[],
  addressOf: (operation: Operation) => string = ({ path }) => path,
): string {
  const isLong = operations.length > 2 * MAX_LISTED
  const listed = isLong
    ? [...operations.slice(0, MAX_LISTED), ...operations.slice(-MAX_LISTED)]
    : operations
  const text = listed.map((operation) => `${operation.method} ${addressOf(operation)}`).join(', ')

  return text.length > 2 * MAX_SHOWN ? text.slice(0, MAX_SHOWN) + text.slice(-MAX_SHOWN) : text
}
