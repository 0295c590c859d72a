import type { Operation, RequestBody } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  hasSuccessStatus,
  NO_RESPONSE,
  operationCheck,
} from '../checks/check.ts'
import {
  defaultValueChecks,
  listedCheck,
  newIdCheck,
  readBackCheck,
  returnsSentValues,
} from '../checks/record-checks.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import { isSuccess, NotSent, type ProbeResponse } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { longestPage } from '../test-data/parameter-values.ts'
import { freeText, referenceIn, sampleBody, takesJson } from '../test-data/sample-body.ts'
import { bodyRequest, listRequest, ORDER, type Probe, readRequest } from './probe.ts'
import { bodyProbes, mediaTypeAndSizeProbes } from './request-bodies.ts'

const UNICODE_TEXT = 'Zoë 测试 ✓'

/** A body that is created: with the required properties, or with all of them. */
interface CreatedBody {
  readonly prefix: string
  readonly what: string
  readonly order: number
  readonly text: string
  readonly isComplete: boolean
}

const REQUIRED_ONLY: CreatedBody = {
  prefix: 'required',
  what: 'a body with only the required properties',
  order: ORDER.create,
  text: 'pet-sandbox',
  isComplete: false,
}

const COMPLETE: CreatedBody = {
  prefix: 'full',
  what: 'a body with all properties and Unicode text',
  order: ORDER.createComplete,
  text: UNICODE_TEXT,
  isComplete: true,
}

/** Creates records, reads them back, and looks for them in the list. */
export function createProbes(group: ResourceOperations, bodyLimit?: number): Probe[] {
  const { create } = group.operations
  if (!create?.body || !takesJson(create.body)) return []

  return [
    creationProbe(group, create, create.body, REQUIRED_ONLY),
    creationProbe(group, create, create.body, COMPLETE),
    ...bodyProbes(group.resource, create, create.body),
    ...mediaTypeAndSizeProbes(create, bodyLimit),
  ]
}

function creationProbe(
  group: ResourceOperations,
  create: Operation,
  body: RequestBody,
  created: CreatedBody,
): Probe {
  const { read, list } = readersFor(group, created)
  return {
    order: created.order,
    maxRequests: 1 + (read ? 1 : 0) + (list ? 1 : 0),
    requires: 'writes',
    checks: checksFor(group, create, body, created),
    send: (session) => createAndRead(session, group, create, body, created),
  }
}

/** The list is read for one of the bodies only. */
function readersFor(
  { operations: { read, list } }: ResourceOperations,
  { isComplete }: CreatedBody,
): { readonly read: Operation | undefined; readonly list: Operation | undefined } {
  return { read, list: isComplete ? undefined : list }
}

function checksFor(
  group: ResourceOperations,
  create: Operation,
  body: RequestBody,
  created: CreatedBody,
): CheckDefinition[] {
  const { resource } = group
  const { prefix, what, isComplete } = created
  const { read, list } = readersFor(group, created)

  return [
    operationCheck(create, prefix, `accepts ${what}`, ([response]) =>
      response ? hasSuccessStatus(create, response) : NO_RESPONSE,
    ),
    operationCheck(
      create,
      `${prefix}/values`,
      `returns the values of ${what}`,
      returnsSentValues(resource),
    ),
    newIdCheck(create, resource, prefix, what),
    ...(isComplete ? [] : defaultValueChecks(create, body)),
    ...(read ? [readBackCheck(read, resource, prefix, what)] : []),
    ...(list ? [listedCheck(list, resource)] : []),
  ]
}

async function createAndRead(
  session: Session,
  group: ResourceOperations,
  create: Operation,
  body: RequestBody,
  created: CreatedBody,
): Promise<ProbeResponse[]> {
  const { resource } = group
  const { text, isComplete } = created
  const { read, list } = readersFor(group, created)
  const model = referenceIn(session.records.first(resource), resource.id)
  const value = sampleBody(body, { model, text: freeText(text), isComplete })
  if (value === undefined) throw new NotSent('no valid body could be generated from the schema')
  const first = await session.send(bodyRequest(create, create.path, JSON.stringify(value)))
  if (!isSuccess(first) || !isObject(first.json)) return [first]
  session.records.addCreated(resource, first.json)
  const id = first.json[resource.id]
  const responses = [first]
  if (read && id !== undefined) responses.push(await session.send(readRequest(read, id)))
  if (list) responses.push(await session.send(listRequest(list, longestPage(list))))

  return responses
}
