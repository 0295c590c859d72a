import type { Operation, RequestBody } from '../../contract/contract.ts'
import { contentOf, documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import type { JsonObject } from '../../document/json-value.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/is-object.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { includesValues } from '../test-data/body-variants.ts'
import { longestPage } from '../test-data/page-size.ts'
import { type CheckDefinition, type Evaluation, type LeftOut, operationCheck } from './check.ts'
import { failure, isSuccess, recordsIn } from './evaluate.ts'
import { isRemoved } from './is-removed.ts'

export const NOTHING_CREATED: LeftOut = { leftOut: 'no record was created' }

export const NOTHING_VISIBLE: LeftOut = { leftOut: 'responses contain none of the sent properties' }

/** Evaluates the record that a creation returned. */
export function ifCreated(
  response: ProbeResponse | undefined,
  isExpected: (record: JsonObject, sent: unknown) => boolean,
  expected: (sent: unknown) => string,
): Evaluation {
  if (!response || !isSuccess(response)) return NOTHING_CREATED
  if (response.text === '' && isWithoutContent(response)) return NOTHING_VISIBLE
  const sent: unknown = JSON.parse(response.request.body ?? 'null')
  const record = isObject(response.json) ? response.json : {}

  return isExpected(record, sent) ? 'passed' : failure(response, expected(sent))
}

/** A creation returns the values that were sent. */
export function returnsSentValues(resource: Resource): CheckDefinition['evaluate'] {
  return ([response]) => {
    const expected = visiblePart(resource, JSON.parse(response?.request.body ?? 'null'))
    if (isEmpty(expected)) return NOTHING_VISIBLE
    return ifCreated(
      response,
      (record) => includesValues(record, expected),
      () => JSON.stringify(expected),
    )
  }
}

/** Whether the document has no content for the response. */
export function isWithoutContent({ status, request: { operation } }: ProbeResponse): boolean {
  const documented = operation && documentedResponse(operation, status)
  return status === 204 || !documented || contentOf(documented).length === 0
}

export function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

/**
 * The part of a request body that responses contain: everything except `writeOnly` properties, such as passwords, and the id,
 * which the server may assign.
 */
export function visiblePart({ hidden, id }: Resource, sent: unknown): unknown {
  if (!isObject(sent)) return sent
  const visible = Object.entries(sent).filter(([name]) => !hidden.has(name) && name !== id)
  return Object.fromEntries(visible)
}

/** The server assigns an id that no other record has. */
export function newIdCheck(
  create: Operation,
  resource: Resource,
  prefix: string,
  what: string,
): CheckDefinition {
  return operationCheck(
    create,
    `${prefix}/id`,
    `assigns a new id for ${what}`,
    ([response], records) =>
      ifCreated(
        response,
        (record) => records.isNew(record),
        () => `a new ${resource.id}`,
      ),
  )
}

/** A property that is omitted gets its default. OpenAPI does not require this, so it is a decision. */
export function defaultValueChecks(create: Operation, body: RequestBody): CheckDefinition[] {
  return [...propertiesOf(body.schema)].flatMap(([name, { default: preset, writeOnly }]) => {
    if (preset === undefined || writeOnly) return []
    const text = JSON.stringify(preset)
    return operationCheck(
      create,
      `default/${name}`,
      `sets ${name}=${text} when it is omitted`,
      ([response]) =>
        ifCreated(
          response,
          (record, sent) =>
            (isObject(sent) && Object.hasOwn(sent, name)) || includesValues(record[name], preset),
          () => `${name}: ${text}`,
        ),
      { decision: true },
    )
  })
}

export function readBackCheck(
  read: Operation,
  { id }: Resource,
  prefix: string,
  what: string,
): CheckDefinition {
  return operationCheck(
    read,
    `created/${prefix}`,
    `returns the record that was created from ${what}`,
    ([created, ...rest]) => {
      const response = rest.find(({ request }) => request.operation === read)
      if (!response || !created || !isObject(created.json)) return NOTHING_CREATED
      if (isRemoved(read, response.time)) return { leftOut: 'the operation is removed' }
      const isSame = isSuccess(response) && includesValues(response.json, created.json)
      return isSame
        ? 'passed'
        : failure(response, `200 ${JSON.stringify(created.json)} by its ${id}`)
    },
  )
}

export function listedCheck(list: Operation, { id }: Resource): CheckDefinition {
  return operationCheck(list, 'created', 'lists the created record', ([created, ...rest]) => {
    const response = rest.find(({ request }) => request.operation === list)
    if (!response || !created || !isObject(created.json)) return NOTHING_CREATED
    const expected = created.json
    const record = recordsIn(response).find((one) => one[id] === expected[id])
    const [[, most] = []] = longestPage(list)
    if (!record && recordsIn(response).length >= Number(most)) {
      return { leftOut: 'there are more records than fit on one page' }
    }
    return record && includesValues(record, expected)
      ? 'passed'
      : failure(response, JSON.stringify(expected))
  })
}
