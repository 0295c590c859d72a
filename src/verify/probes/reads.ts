import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { Resource } from '../../resources/resource.ts'
import { httpDate } from '../../time/clock.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  everyResponse,
  firstProblem,
  hasSuccessStatus,
  isRemoved,
  lastResponse,
  operationCheck,
  passIf,
  unlessRemoved,
} from '../checks/check.ts'
import { shownPart } from '../checks/record-checks.ts'
import { isGone, type ProbeResponse } from '../messages.ts'
import { lastOf, pathOf } from '../record-address.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import type { SeenRecords } from '../session/seen-records.ts'
import { includesValues, unknownIds } from '../test-data/values.ts'
import { ORDER, type Probe, requestTo, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'

/** Reads a record that exists, and records that do not. */
export function readProbes({ resource, operations: { read } }: ResourceOperations): Probe[] {
  const parameter = read?.parameters.find((one) => one.in === 'path')
  if (!read || !parameter) return []
  const listed = readListedProbe(read, resource)
  // The document does not say what happens when a record does not exist.
  if (!documentedResponse(read, 404) && !documentedResponse(read, 410)) return [listed]
  const { absent, impossible } = unknownIds(parameter)

  return [
    listed,
    ...absent.map((id, at) => {
      const order = at === 0 ? ORDER.readAbsent : ORDER.unusualValue
      return refusedReadProbe(order, read, id, [notFoundCheck(read, resource, id)])
    }),
    ...impossible.map((id) => {
      const checks = rejectionChecks(read, 'path', `the ${parameter.name} ${id}`, `id=${id}`)
      return refusedReadProbe(ORDER.unusualValue, read, id, checks)
    }),
  ]
}

function refusedReadProbe(
  order: number,
  read: Operation,
  id: string,
  checks: readonly CheckDefinition[],
): Probe {
  return singleRequestProbe(order, read, checks, () => ({
    ...requestTo(read, { id }),
    isInvalid: true,
  }))
}

/** Reads the first listed record and the one with the most content, if there are any. */
function readListedProbe(read: Operation, resource: Resource): Probe {
  const found = everyResponse(
    () => true,
    (one) => hasSuccessStatus(read, one),
  )
  return {
    order: ORDER.readListed,
    maxRequests: 2,
    checks: [
      operationCheck(read, 'listed', 'finds a listed record', unlessRemoved(read, found)),
      sameValuesCheck(read, resource),
      ...removalCheck(read),
    ],
    send: async (session) => {
      const { records } = session
      const ids = [records.first(resource), records.fullest(resource)].map(
        (one) => one?.[resource.id],
      )
      const responses: ProbeResponse[] = []
      for (const id of new Set(ids))
        if (id !== undefined) responses.push(await session.send(requestTo(read, { id })))
      return responses
    },
  }
}

function sameValuesCheck(read: Operation, resource: Resource): CheckDefinition {
  const name = 'returns the same values as the list'
  return operationCheck(read, 'listed/same', name, (responses, records) => {
    const all = responses.map((one) => sameValues(one, records, read, resource))
    return all.length > 0 ? firstProblem(all) : { leftOut: 'no record is listed' }
  })
}

function sameValues(
  response: ProbeResponse,
  records: SeenRecords,
  read: Operation,
  resource: Resource,
): Evaluation {
  const target = lastOf(pathOf(response.request.target))
  const record = records.list(resource).records.find((one) => String(one[resource.id]) === target)
  if (!record) return { leftOut: 'no record is listed' }
  if (hasSuccessStatus(read, response) !== 'passed') return { leftOut: 'the record was not found' }
  const { json } = response
  const shown = Array.isArray(json) && json.length === 1 ? json[0] : json
  const isSame = includesValues(shown, shownPart(response, record))

  return passIf(isSame, response, JSON.stringify(record))
}

/** A deprecated operation works until its sunset, and is removed afterwards. */
function removalCheck(read: Operation): CheckDefinition[] {
  const { sunset } = read.deprecation ?? {}
  if (sunset === undefined) return []
  const name = `works until ${httpDate(sunset)} and is removed afterwards`
  const evaluate = lastResponse((response) =>
    isRemoved(read, response.time)
      ? passIf(isGone(response), response, '404')
      : hasSuccessStatus(read, response),
  )
  return [operationCheck(read, 'removal', name, evaluate, { clause: 'RFC 8594' })]
}

/** A valid id without a record. By chance, the record can exist. */
function notFoundCheck(read: Operation, resource: Resource, id: string): CheckDefinition {
  const status = read.responses.find(isGone)?.status ?? 404
  const name = `returns ${status} for the unknown ${resource.id} ${id}`
  const evaluate = lastResponse((response) => {
    const exists = isObject(response.json) && String(response.json[resource.id]) === id
    return passIf(exists || response.status === status, response, String(status))
  })
  return operationCheck(read, `absent=${id}`, name, evaluate)
}
