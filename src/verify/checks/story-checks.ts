import { chooseResponse } from '../../contract/choose-response.ts'
import type { Schema } from '../../contract/contract.ts'
import { documentedResponse, mainContentOf } from '../../contract/documented-response.ts'
import { schemaAt } from '../../contract/schema-places.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import {
  createdId,
  idIn,
  recordIn,
  recordsAt,
  sentBody,
  valueAt,
} from '../requests/record-address.ts'
import { typeOf } from '../test-data/schema-keywords.ts'
import { type CheckDefinition, type LeftOut, operationCheck } from './check.ts'
import { failure, hasSuccessStatus, isSuccess } from './evaluate.ts'
import { isRemoved } from './is-removed.ts'

const NOTHING_CREATED: LeftOut = { leftOut: 'no record was created whose id is known' }

type Responses = readonly ProbeResponse[]

/** A created record can be read, with the values that were sent. */
export function foundCheck(create: ResourceBinding, read: ResourceBinding): CheckDefinition {
  return operationCheck(read.operation, 'created', 'returns a created record', (responses) =>
    keepsValues(responses, create, read),
  )
}

/** A changed record is read with the values that were sent. */
export function changedCheck(change: ResourceBinding, read: ResourceBinding): CheckDefinition {
  const id = `after/${change.operation.id}`
  const name = `returns the values that ${change.operation.id} changed`

  return operationCheck(read.operation, id, name, (responses) => {
    const changed = responseTo(change, responses)
    if (!changed || !isSuccess(changed)) return { leftOut: 'no record was changed' }
    return keepsValues(responses, change, read)
  })
}

function keepsValues(
  responses: Responses,
  change: ResourceBinding,
  read: ResourceBinding,
): ReturnType<CheckDefinition['evaluate']> {
  const sent = responseTo(change, responses)
  const found = responseTo(read, responses)
  if (!sent || !found) return NOTHING_CREATED
  if (isRemoved(read.operation, found.time)) return { leftOut: 'the operation is removed' }
  const status = hasSuccessStatus(read.operation, found)
  if (status !== 'passed') return status
  if (found.text === '') return { leftOut: 'the response has no body' }
  const shown = recordIn(found, read)
  const record = valueAt(sentBody(sent), change.hints.body ?? '')
  const wrong = comparable(record, found, read).find(
    ([name, value]) => !isObject(shown) || shown[name] !== value,
  )
  if (!wrong) return 'passed'
  const [name, value] = wrong

  return failure(found, `"${name}": ${JSON.stringify(value)}, as it was sent`)
}

/**
 * The simple values of a sent record that a response shows as they are: those whose name and type the schema of the response has.
 * The server may set dates, and the id.
 */
function comparable(
  record: unknown,
  response: ProbeResponse,
  { hints, resource }: ResourceBinding,
): readonly (readonly [string, unknown])[] {
  const { operation } = response.request
  const documented = operation && documentedResponse(operation, response.status)
  const content = documented && mainContentOf(documented)
  const shown = content?.schema && schemaAt(content.schema, hints.record ?? '')
  if (!isObject(record) || !shown) return []
  const properties = propertiesOf(shown)
  const renamed = new Set(Object.keys(hints.views ?? {}))

  return Object.entries(record).filter(([name, value]) => {
    const property = properties.get(name)
    if (!property || renamed.has(name) || name === resource.id || name === hints.id) return false
    return isShownAsSent(property, value) && !resource.hidden.has(name)
  })
}

function isShownAsSent(property: Schema, value: unknown): boolean {
  if (property.readOnly || property.writeOnly || property.format !== undefined) return false
  const { enum: members, pattern } = property
  // A response cannot show a value that its own schema does not allow.
  if (members && !members.includes(value)) return false
  if (pattern !== undefined || property.const !== undefined) return false
  const type = typeOf(property)
  if (typeof value === 'number') return type === 'number' || type === 'integer'
  return (typeof value === 'string' || typeof value === 'boolean') && type === typeof value
}

/** A list contains a created record. */
export function listedCheck(create: ResourceBinding, list: ResourceBinding): CheckDefinition {
  return operationCheck(list.operation, 'created', 'lists a created record', (responses) => {
    const created = responseTo(create, responses)
    const listed = responseTo(list, responses)
    const id = created && createdId(created, create)
    if (!listed || id === undefined) return NOTHING_CREATED
    const status = hasSuccessStatus(list.operation, listed)
    if (status !== 'passed') return status
    const ids = recordsAt(listed, list)?.map((record) => idIn(record, list))
    if (!ids || ids.every((one) => one === undefined)) return { leftOut: 'the list shows no ids' }
    if (ids.includes(id)) return 'passed'

    return list.hints.paging
      ? { leftOut: 'the record may be on another page' }
      : failure(listed, `a record with the id ${id}`)
  })
}

/** A removed record is not found. */
export function goneCheck(remove: ResourceBinding, read: ResourceBinding): CheckDefinition {
  const { operation } = remove
  const name = `does not find the record that ${operation.id} removed`

  return operationCheck(read.operation, `after/${operation.id}`, name, (responses) => {
    const removed = responseTo(remove, responses)
    const found = responseTo(read, responses)
    if (!removed || !found || !isSuccess(removed)) return { leftOut: 'no record was removed' }
    return isSuccess(found) ? failure(found, '404') : 'passed'
  })
}

/** The request of a story succeeds. */
export function doneCheck(binding: ResourceBinding, what: string): CheckDefinition {
  return operationCheck(binding.operation, 'created', what, (responses) => {
    const response = responseTo(binding, responses)
    return response ? hasSuccessStatus(binding.operation, response) : NOTHING_CREATED
  })
}

/** Where the document says what happens when a record does not exist. */
export function hasAbsence({ operation }: ResourceBinding): boolean {
  const { documented } = chooseResponse(operation)
  return documented !== undefined && documentedResponse(operation, 404) !== undefined
}

function responseTo(
  { operation }: ResourceBinding,
  responses: Responses,
): ProbeResponse | undefined {
  return responses.find(({ request }) => request.operation === operation)
}
