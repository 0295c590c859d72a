import type { Operation } from '../../contract/contract.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'
import { validRequestProbe } from './valid-request.ts'

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
