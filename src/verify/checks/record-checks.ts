import type { Operation, RequestBody, Schema } from '../../contract/contract.ts'
import { contentOf, documentedResponse } from '../../contract/documented-response.ts'
import { itemsOf, propertiesOf, typesIn } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { hasType } from '../../document/schemas/read-keywords.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { includesValues, longestPage, typeOf } from '../test-data/values.ts'
import {
  type CheckDefinition,
  type Evaluate,
  type Evaluation,
  isRemoved,
  type LeftOut,
  OPERATION_REMOVED,
  operationCheck,
  passIf,
  recordsIn,
} from './check.ts'
import { isSetByService } from './shown-values.ts'

export const NOTHING_CREATED: LeftOut = { leftOut: 'no record was created' }

export const NOTHING_VISIBLE: LeftOut = { leftOut: 'responses contain none of the sent properties' }

const NO_ID: LeftOut = { leftOut: 'the response shows no id' }

const NO_RECORD: LeftOut = { leftOut: 'the request or the response has no record, but a list' }

/** Evaluates the record that a creation returned. */
export function ifCreated(
  response: ProbeResponse | undefined,
  isExpected: (record: JsonObject, sent: JsonObject) => boolean,
  expected: string,
): Evaluation {
  if (!response || !isSuccess(response)) return NOTHING_CREATED
  if (response.text === '' && isWithoutContent(response)) return NOTHING_VISIBLE
  const sent: unknown = JSON.parse(response.request.body ?? 'null')
  if (!isObject(sent) || !describesRecord(response)) return NO_RECORD
  const record = isObject(response.json) ? response.json : {}

  return passIf(isExpected(record, sent), response, expected)
}

/** A creation returns the values that were sent. */
export function returnsSentValues(resource: Resource): Evaluate {
  return ([response]) => {
    const sent = visiblePart(resource, JSON.parse(response?.request.body ?? 'null'))
    const expected = response ? sentPart(response, sent) : sent
    if (isEmpty(expected)) return NOTHING_VISIBLE
    return ifCreated(
      response,
      (record) => includesValues(record, expected),
      JSON.stringify(expected),
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
  const name = `assigns a new id for ${what}`
  return operationCheck(create, `${prefix}/id`, name, ([response], records) => {
    if (response && !hasProperty(response, resource.id)) return NO_ID
    return ifCreated(response, (record) => records.isNew(record), `a new ${resource.id}`)
  })
}

/** A property that is omitted gets its default. OpenAPI does not require this, so it is a decision. */
export function defaultValueChecks(create: Operation, body: RequestBody): CheckDefinition[] {
  return [...propertiesOf(body.schema)].flatMap(([name, { default: preset, writeOnly }]) => {
    if (preset === undefined || writeOnly) return []
    const text = JSON.stringify(preset)
    const evaluate: Evaluate = ([response]) => {
      if (response && isEmpty(shownPart(response, { [name]: preset }))) return NOTHING_VISIBLE
      return ifCreated(
        response,
        (record, sent) => Object.hasOwn(sent, name) || includesValues(record[name], preset),
        `${name}: ${text}`,
      )
    }
    const what = `sets ${name}=${text} when it is omitted`
    return operationCheck(create, `default/${name}`, what, evaluate, { decision: true })
  })
}

/** Whether the path of an operation on a record can contain an id. */
function canContain({ parameters }: Operation, id: unknown): boolean {
  const parameter = parameters.find((one) => one.in === 'path')
  return !parameter || parameter.validate(id) || parameter.validate(String(id))
}

export function readBackCheck(
  read: Operation,
  { id }: Resource,
  prefix: string,
  what: string,
): CheckDefinition {
  const name = `returns the record that was created from ${what}`
  return operationCheck(read, `created/${prefix}`, name, ([created, ...rest]) => {
    const response = rest.find(({ request }) => request.operation === read)
    if (!response || !created || !isObject(created.json)) return NOTHING_CREATED
    if (isRemoved(read, response.time)) return OPERATION_REMOVED
    if (!canContain(read, created.json[id])) return { leftOut: 'no path can contain the new id' }
    const isSame =
      isSuccess(response) && includesValues(response.json, shownPart(response, created.json))
    return passIf(isSame, response, `200 ${JSON.stringify(created.json)} by its ${id}`)
  })
}

export function listedCheck(list: Operation, { id }: Resource): CheckDefinition {
  return operationCheck(list, 'created', 'lists the created record', ([created, ...rest]) => {
    const response = rest.find(({ request }) => request.operation === list)
    if (!response || !created || !isObject(created.json)) return NOTHING_CREATED
    const expected = created.json
    const records = recordsIn(response)
    const showsIds = hasProperty(response, id) || records.some((one) => one[id] !== undefined)
    if (records.length > 0 && !showsIds) return NO_ID
    const record = records.find((one) => String(one[id]) === String(expected[id]))
    const [[, most] = []] = longestPage(list)
    if (!record && records.length >= Number(most)) {
      return { leftOut: 'there are more records than fit on one page' }
    }
    const isListed = record && includesValues(record, shownPart(response, expected))
    return passIf(isListed === true, response, JSON.stringify(expected))
  })
}

/** Whether the document lets a response be an object. Another one cannot be compared with a record. */
function describesRecord(response: ProbeResponse): boolean {
  const type = typeOf(schemaOf(response) ?? {})
  return type === undefined || type === 'object'
}

/**
 * The part of a record that the document has in a response, or in the items of a list: the properties that the schema names, if it
 * names any.
 */
export function shownPart(response: ProbeResponse, record: unknown): unknown {
  const properties = propertiesOf(recordSchemaOf(response))
  if (!isObject(record) || properties.size === 0) return record
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const property = properties.get(name)
      return property && canShow(property, value) ? [[name, shownInside(property, value)]] : []
    }),
  )
}

