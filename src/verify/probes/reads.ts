import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { Resource } from '../../resources/resource.ts'
import { httpDate } from '../../time/clock.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  failure,
  hasSuccessStatus,
  isRemoved,
  lastResponse,
  operationCheck,
  succeeds,
  unlessRemoved,
} from '../checks/check.ts'
import { includesValues, shownPart } from '../checks/record-checks.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import type { ProbeRequest } from '../session/messages.ts'
import { unknownIds } from '../test-data/parameter-values.ts'
import { ORDER, type Probe, readRequest, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'

/** Reads a record that exists, and records that do not. */
export function readProbes({ resource, operations: { read } }: ResourceOperations): Probe[] {
  const parameter = read?.parameters.find((one) => one.in === 'path')
  if (!read || !parameter) return []
  const { absent, impossible } = unknownIds(parameter)

  return [
    readListedProbe(read, resource),
    ...(describesAbsence(read) ? absent : []).map((id, at) =>
      singleRequestProbe(at === 0 ? ORDER.readAbsent : ORDER.unusualValue, refusedRead(read, id), [
        notFoundCheck(read, resource, id),
      ]),
    ),
    ...(describesAbsence(read) ? impossible : []).map((id) =>
      singleRequestProbe(
        ORDER.unusualValue,
        refusedRead(read, id),
        rejectionChecks(read, 'path', `the ${parameter.name} ${id}`, `id=${id}`),
      ),
    ),
  ]
}

/** Whether the document says what happens when a record does not exist. */
function describesAbsence(read: Operation): boolean {
  return documentedResponse(read, 404) !== undefined || documentedResponse(read, 410) !== undefined
}

function refusedRead(read: Operation, id: string): ProbeRequest {
  return { ...readRequest(read, id), isInvalid: true }
}

/** Reads the first listed record, if there is one. */
function readListedProbe(read: Operation, resource: Resource): Probe {
  return {
    order: ORDER.readListed,
    maxRequests: 1,
    checks: [
      operationCheck(read, 'listed', 'finds a listed record', unlessRemoved(read, succeeds(read))),
      sameValuesCheck(read, resource),
      ...removalCheck(read),
    ],
    send: async (session) => {
      const id = session.records.first(resource)?.[resource.id]
      return id === undefined ? [] : [await session.send(readRequest(read, id))]
    },
  }
}

function sameValuesCheck(read: Operation, resource: Resource): CheckDefinition {
  return operationCheck(
    read,
    'listed/same',
    'returns the same values as the list',
    ([response], records) => {
      const record = records.first(resource)
      if (!response || !record) return { leftOut: 'no record is listed' }
      if (hasSuccessStatus(read, response) !== 'passed') {
        return { leftOut: 'the record was not found' }
      }
      const { json } = response
      const shown = Array.isArray(json) && json.length === 1 ? json[0] : json
      return includesValues(shown, shownPart(response, record))
        ? 'passed'
        : failure(response, JSON.stringify(record))
    },
  )
}

/** A deprecated operation works until its sunset, and is removed afterwards. */
function removalCheck(read: Operation): CheckDefinition[] {
  const { sunset } = read.deprecation ?? {}
  if (sunset === undefined) return []
  return [
    operationCheck(
      read,
      'removal',
      `works until ${httpDate(sunset)} and is removed afterwards`,
      lastResponse((response) => {
        if (!isRemoved(read, response.time)) return hasSuccessStatus(read, response)
        const isGone = response.status === 404 || response.status === 410
        return isGone ? 'passed' : failure(response, '404')
      }),
      { clause: 'RFC 8594' },
    ),
  ]
}

/** A valid id without a record. By chance, the record can exist. */
function notFoundCheck(read: Operation, resource: Resource, id: string): CheckDefinition {
  const documented = read.responses.find(({ status }) => status === 404 || status === 410)
  const status = documented?.status ?? 404
  return operationCheck(
    read,
    `absent=${id}`,
    `returns ${status} for the unknown ${resource.id} ${id}`,
    lastResponse((response) => {
      const exists = isObject(response.json) && String(response.json[resource.id]) === id
      return exists || response.status === status ? 'passed' : failure(response, String(status))
    }),
  )
}
