import type { Operation } from '../contract/contract.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import type { Resource } from './resource.ts'

/** The statuses of what does not exist, and of what existed. */
const MISSING = [404, 410]

/**
 * Whether a collection below a removed record is hidden until something is created there: where the document has a response for
 * that. Else its list must have another answer, which is that of a collection that nobody used.
 */
export function isHiddenBelowRemoved({ operations = [], isSingle }: Resource): boolean {
  const action = isSingle ? 'read' : 'list'
  const shows = operations.find(({ hints }) => hints.action === action)

  return !shows || hasMissing(shows.operation)
}

/** Whether the document has a response for what does not exist. */
export function hasMissing(operation: Operation): boolean {
  return MISSING.some((status) => documentedResponse(operation, status) !== undefined)
}
