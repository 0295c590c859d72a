import type { Operation, RequestBody } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  hasSuccessStatus,
  lastResponse,
  NO_RESPONSE,
  operationCheck,
  passIf,
  succeeds,
} from '../checks/check.ts'
import {
  defaultValueChecks,
  ifCreated,
  listedCheck,
  NOTHING_CREATED,
  newIdCheck,
  readBackCheck,
  returnsSentValues,
} from '../checks/record-checks.ts'
import { isSuccess, NotSent, type ProbeResponse } from '../messages.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import {
  type BodyVariant,
  type BoundaryValue,
  boundaryValues,
  invalidBodies,
  type LargeIntegerBody,
  largeIntegerBodies,
} from '../test-data/body-variants.ts'
import { freeText, referenceIn, sampleBody, takesJson } from '../test-data/sample-body.ts'
import { withOwnNames, wordsOf } from '../test-data/unguessable.ts'
import { longestPage } from '../test-data/values.ts'
import { ORDER, type Probe, requestTo, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'
import { NOT_REACHED } from './steps.ts'

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
  text: 'Zoë 测试 ✓',
  isComplete: true,
}

/** An operation that creates records of a resource from JSON. */
interface Creation {
  readonly resource: Resource
  readonly create: Operation
  readonly body: RequestBody
}

/** Creates records, reads them back, and looks for them in the list. */
export function createProbes({
  resource,
  operations: { create, read, list },
}: ResourceOperations): Probe[] {
  if (!create?.body || !takesJson(create.body)) return []
  const creation = { resource, create, body: create.body }

  return [
    creationProbe(creation, REQUIRED_ONLY, read, list),
    // The list is read for one of the bodies only.
    creationProbe(creation, COMPLETE, read, undefined),
    ...bodyProbes(creation),
  ]
}

function creationProbe(
  creation: Creation,
  created: CreatedBody,
  read: Operation | undefined,
  list: Operation | undefined,
): Probe {
  const { resource, create, body } = creation
  const { prefix, what, order, text, isComplete } = created
  return {
    order,
    maxRequests: 1 + (read ? 1 : 0) + (list ? 1 : 0),
    requires: 'writes',
    checks: [
      operationCheck(create, prefix, `accepts ${what}`, ([response]) => {
        if (!response) return NO_RESPONSE
        // What need not be sent may be what only one record has, such as a flag.
        const isConflict = response.status === 409 && documentedResponse(create, 409) !== undefined
        return isComplete && isConflict ? NOT_REACHED : hasSuccessStatus(create, response)
      }),
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
    ],
    send: async (session) => {
      const value = sampleLike(session, creation, freeText(text), isComplete)
      if (value === undefined) throw new NotSent('no valid body could be generated from the schema')
      const first = await (isComplete ? sendBody : sendSample)(session, create, value)
      if (!isSuccess(first) || !isObject(first.json)) return [first]
      session.records.addCreated(resource, first.json)
      const id = first.json[resource.id]
      const responses = [first]
      if (read && id !== undefined) responses.push(await session.send(requestTo(read, { id })))
      if (list) {
        responses.push(await session.send(requestTo(list, { query: longestPage(list) })))
      }
      return responses
    },
  }
}

/** A valid body whose reference to another record is that of an existing record. */
function sampleLike(
  { records, gate, bodies, inputs, unique }: Session,
  { resource, create, body }: Creation,
  text: string,
  isComplete: boolean,
): unknown {
  const given = inputs.bodyOf(create)
  // What the user gave is sent as it is, but for names.
  if (given !== undefined && !isComplete) return unique.in(create, withOwnNames(create, given))
  const model = isObject(given) ? given : referenceIn(records.first(resource), resource.id)
  const sample = sampleBody(body, { model, text, isComplete, now: gate.time })
  return bodies.accepted(create, unique.in(create, sample))
}

function sendBody(session: Session, create: Operation, value: unknown): Promise<ProbeResponse> {
  return session.send(requestTo(create, { body: JSON.stringify(value) }))
}

/** Sends a body that no check has changed, so that others are tried when it is refused. */
function sendSample(session: Session, create: Operation, value: unknown): Promise<ProbeResponse> {
  const body = JSON.stringify(value)
  return session.send({ ...requestTo(create, { body }), sample: body })
}

