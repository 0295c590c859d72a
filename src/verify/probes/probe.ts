import type { Operation } from '../../contract/contract.ts'
import type { CheckDefinition } from '../checks/check.ts'
import type { ProbeRequest, ProbeResponse } from '../session/messages.ts'
import type { Session } from '../session/session.ts'

/** One or more requests, and the checks that evaluate their responses. */
export interface Probe {
  /** Probes with a lower number are sent first. */
  readonly order: number
  /** The maximum number of requests. */
  readonly maxRequests: number
  /** What the user must allow before. */
  readonly requires?: 'writes' | 'exhaust'
  /** Whether other probes need the records that it finds. */
  readonly isPrerequisite?: true
  /** The operation that it sends a valid request to. */
  readonly exercises?: Operation
  /** Whether it is sent only when no earlier probe has exercised its operation. */
  readonly isFallback?: true
  readonly checks: readonly CheckDefinition[]
  readonly send: (session: Session) => Promise<readonly ProbeResponse[]>
}

/** A probe with a single request. */
export function singleRequestProbe(
  order: number,
  request: ProbeRequest,
  checks: readonly CheckDefinition[],
  requires?: Probe['requires'],
): Probe {
  return {
    order,
    maxRequests: 1,
    ...(requires && { requires }),
    checks,
    send: async (session) => [await session.send(request)],
  }
}

/**
 * The order in which probes are sent. The most informative ones come first, because a budget may end the run. Records are
 * listed before they are read, and removed last.
 */
export const ORDER = {
  list: 10,
  authentication: 11,
  longestList: 15,
  filter: 16,
  readListed: 17,
  readAbsent: 18,
  stateless: 19,
  statelessPost: 19.5,
  create: 20,
  missingProperty: 21,
  shortList: 22,
  createComplete: 24,
  valueOutOfRange: 30,
  invalidBody: 32,
  boundaryValue: 34,
  change: 36,
  statelessChange: 37,
  fallback: 38,
  otherAuthentication: 40,
  refusal: 42,
  unusualValue: 44,
  largeInteger: 45,
  rejectedChange: 47,
  pages: 50,
  decidedRejection: 60,
  unknownRoute: 62,
  mediaTypeAndSize: 64,
  remove: 70,
  statelessRemoval: 71,
  fallbackRemoval: 72,
  quota: 90,
} as const

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

export type Query = readonly (readonly [name: string, value: string])[]

/** The path and query of a request to an operation: with this id as path parameter. */
export function requestTarget(operation: Operation, id: unknown, query: Query = []): string {
  const path = operation.path.replace(/\{[^}]+\}/, encodeURIComponent(String(id)))
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]))

  return search.size > 0 ? `${path}?${search}` : path
}
