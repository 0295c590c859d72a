import type { Schema } from '../../contract/contract.ts'
import { documentedResponse, mainContentOf } from '../../contract/documented-response.ts'
import { itemsOf, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from '../session/messages.ts'
import { recordIn, sentBody, valueAt } from '../session/record-address.ts'
import { typeOf } from '../test-data/values.ts'
import { type Evaluation, failure } from './check.ts'

/** The values of a record by their names. */
export type Values = readonly (readonly [name: string, value: unknown])[]

/** The record in the body of a request. */
export function sentRecord(response: ProbeResponse, { hints }: ResourceBinding): unknown {
  return valueAt(sentBody(response), hints.body ?? '')
}

/**
 * The values of a sent record that a response shows as they are: those whose name and type the schema of the response has. The server
 * may set dates, and the id.
 */
export function comparable(
  record: unknown,
  response: ProbeResponse,
  { hints, resource }: ResourceBinding,
): Values {
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
  if (Array.isArray(value)) {
    const items = itemsOf(property)
    return items !== undefined && value.every((one) => isShownAsSent(items, one))
  }
  return (typeof value === 'string' || typeof value === 'boolean') && type === typeof value
}

/** Whether a record has a value. The order of a list of texts may be that of the service. */
function hasValue(record: unknown, [name, value]: Values[number]): boolean {
  const found = isObject(record) ? record[name] : undefined
  if (!(Array.isArray(value) && Array.isArray(found))) return found === value
  return JSON.stringify([...value].sort()) === JSON.stringify([...found].sort())
}

/** The sent values that the response to a request shows as they were sent: a service that sets others is judged elsewhere. */
export function confirmed(response: ProbeResponse, binding: ResourceBinding): Values {
  const shown = recordIn(response, binding)
  return comparable(sentRecord(response, binding), response, binding).filter((one) =>
    hasValue(shown, one),
  )
}

/** Whether a response shows values, as far as the document has them in it. */
export function shows(
  response: ProbeResponse,
  binding: ResourceBinding,
  values: Values,
  why: string,
): Evaluation {
  const record = recordIn(response, binding)
  const wanted = comparable(Object.fromEntries(values), response, binding)
  const [name, value] = wanted.find((one) => !hasValue(record, one)) ?? []

  if (name === undefined) return 'passed'
  return { ...failure(response, `"${name}": ${JSON.stringify(value)}, ${why}`), about: name }
}
