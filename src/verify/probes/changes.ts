import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  hasStatus,
  hasSuccessStatus,
  type LeftOut,
  operationCheck,
  passIf,
  succeeds,
} from '../checks/check.ts'
import {
  isEmpty,
  isWithoutContent,
  NOTHING_CREATED,
  NOTHING_VISIBLE,
  sentPart,
  visiblePart,
} from '../checks/record-checks.ts'
import { isGone, isSuccess, NotSent, type ProbeResponse } from '../messages.ts'
import { lastOf, segmentsOf, sentBody } from '../record-address.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { createAt, ownPath } from '../session/valid-request.ts'
import { invalidBodies, variantsOfChange } from '../test-data/body-variants.ts'
import { sampleBody, takesJson } from '../test-data/sample-body.ts'
import { includesValues } from '../test-data/values.ts'
import { invalidBodyProbe } from './creations.ts'
import { ORDER, type Probe, requestTo } from './probe.ts'

const NOTHING_CHANGED: LeftOut = { leftOut: 'no record was changed' }

/** Replaces, updates and removes records, but only those that this run created. */
export function changeProbes({ resource, operations }: ResourceOperations): Probe[] {
  const { read, replace, update, remove } = operations
  const changes = [replace, update].filter((one) => one !== undefined)

  return [
    ...changes.flatMap((operation) => probesOfChange(operation, resource, read)),
    ...(remove ? [removalProbe(remove, resource, read)] : []),
  ]
}

function probesOfChange(
  operation: Operation,
  resource: Resource,
  read: Operation | undefined,
): Probe[] {
  const { body } = operation
  if (!body || !takesJson(body)) return []
  const sent = sampleBody(body, { model: undefined, text: 'changed by verify', isComplete: true })
  if (!isObject(sent)) return []
  const text = JSON.stringify(sent)
  const targetOf = (session: Session): Promise<string> => ownPath(operation, session)
  const invalid = variantsOfChange(invalidBodies(body, sent, resource.id))

  return [
    {
      order: ORDER.change,
      maxRequests: read ? 2 : 1,
      requires: 'writes',
      checks: changeChecks(operation, read, resource),
      send: async (session) => {
        const target = await targetOf(session)
        const changed = await session.send(requestTo(operation, { target, body: text }))
        return [changed, ...(await readAgain(session, read, lastOf(target)))]
      },
    },
    ...invalid.map((variant) =>
      invalidBodyProbe(operation, body, variant, ORDER.rejectedChange, targetOf),
    ),
    ...unknownRecordProbe(operation, resource, read, text),
  ]
}

async function readAgain(
  session: Session,
  read: Operation | undefined,
  id: string,
): Promise<readonly ProbeResponse[]> {
  return read ? [await session.send(requestTo(read, { id }))] : []
}

function changeChecks(
  operation: Operation,
  read: Operation | undefined,
  resource: Resource,
): CheckDefinition[] {
  // What was sent may name other records than the body that was made: those of the run.
  const sentIn = (changed: ProbeResponse): unknown => visiblePart(resource, sentBody(changed))
  return [
    doneCheck(operation, 'accepts a change'),
    operationCheck(operation, 'values', 'returns the sent values', ([response]) =>
      response && hasSuccessStatus(operation, response) === 'passed' && isObject(response.json)
        ? hasValues(response, sentIn(response))
        : NOTHING_CHANGED,
    ),
    ...(read
      ? [
          operationCheck(
            read,
            `after/${operation.id}`,
            `returns the values that ${operation.id} changed`,
            ([changed, response]) =>
              changed && response && isSuccess(changed)
                ? hasValues(response, sentIn(changed))
                : NOTHING_CHANGED,
          ),
        ]
      : []),
  ]
}

/** The first request of a probe succeeds. */
function doneCheck(operation: Operation, name: string): CheckDefinition {
  return operationCheck(operation, 'served', name, ([response], records) =>
    response ? succeeds(operation)([response], records) : NOTHING_CREATED,
  )
}

function hasValues(response: ProbeResponse, sent: unknown): Evaluation {
  const expected = sentPart(response, sent)
  if (isEmpty(expected) || isWithoutContent(response)) return NOTHING_VISIBLE
  return passIf(includesValues(response.json, expected), response, JSON.stringify(expected))
}

/**
 * A change of a record that does not exist, which a request to read it shows first. Only where the document has a 404, and no PUT that
 * may create the record.
 */
function unknownRecordProbe(
  operation: Operation,
  resource: Resource,
  read: Operation | undefined,
  body: string,
): Probe[] {
  const parameter = operation.parameters.find((one) => one.in === 'path')
  const has = (status: number): boolean => operation.responses.some((one) => one.status === status)
  const creates = operation.method === 'PUT' && (resource.hasClientIds || has(201))
  if (!parameter || !read || creates || !has(404)) return []
  const name = `returns 404 for an unknown ${resource.id}`

  return [
    {
      order: ORDER.rejectedChange,
      maxRequests: 2,
      requires: 'writes',
      checks: [operationCheck(operation, 'absent', name, hasStatus(404))],
      send: async (session) => {
        const id = session.gate.ids.newId(parameter.schema, parameter.validate)
        if (id === undefined) throw new NotSent('the document allows no id that is surely unknown')
        await session.send({ ...requestTo(read, { id }), isInvalid: true })
        return [await session.send(requestTo(operation, { id, body }))]
      },
    },
  ]
}

/** Removes a record of this run, and reads it afterwards. */
function removalProbe(remove: Operation, resource: Resource, read: Operation | undefined): Probe {
  return {
    order: ORDER.remove,
    maxRequests: read ? 4 : 3,
    requires: 'writes',
    checks: [
      doneCheck(remove, 'removes a record'),
      ...(read && documentedResponse(read, 404) ? [notFoundCheck(read, remove)] : []),
    ],
    send: async (session) => {
      const first = lastOf(await ownPath(remove, session))
      const tried = await session.send(requestTo(remove, { id: first }))
      // Other records may use the one that is there; none uses a new one.
      const isUsed = tried.status === 409
      const id = isUsed
        ? lastOf((await createAt(segmentsOf(remove.path), remove, session)).join('/'))
        : first
      const removed = isUsed ? await session.send(requestTo(remove, { id })) : tried
      session.records.removeCreated(resource, id)
      return [removed, ...(await readAgain(session, read, id))]
    },
  }
}

function notFoundCheck(read: Operation, remove: Operation): CheckDefinition {
  const name = `does not find the record that ${remove.id} removed`
  return operationCheck(read, `after/${remove.id}`, name, ([removed, response]) => {
    if (!removed || !response || !isSuccess(removed)) return { leftOut: 'no record was removed' }
    return passIf(isGone(response), response, '404')
  })
}