/** A value with the properties that the schema names inside of it, without those that are `writeOnly`, such as the secret of a webhook. */
function shownInside(schema: Schema, value: unknown): unknown {
  const items = itemsOf(schema)
  if (Array.isArray(value)) return items ? value.map((one) => shownInside(items, one)) : value
  const properties = propertiesOf(schema)
  if (!isObject(value) || properties.size === 0) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const property = properties.get(name)
      return property && !property.writeOnly ? [[name, shownInside(property, one)]] : []
    }),
  )
}

/** Whether a property can have a value. Other responses may show the same property with another type. */
function canShow(property: Schema, value: unknown): boolean {
  const types = [...typesIn(property)]
  return types.length === 0 || types.some((type) => hasType(value, type))
}

/** The part of a sent record that a response shows as it was sent: what only the service sets is read-only in the response. */
export function sentPart(response: ProbeResponse, sent: unknown): unknown {
  const properties = propertiesOf(recordSchemaOf(response))
  const shown = shownPart(response, sent)
  if (!isObject(shown)) return shown
  return Object.fromEntries(
    Object.entries(shown).filter(([name]) => {
      const property = properties.get(name)
      return !property || !(property.readOnly || isSetByService(name, property))
    }),
  )
}

/** Whether the document names a property of the records in a response. */
function hasProperty(response: ProbeResponse, name: string): boolean {
  return propertiesOf(recordSchemaOf(response)).has(name)
}

/** The schema of the record in a response, or of the items of a list. */
function recordSchemaOf(response: ProbeResponse): Schema {
  const schema = schemaOf(response) ?? {}
  return schema.items ?? schema
}

/** The schema of a response, that of JSON first. */
function schemaOf({ status, request: { operation } }: ProbeResponse): Schema | undefined {
  const documented = operation && documentedResponse(operation, status)
  return documented && contentOf(documented)[0]?.schema
}
