import type { Operation } from '../../contract/contract.ts'
import type { CheckDefinition } from '../checks/check.ts'
import { isSafeMethod, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import type { Session } from '../session/session.ts'

/** One or more requests, and the checks that evaluate their responses. */
export interface Probe {
  /** Probes with a lower number are sent first. */
  readonly order: number
  /** The maximum number of requests. */
  readonly maxRequests: number
  /** The most records that it creates in the collection of its checks. Default: one, if it may create any. */
  readonly creations?: number
  /** What the user must allow before. */
  readonly requires?: 'writes' | 'exhaust'
  /** Whether other probes need the records that it finds. */
  readonly isPrerequisite?: true
  /** The operation that it sends a valid request to. */
  readonly exercises?: Operation
  /** Whether it is sent only when no earlier probe has exercised its operation. */
  readonly isFallback?: true
  /** The operation that creates the records that it needs, where its checks are about others. */
  readonly creates?: Operation
  readonly checks: readonly CheckDefinition[]
  readonly send: (session: Session) => Promise<readonly ProbeResponse[]>
}

/** A probe with a single request to an operation. The user must allow one that may change something. */
export function singleRequestProbe(
  order: number,
  { method }: Pick<Operation, 'method'>,
  checks: readonly CheckDefinition[],
  requestFor: (session: Session) => ProbeRequest | Promise<ProbeRequest>,
): Probe {
  return {
    order,
    maxRequests: 1,
    ...(!isSafeMethod(method) && { requires: 'writes' }),
    checks,
    send: async (session) => [await session.send(await requestFor(session))],
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
  otherKey: 46,
  rejectedChange: 47,
  pages: 50,
  decidedRejection: 60,
  unknownRoute: 62,
  mediaTypeAndSize: 64,
  otherKeyRemoval: 66,
  remove: 70,
  statelessRemoval: 71,
  fallbackRemoval: 72,
  quota: 90,
} as const

export type Query = readonly (readonly [name: string, value: string])[]

/** What a request has besides its operation: the id of a record or a whole target, and a body of the first media type. */
interface RequestParts {
  readonly id?: unknown
  readonly query?: Query
  readonly target?: string
  readonly body?: string
}

export function requestTo(
  operation: Operation,
  { id = '', query = [], target = targetOf(operation, id, query), body }: RequestParts = {},
): ProbeRequest {
  const { method } = operation
  const [type = 'application/json'] = operation.body?.mediaTypes ?? []
  return {
    operation,
    method,
    target,
    credentials: 'key',
    ...(body !== undefined && { body, type }),
  }
}

/** The path and query of a request to an operation, with this id as path parameter. */
function targetOf({ path }: Operation, id: unknown, query: Query): string {
  const own = path.replace(/\{[^}]+\}/, encodeURIComponent(String(id)))
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]))

  return search.size > 0 ? `${own}?${search}` : own
}
