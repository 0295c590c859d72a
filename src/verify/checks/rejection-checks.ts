import type { Operation, OperationResponse } from '../../contract/contract.ts'
import { type CheckDefinition, operationCheck } from './check.ts'
import { hasStatus } from './evaluate.ts'

/** The part of a request that has an invalid value. */
type Location = 'query' | 'path' | 'body'

/** The statuses with which a document can promise to reject invalid input. */
const REJECTION_STATUSES: Readonly<Record<Location, readonly number[]>> = {
  query: [400, 422],
  path: [404],
  body: [400, 422],
}

/** The statuses that count as a rejection when the document promises none. */
const ANY_REJECTION = [400, 404, 409, 422]

/**
 * Checks that an operation rejects invalid input with the status that the document promises. Where it promises none, the
 * check is a decision, because a server may ignore an invalid parameter. An invalid id in a path always names no record.
 */
export function rejectionChecks(
  operation: Operation,
  location: Location,
  what: string,
  id: string,
): readonly CheckDefinition[] {
  const documented = operation.responses.filter(({ status }) =>
    REJECTION_STATUSES[location].includes(status),
  )
  if (documented.length === 0 && hasErrorRange(operation)) {
    return [operationCheck(operation, id, `rejects ${what}`, hasStatus(...ANY_REJECTION))]
  }
  const promised = documented.filter(({ decision }) => decision === undefined)
  if (location !== 'path' && promised.length > 0) {
    const statuses = statusesOf(promised)
    const name = `rejects ${what} with a ${statuses.join(' or ')}`
    return [operationCheck(operation, id, name, hasStatus(...statuses))]
  }
  const more = location === 'path' ? {} : ({ decision: true } as const)

  return [
    ...(location === 'path' || documented.length === 0
      ? [operationCheck(operation, id, `rejects ${what}`, hasStatus(...ANY_REJECTION), more)]
      : []),
    ...statusesOf(documented).map((status) => decidedCheck(operation, status, what, id)),
  ]
}

/** Checks that an operation rejects input, where the document has one of these statuses as its own decision. */
export function decidedRejectionChecks(
  operation: Operation,
  statuses: readonly number[],
  what: string,
  id: string,
): readonly CheckDefinition[] {
  const documented = operation.responses.find(({ status }) => statuses.includes(status))
  return documented ? [decidedCheck(operation, documented.status, what, id)] : []
}

/** Whether the document describes errors without their status. */
function hasErrorRange({ otherResponses = [] }: Operation): boolean {
  return otherResponses.some(({ range }) => range === '4XX' || range === 'default')
}

function statusesOf(responses: readonly OperationResponse[]): readonly number[] {
  return responses.map(({ status }) => status)
}

function decidedCheck(
  operation: Operation,
  status: number,
  what: string,
  id: string,
): CheckDefinition {
  const name = `rejects ${what} with a ${status}`
  return operationCheck(operation, `${id}/${status}`, name, hasStatus(status), { decision: true })
}
