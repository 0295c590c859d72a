import type { Operation } from '../../contract/contract.ts'
import type { ProbeRequest } from '../requests/probe-messages.ts'
import { type Query, requestTarget } from '../test-data/request-target.ts'

/** A request for a list. */
export function listRequest(list: Operation, query: Query): ProbeRequest {
  const target = requestTarget(list, '', query)
  return { operation: list, method: list.method, target, credentials: 'key' }
}

/** A request without a body to an operation on one record. */
export function readRequest(operation: Operation, id: unknown): ProbeRequest {
  const { method } = operation
  return { operation, method, target: requestTarget(operation, id), credentials: 'key' }
}

/** A request with a body of the operation's first media type. */
export function bodyRequest(operation: Operation, target: string, body: string): ProbeRequest {
  const { method } = operation
  const [type = 'application/json'] = operation.body?.mediaTypes ?? []
  return { operation, method, target, credentials: 'key', body, type }
}