/** Invalid bodies, and valid bodies at the limits of the schema. */
function bodyProbes(creation: Creation): Probe[] {
  const { resource, create, body } = creation
  const valid = sampleBody(body, { model: undefined, text: freeText(), isComplete: false })
  if (!isObject(valid)) return []

  return [
    ...invalidBodies(body, valid, resource.id).map((variant, at) => {
      const isMissing = variant.what.startsWith('a missing')
      const order = isMissing ? ORDER.missingProperty : ORDER.invalidBody + at / 100
      return invalidBodyProbe(create, body, variant, order)
    }),
    ...boundaryValues(body, valid, resource.id).map((one) => boundaryValueProbe(creation, one)),
    ...largeIntegerBodies(body, valid, resource.id).map((one) => largeIntegerProbe(create, one)),
    existingIdProbe(creation),
  ]
}

/** A body that the operation must reject. */
export function invalidBodyProbe(
  operation: Operation,
  body: RequestBody,
  { what, text }: BodyVariant,
  order: number,
  targetOf: (session: Session) => Promise<string> = async () => operation.path,
): Probe {
  const isAllowed = text === '' && !body.required
  const checks = isAllowed ? [] : rejectionChecks(operation, 'body', what)

  return singleRequestProbe(order, operation, checks, async (session) => ({
    ...requestTo(operation, { target: await targetOf(session), body: text }),
    isExact: true,
  }))
}

const RESTRICTED =
  'the service accepts the property only with other values than those of the schema'

/** A body with one boundary value. The rest comes from an existing record. */
function boundaryValueProbe(creation: Creation, { what, name, value }: BoundaryValue): Probe {
  const { resource, create } = creation
  const shown = returnsSentValues(resource)
  return {
    order: ORDER.boundaryValue,
    maxRequests: 1,
    requires: 'writes',
    checks: [
      operationCheck(create, what, `accepts ${what}`, succeeds(create)),
      ...(resource.hidden.has(name)
        ? []
        : [operationCheck(create, `${what}/values`, `returns ${what}`, shown)]),
    ],
    send: async (session) => {
      if (session.bodies.isRestricted(create, name)) throw new NotSent(RESTRICTED)
      const record = sampleLike(session, creation, freeText(), false)
      const sent = { ...(isObject(record) && record), [name]: value }
      if (losesWord(create, record, sent)) throw new NotSent(NOT_SHOWN)
      const response = await sendBody(session, create, sent)
      if (isSuccess(response) && isObject(response.json)) {
        session.records.addCreated(resource, response.json)
      }
      return [response]
    },
  }
}

const NOT_SHOWN = 'nothing in the response would show that the record is new, to remove it'

/** Whether a body has no longer the word by which a response shows that a record is new. */
function losesWord({ responses }: Operation, before: unknown, after: unknown): boolean {
  const count = (value: unknown): number => wordsOf(JSON.stringify(value) ?? '').length
  const isStated = responses.some(({ status }) => status === 201)
  return !isStated && count(before) > 0 && count(after) === 0
}

/** A large integer that many programs round: the server must return it exactly or reject it. */
function largeIntegerProbe(create: Operation, { what, text, digits }: LargeIntegerBody): Probe {
  const name = `keeps ${what} exactly, or rejects it`
  const evaluate = lastResponse((response) => {
    const isRejected = response.status === 400 || response.status === 422
    const isExact = isSuccess(response) && new RegExp(`\\b${digits}\\b`).test(response.text)
    return passIf(isRejected || isExact, response, `${digits} in the response, or a 400`)
  })
  const checks = [operationCheck(create, what, name, evaluate)]

  return singleRequestProbe(ORDER.largeInteger, create, checks, () => ({
    ...requestTo(create, { body: text }),
    isExact: true,
  }))
}

/** The server assigns ids: an id from the client must not create a second record with that id. */
function existingIdProbe(creation: Creation): Probe {
  const { resource, create } = creation
  return {
    order: ORDER.largeInteger,
    maxRequests: 2,
    requires: 'writes',
    checks: [existingIdCheck(create, resource)],
    send: async (session) => {
      const record = sampleLike(session, creation, freeText(), false)
      if (!isObject(record)) return []
      const idOf = (one: unknown): unknown => (isObject(one) ? one[resource.id] : undefined)
      // That of a record of this run, because a service may replace the record.
      const id =
        idOf(session.records.created(resource)) ??
        idOf((await sendBody(session, create, record)).json)
      if (id === undefined) return []
      const body = JSON.stringify({ ...record, [resource.id]: id })
      return [await session.send({ ...requestTo(create, { body }), isRepeated: true })]
    },
  }
}

function existingIdCheck(create: Operation, resource: Resource): CheckDefinition {
  return operationCheck(create, 'chosen-id', 'does not accept an existing id', ([response]) => {
    if (!response) return NOTHING_CREATED
    if (!isSuccess(response)) return passIf(response.status < 500, response, 'a new id, or a 400')
    return ifCreated(
      response,
      (record, sent) => record[resource.id] !== sent[resource.id],
      `another ${resource.id}`,
    )
  })
}
