import type { Operation } from '../../contract/contract.ts'
import { operationCheck } from '../checks/check.ts'
import { hasStatus, unlessRemoved } from '../checks/evaluate.ts'
import type { KnownRecords } from '../requests/known-records.ts'
import type { Credentials } from '../requests/probe-messages.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import { requestTarget } from '../test-data/request-target.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

interface Case {
  readonly credentials: Credentials
  readonly id: string
  readonly what: string
}

/** The most important ones come first. */
const CASES: readonly Case[] = [
  { credentials: 'none', id: 'no-key', what: 'a request without a key' },
  { credentials: 'invalid-key', id: 'wrong-key', what: 'an invalid key' },
  { credentials: 'other-scheme', id: 'wrong-scheme', what: 'another authentication scheme' },
]

/** Requests without a valid key: all cases for the first operation that reads, two cases for each of the others. */
export function authenticationProbes(
  operations: readonly Operation[],
  resources: readonly ResourceOperations[],
): Probe[] {
  const secured = operations.filter((one) => one.secured)
  const first = secured.find(isReadOnly)

  return secured.flatMap((operation) =>
    operation === first
      ? CASES.map((one, at) =>
          authenticationProbe(operation, one, resources, ORDER.authentication + at / 10),
        )
      : CASES.slice(0, 2).map((one) =>
          authenticationProbe(operation, one, resources, ORDER.otherAuthentication),
        ),
  )
}

function authenticationProbe(
  operation: Operation,
  { credentials, id, what }: Case,
  resources: readonly ResourceOperations[],
  order: number,
): Probe {
  const { method, body } = operation
  return {
    order,
    maxRequests: 1,
    ...(isReadOnly(operation) ? {} : { requires: 'writes' as const }),
    checks: [
      operationCheck(
        operation,
        id,
        `rejects ${what} with a 401`,
        unlessRemoved(operation, hasStatus(401)),
        { clause: 'OpenAPI, security' },
      ),
    ],
    send: async (session) => {
      const target = requestTarget(operation, idFor(operation, resources, session.records))
      const request = { operation, method, target, credentials, ...(body && { body: '{}' }) }
      return [await session.send(request)]
    },
  }
}

/** The id of an existing record. If the operation could change it, then only a record that this run created. */
function idFor(
  operation: Operation,
  resources: readonly ResourceOperations[],
  records: KnownRecords,
): unknown {
  const resource = resources.find((one) =>
    Object.values(one.operations).includes(operation),
  )?.resource
  if (!resource) return 1
  const record = isReadOnly(operation) ? records.first(resource) : records.created(resource)

  return record?.[resource.id] ?? 1
}

function isReadOnly({ method }: Operation): boolean {
  return method === 'GET'
}
