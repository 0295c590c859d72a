import type { Operation } from '../../contract/contract.ts'
import type { CheckDefinition } from '../checks/check.ts'
import type { ProbeRequest, ProbeResponse } from '../requests/probe-messages.ts'
import type { Session } from '../requests/session.ts'

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
