import type { Operation } from '../../contract/contract.ts'
import {
  type CheckDefinition,
  expectedSuccess,
  failure,
  lastResponse,
  operationCheck,
} from '../checks/check.ts'
import { isSafeMethod } from '../session/change-gate.ts'
import { validRequest } from '../session/valid-request.ts'
import { ORDER, type Probe } from './probe.ts'

/** A valid request with all that the operation requires. */
function validRequestProbe(
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

const ORDER_BY_METHOD: Readonly<Record<string, number>> = {
  POST: ORDER.statelessPost,
  PUT: ORDER.statelessChange,
  PATCH: ORDER.statelessChange,
  DELETE: ORDER.statelessRemoval,
}

/**
 * A valid request to each operation without a resource. Those that change and remove come last, and what is below other paths is
 * removed before them.
 */
export function statelessProbes(operations: readonly Operation[]): Probe[] {
  return operations.map((operation) =>
    validRequestProbe(operation, {
      order:
        (ORDER_BY_METHOD[operation.method] ?? ORDER.stateless) -
        (operation.method === 'DELETE' ? operation.path.split('/').length / 1000 : 0),
      id: 'served',
      name: operation.secured ? 'accepts a request with a valid key' : 'accepts a valid request',
    }),
  )
}

/** Whether an operation can be called without a body and without ids. */
export function needsNoInput({ method, path }: Operation): boolean {
  return method === 'GET' && !path.includes('{')
}
