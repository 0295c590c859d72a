import type { Operation, RequestBody } from '../../contract/contract.ts'
import type { JsonObject } from '../../document/json-value.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import { failure, hasStatus, lastResponse, operationCheck, succeeds } from '../checks/check.ts'
import { ifCreated, NOTHING_CREATED, returnsSentValues } from '../checks/record-checks.ts'
import { isSuccess, type ProbeRequest } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import {
  type BodyVariant,
  type BoundaryValue,
  boundaryValues,
  invalidBodies,
  type LargeIntegerBody,
  largeIntegerBodies,
} from '../test-data/body-variants.ts'
import { freeText, referenceIn, sampleBody } from '../test-data/sample-body.ts'
import { bodyRequest, ORDER, type Probe, singleRequestProbe } from './probe.ts'
import { rejectionChecks } from './refusals.ts'

/** Invalid bodies, and valid bodies at the limits of the schema. */
export function bodyProbes(resource: Resource, create: Operation, body: RequestBody): Probe[] {
  const valid = sampleRecord(body, undefined)
  if (!valid) return []

  return [
    ...invalidBodies(body, valid, resource.id).map((variant, at) =>
      invalidBodyProbe(create, body, variant, at),
    ),
    ...boundaryValues(body, valid, resource.id).map((one) =>
      boundaryValueProbe(resource, create, body, one),
    ),
    ...largeIntegerBodies(body, valid, resource.id).map((variant) =>
      largeIntegerProbe(create, variant),
    ),
    existingIdProbe(resource, create, body),
  ]
}

function sampleRecord(body: RequestBody, model: JsonObject | undefined): JsonObject | undefined {
  const value = sampleBody(body, { model, text: freeText(), isComplete: false })
  return isObject(value) ? value : undefined
}

/** A body that the operation must reject. */
export function invalidBodyProbe(
  operation: Operation,
  body: RequestBody,
  { what, text }: BodyVariant,
  at: number,
  targetOf: (session: Session) => Promise<string> = async () => operation.path,
): Probe {
  const isAllowed = text === '' && !body.required
  return {
    order: what.startsWith('a missing') ? ORDER.missingProperty : ORDER.invalidBody + at / 100,
    maxRequests: 1,
    requires: 'writes',
    checks: isAllowed ? [] : rejectionChecks(operation, 'body', what, what.replaceAll(' ', '-')),
    send: async (session) => [
      await session.send(bodyRequest(operation, await targetOf(session), text)),
    ],
  }
}

/** A body with one boundary value. The rest comes from an existing record. */
function boundaryValueProbe(
  resource: Resource,
  create: Operation,
  body: RequestBody,
  { what, name, value }: BoundaryValue,
): Probe {
  return {
    order: ORDER.boundaryValue,
    maxRequests: 1,
    requires: 'writes',
    checks: [
      operationCheck(create, what, `accepts ${what}`, succeeds(create)),
      ...(resource.hidden.has(name)
        ? []
        : [
            operationCheck(
              create,
              `${what}/values`,
              `returns ${what}`,
              returnsSentValues(resource),
            ),
          ]),
    ],
    send: async (session) => {
      const sent = {
        ...sampleRecord(body, referenceIn(session.records.first(resource), resource.id)),
        [name]: value,
      }
      const response = await session.send(bodyRequest(create, create.path, JSON.stringify(sent)))
      if (isSuccess(response) && isObject(response.json)) {
        session.records.addCreated(resource, response.json)
      }
      return [response]
    },
  }
}

/** A large integer that many programs round: the server must return it exactly or reject it. */
function largeIntegerProbe(create: Operation, { what, text, digits }: LargeIntegerBody): Probe {
  return {
    order: ORDER.largeInteger,
    maxRequests: 1,
    requires: 'writes',
    checks: [
      operationCheck(
        create,
        what,
        `keeps ${what} exactly, or rejects it`,
        lastResponse((response) => {
          if (response.status === 400 || response.status === 422) return 'passed'
          const isExact = isSuccess(response) && new RegExp(`\\b${digits}\\b`).test(response.text)
          return isExact ? 'passed' : failure(response, `${digits} in the response, or a 400`)
        }),
      ),
    ],
    send: async (session) => [await session.send(bodyRequest(create, create.path, text))],
  }
}

/** The server assigns ids: an id from the client must not create a second record with that id. */
function existingIdProbe(resource: Resource, create: Operation, body: RequestBody): Probe {
  return {
    order: ORDER.largeInteger,
    maxRequests: 2,
    requires: 'writes',
    checks: [
      operationCheck(create, 'chosen-id', 'does not accept an existing id', ([response]) => {
        if (!response) return NOTHING_CREATED
        if (!isSuccess(response)) {
          return response.status < 500 ? 'passed' : failure(response, 'a new id, or a 400')
        }
        return ifCreated(
          response,
          (record, sent) => isObject(sent) && record[resource.id] !== sent[resource.id],
          () => `another ${resource.id}`,
        )
      }),
    ],
    send: async (session) => {
      const createOne = async (record: JsonObject): Promise<unknown> => {
        const { json } = await session.send(
          bodyRequest(create, create.path, JSON.stringify(record)),
        )
        return isObject(json) ? json[resource.id] : undefined
      }
      // That of a record of this run, because a service may replace the record.
      const model = session.records.first(resource)
      const record = sampleRecord(body, referenceIn(model, resource.id))
      if (!record) return []
      const id = session.records.created(resource)?.[resource.id] ?? (await createOne(record))
      if (id === undefined) return []
      const text = JSON.stringify({ ...record, [resource.id]: id })
      return [await session.send(bodyRequest(create, create.path, text))]
    },
  }
}

/** Much longer than a record needs. */
const LARGE_BODY = 2 * 1024 * 1024

/**
 * Bodies that a server rejects before it parses them: another media type, and a body that is too large. Without `bodyLimit`, nobody
 * knows what is too large.
 */
export function mediaTypeAndSizeProbes(create: Operation, bodyLimit: number = LARGE_BODY): Probe[] {
  const isTooLarge = LARGE_BODY > bodyLimit
  return [
    ...rejectionProbe(create, 415, 'a body of type text/plain', {
      body: 'verify',
      type: 'text/plain',
    }),
    ...(isTooLarge
      ? rejectionProbe(create, 413, 'a body of 2 MiB', { body: `"${'x'.repeat(LARGE_BODY)}"` })
      : []),
  ]
}

/** Only where the document has the status. */
function rejectionProbe(
  create: Operation,
  status: number,
  what: string,
  sent: Pick<ProbeRequest, 'body' | 'type'>,
): Probe[] {
  const documented = create.responses.find((one) => one.status === status)
  if (!documented) return []
  const { method, path: target } = create
  const request: ProbeRequest = { operation: create, method, target, credentials: 'key', ...sent }
  const { decision } = documented
  const name = `rejects ${what} with a ${status}`
  const check = operationCheck(create, `body/${status}`, name, hasStatus(status), {
    ...(decision && { decision }),
  })

  return [singleRequestProbe(ORDER.mediaTypeAndSize, request, [check], 'writes')]
}
