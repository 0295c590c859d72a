import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { Resource } from '../../resources/resource.ts'
import { type CheckDefinition, operationCheck } from '../checks/check.ts'
import { NOTHING_CREATED } from '../checks/creation-checks.ts'
import { failure, isSuccess, succeeds } from '../checks/evaluate.ts'
import { lastOf } from '../requests/concrete-path.ts'
import { ownPath } from '../requests/valid-request.ts'
import { readRequest } from './build-request.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

/** Removes a record of this run, and reads it afterwards. */
export function removalProbe(
  remove: Operation,
  resource: Resource,
  read: Operation | undefined,
): Probe {
  return {
    order: ORDER.remove,
    maxRequests: read ? 2 : 1,
    requires: 'writes',
    checks: [
      operationCheck(remove, 'served', 'removes a record', ([response], records) =>
        response ? succeeds(remove)([response], records) : NOTHING_CREATED,
      ),
      ...(read && documentedResponse(read, 404) ? [notFoundCheck(read, remove)] : []),
    ],
    send: async (session) => {
      const target = await ownPath(remove, session)
      const id = lastOf(target)
      const removed = await session.send(readRequest(remove, id))
      session.records.removeCreated(resource, id)
      return read ? [removed, await session.send(readRequest(read, id))] : [removed]
    },
  }
}

function notFoundCheck(read: Operation, remove: Operation): CheckDefinition {
  const name = `does not find the record that ${remove.id} removed`
  return operationCheck(read, `after/${remove.id}`, name, ([removed, response]) => {
    if (!removed || !response || !isSuccess(removed)) return { leftOut: 'no record was removed' }
    const isGone = response.status === 404 || response.status === 410
    return isGone ? 'passed' : failure(response, '404')
  })
}
