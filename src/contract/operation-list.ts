import type { Operation } from './contract.ts'

/** So many operations at each end of a list are enough for a message, which is cut in the middle (`Problem`). */
const MAX_LISTED = 200

/** The operations as text, such as `GET /books, POST /books`. Of a long list, only the ends are written. */
export function listOperations(
  operations: readonly Operation[],
  addressOf: (operation: Operation) => string = ({ path }) => path,
): string {
  const last = operations.slice(MAX_LISTED).slice(-MAX_LISTED)
  return [...operations.slice(0, MAX_LISTED), ...last]
    .map((operation) => `${operation.method} ${addressOf(operation)}`)
    .join(', ')
}
