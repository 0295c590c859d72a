import type { Operation } from '../../contract/contract.ts'
import { operationCheck } from '../checks/check.ts'
import { succeeds } from '../checks/evaluate.ts'
import { requestTarget } from '../test-data/request-target.ts'
import { ORDER } from './order.ts'
import { type Probe, singleRequestProbe } from './probe.ts'

/** Requests to operations without a resource. Only a GET without path parameters can be sent without knowledge of the API. */
export function statelessProbes(operations: readonly Operation[]): Probe[] {
  return operations.map((operation) => {
    const name = 'accepts a request with a valid key'
    if (!needsNoInput(operation)) {
      const check = operationCheck(operation, 'served', name, () => ({
        leftOut: 'the document has no example of valid input',
      }))
      return { order: ORDER.stateless, maxRequests: 0, checks: [check], send: async () => [] }
    }
    const { method } = operation
    const target = requestTarget(operation, '')
    const request = { operation, method, target, credentials: 'key' } as const

    return singleRequestProbe(ORDER.stateless, request, [
      operationCheck(operation, 'served', name, succeeds(operation)),
    ])
  })
}

/** Whether an operation can be called without a body and without ids. */
export function needsNoInput({ method, path }: Operation): boolean {
  return method === 'GET' && !path.includes('{')
}
