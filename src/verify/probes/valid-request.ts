import type { Operation } from '../../contract/contract.ts'
import { type CheckDefinition, operationCheck } from '../checks/check.ts'
import { expectedSuccess } from '../checks/documented-statuses.ts'
import { failure, lastResponse } from '../checks/evaluate.ts'
import { isSafeMethod } from '../requests/change-gate.ts'
import { validRequest } from '../requests/valid-request.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

/** A valid request with all that the operation requires. */
export function validRequestProbe(
  operation: Operation,
  { order, id, name }: { readonly order: number; readonly id: string; readonly name: string },
): Probe {
  return {
    order,
    maxRequests: 1,
    exercises: operation,
    ...(isSafeMethod(operation.method) ? {} : { requires: 'writes' as const }),
    checks: [servedCheck(operation, id, name)],
    send: async (session) => {
      const request = await validRequest(operation, session)
      return [await session.send({ ...request, isValid: true })]
    },
  }
}

/** A valid request for an operation that no probe of its resource has exercised. */
export function fallbackProbe(operation: Operation): Probe {
  const probe = validRequestProbe(operation, {
    order: operation.method === 'DELETE' ? ORDER.fallbackRemoval : ORDER.fallback,
    id: 'valid',
    name: 'accepts a valid request',
  })
  return { ...probe, isFallback: true }
}

/**
 * A documented 404 or 410 passes for a path with an id, because the document does not say which records exist. A
 * documented 409 passes where the record may exist already.
 */
function servedCheck(operation: Operation, id: string, name: string): CheckDefinition {
  const { allows, text } = expectedSuccess(operation)
  const absent = [
    ...(operation.path.includes('{') ? absentStatuses(operation) : []),
    ...(operation.method === 'POST' && hasStatus(operation, 409) ? [409] : []),
  ]
  return operationCheck(
    operation,
    id,
    name,
    lastResponse((response) =>
      allows(response.status) || absent.includes(response.status)
        ? 'passed'
        : failure(response, [text, ...absent].join(' or ')),
    ),
  )
}

function hasStatus({ responses }: Operation, status: number): boolean {
  return responses.some((one) => one.status === status)
}

/** The documented statuses of an absent record. */
function absentStatuses({ responses, otherResponses = [] }: Operation): readonly number[] {
  const own = responses.map(({ status }) => status).filter((one) => one === 404 || one === 410)
  const hasRange = otherResponses.some(({ range }) => range === '4XX' || range === 'default')

  return hasRange && own.length === 0 ? [404] : own
}
