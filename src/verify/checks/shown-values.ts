import type { Schema } from '../../contract/contract.ts'
import {
  chooseResponse,
  documentedResponse,
  mainContentOf,
} from '../../contract/documented-response.ts'
import {
  isSameRecord,
  itemsOf,
  propertiesOf,
  requiredNames,
  schemaAt,
} from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from '../messages.ts'
import {
  placeOfValues,
  recordIn,
  sentBody,
  sentPlace,
  valueAt,
  valuesIn,
} from '../record-address.ts'
import { isDate, typeOf, withoutNull } from '../test-data/values.ts'
import { type Evaluation, failure, shorten } from './check.ts'

/** The values of a record by their names. */
export type Values = readonly (readonly [name: string, value: unknown])[]

/** The record in the body of a request. */
export function sentRecord(response: ProbeResponse, binding: ResourceBinding): unknown {
  return valueAt(sentBody(response), sentPlace(binding))
}

/** The schema of the record in a successful response. */
export function shownSchema({ operation, hints }: ResourceBinding): Schema | undefined {
  const { schema } = chooseResponse(operation).documented ?? {}
  return schema && schemaAt(schema, hints.record ?? '')
}

/** The names of dates that services set, also where a request has them. */
const SET_BY_SERVICE = /creat|updat|modif|chang|last|insert|regist|publish|seen/i

/**
 * The values of a sent record that a response shows as they are: those whose name and type the schema of the response has. The server
 * may set the id, and dates that a request need not have.
 */
export function comparable(
  record: unknown,
  response: ProbeResponse,
  { operation, hints, resource, ...binding }: ResourceBinding,
): Values {
  const properties = propertiesIn(response, hints.record ?? '')
  if (!isObject(record) || !properties) return []
  const values = valuesIn(recordIn(response, { operation, resource, hints, ...binding }))
  const renamed = new Set(Object.keys(hints.views ?? {}))
  const required = requiredNames(resource.creation?.schema ?? {})

  return Object.entries(record).flatMap(([name, value]) => {
    const property = properties.get(name)
    const isOther = renamed.has(name) || resource.hidden.has(name)
    if (!property || isOther || name === resource.id || name === hints.id) return []
    const isDecided = isSentDate(property) && required.has(name) && !isSetByService(name, property)
    const shown = isObject(values) ? values[name] : undefined
    const part = isDecided ? value : partShownAsSent(property, value, shown, name)
    return part === undefined ? [] : [[name, part] as const]
  })
}

/** The schema of the values of the record that a response has at a place. */
export function schemaIn(
  { status, request: { operation } }: ProbeResponse,
  place: string,
): Schema | undefined {
  const documented = operation && documentedResponse(operation, status)
  const { schema } = (documented && mainContentOf(documented)) ?? {}
  return schema && schemaAt(schema, placeOfValues(schema, place))
}

/** The properties of the record that a response has at a place, as the document describes them. */
function propertiesIn(
  response: ProbeResponse,
  place: string,
): ReadonlyMap<string, Schema> | undefined {
  const shown = schemaIn(response, place)
  return shown && propertiesOf(shown)
}

/** The names of the properties that a list and the response to a read show with the same schema, or with plain values. */
export function comparableNames(
  list: ProbeResponse,
  { hints: { record = '', item = '' } }: ResourceBinding,
  read: ProbeResponse,
  { hints }: ResourceBinding,
): ReadonlySet<string> {
  const listed = propertiesIn(list, `${record}/0${item}`)
  const shown = propertiesIn(read, hints.record ?? '')
  const isSame = (name: string): boolean => {
    const [one, other] = [listed?.get(name), shown?.get(name)].map(innermost)
    return !isNested(other) || (one !== undefined && isSameRecord(one, other))
  }
  return new Set([...(shown?.keys() ?? [])].filter(isSame))
}

/** Values that may differ from one moment to the next. */
export const VOLATILE: RegExp =
  /view|visit|access|seen|read|token|secret|signature|expire|remain|elapsed|age$|ago$|etag|url$|link$/i

/**
 * The name of a plain value that only the service sets, and that a list shows otherwise than a read does, where the document describes
 * both with the same properties.
 */
export function shownOtherwise(
  list: ProbeResponse,
  { hints: { record = '', item = '' } }: ResourceBinding,
  listed: JsonObject,
  read: ProbeResponse,
  binding: ResourceBinding,
): string | undefined {
  const [one, other] = [
    schemaIn(list, `${record}/0${item}`),
    schemaIn(read, binding.hints.record ?? ''),
  ]
  const shown = valuesIn(recordIn(read, binding))
  if (!one || !other || !isSameRecord(one, other) || !isObject(shown)) return undefined
  return [...propertiesOf(other)].find(([name, property]) => {
    const isStable = property.readOnly && !isDate(property) && !VOLATILE.test(name)
    const [before, after] = [listed[name], shown[name]]
    return isStable && isScalar(before) && isScalar(after) && before !== after
  })?.[0]
}

export function isScalar(value: unknown): boolean {
  return value !== undefined && (value === null || typeof value !== 'object')
}

function innermost(schema: Schema = {}): Schema {
  const items = itemsOf(schema)
  return items ? innermost(items) : schema
}

function isNested(schema: Schema | undefined): schema is Schema {
  return schema !== undefined && (typeOf(schema) === 'object' || propertiesOf(schema).size > 0)
}

/** Names of the place that a record has in a list. */
export const PLACE_IN_LIST: RegExp = /(position|rank|place|ordinal|sort_?order)$/i

/** Whether a record that was sent with a place after the end of its list is shown with an earlier one, such as the last. */
function isAfterEnd(name: string, value: unknown, shown: unknown): boolean {
  return (
    PLACE_IN_LIST.test(name) &&
    typeof value === 'number' &&
    typeof shown === 'number' &&
    shown < value
  )
}

/**
 * The part of a value that a response shows as it was sent: of an object, the properties that it does. What has a form, such as an address, is
 * as the response writes it, unless that is another value.
 */
function partShownAsSent(property: Schema, value: unknown, shown: unknown, name: string): unknown {
  if (Array.isArray(value) && value.some(isObject)) return itemsShownAsSent(property, value, shown)
  if (!isObject(value)) {
    if (isAfterEnd(name, value, shown)) return shown
    if (typeof value === 'string' && isOfForm(property, name))
      return isSameForm(value, shown) ? shown : value
    return isShownAsSent(property, value) ? value : undefined
  }
  const inner = propertiesOf(property)
  const parts = Object.entries(value).flatMap(([key, one]) => {
    const own = isObject(shown) ? shown[key] : undefined
    const part = partShownAsSent(inner.get(key) ?? NOT_DESCRIBED, one, own, key)
    return part === undefined ? [] : [[key, part] as const]
  })
  return parts.length === 0 || property.readOnly ? undefined : Object.fromEntries(parts)
}

function itemsShownAsSent(property: Schema, value: readonly unknown[], shown: unknown): unknown {
  const items = itemsOf(property)
  const list = Array.isArray(shown) ? shown : []
  const parts = value.map((one, at) => items && partShownAsSent(items, one, list[at], ''))
  return property.readOnly || parts.includes(undefined) ? undefined : parts
}

/** The names of times at which something was done, which the service may set. */
const DONE = /ed[-_]?(at|time)$/i

/** Whether a text of a property has a form that can be compared: that of a day, an address or a pattern. An id may be given by the service. */
function isOfForm(property: Schema, name: string): boolean {
  const { enum: members, format, pattern } = withoutNull(property)
  if (property.readOnly || property.writeOnly || members || property.const !== undefined)
    return false
  if (isDate(property)) return !SET_BY_SERVICE.test(name) && !DONE.test(name)
  if (format !== undefined) return /^(email|uri|url)$/.test(format)
  return pattern !== undefined && !/(^|[^a-z])ids?$|I[dD]s?$/.test(name)
}

/** Whether two texts of a form are the same: a service may write them in its own way. */
function isSameForm(sent: string, shown: unknown): boolean {
  if (typeof shown !== 'string') return false
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return isSameMoment(sent, shown) || plain(sent) === plain(shown)
}

/** A property that the document does not describe may be dropped. */
const NOT_DESCRIBED: Schema = { readOnly: true }

/** Whether a property is a date that services set, whatever a request has. */
export function isSetByService(name: string, property: Schema): boolean {
  return isSentDate(property) && SET_BY_SERVICE.test(name)
}

function isSentDate(schema: Schema): boolean {
  return isDate(schema) && !schema.readOnly && !schema.writeOnly
}

function isShownAsSent(property: Schema, value: unknown): boolean {
  if (property.readOnly || property.writeOnly) return false
  if (value === null) return surelyMatches(property, null)
  const { enum: members, pattern, format } = withoutNull(property)
  if (format !== undefined) return false
  // A response cannot show a value that its own schema does not allow.
  if (members && !members.includes(value)) return false
  if (property.const !== undefined) return false
  // Digits have one form only.
  if (pattern !== undefined) return typeof value === 'string' && /^\d+$/.test(value)
  const type = typeOf(property)
  if (typeof value === 'number') return type === 'number' || type === 'integer'
  if (Array.isArray(value)) {
    const items = itemsOf(property)
    return items !== undefined && value.every((one) => isShownAsSent(items, one))
  }
  return (typeof value === 'string' || typeof value === 'boolean') && type === typeof value
}

/** Whether a record has a value. The order of a list of texts may be that of the service, and so may the way to write a date. */
function hasValue(record: unknown, [name, value]: Values[number]): boolean {
  const found = isObject(record) ? record[name] : undefined
  if (Array.isArray(value) && Array.isArray(found) && value.some(isObject))
    return value.every((one, at) => hasValue({ item: found[at] }, ['item', one]))
  if (Array.isArray(value) && Array.isArray(found))
    return JSON.stringify([...value].sort()) === JSON.stringify([...found].sort())
  if (isObject(value))
    return isObject(found) && Object.entries(value).every((one) => hasValue(found, one))
  // A response may leave out what has no value.
  if (value === null && isObject(record)) return found === null || found === undefined
  return found === value || isSameMoment(value, found)
}

/** Whether two texts are the same date. The service may have no fractions of a second. */
export function isSameMoment(one: unknown, other: unknown): boolean {
  const [first, second] = [one, other].map((text) =>
    typeof text === 'string' && /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN,
  )
  return Math.abs((first ?? Number.NaN) - (second ?? Number.NaN)) < 1000
}

/** The sent values that the response to a request shows as they were sent: a service that sets others is judged elsewhere. */
export function confirmed(response: ProbeResponse, binding: ResourceBinding): Values {
  const shown = valuesIn(recordIn(response, binding))
  return comparable(sentRecord(response, binding), response, binding).filter((one) =>
    hasValue(shown, one),
  )
}

/** The number of characters of a value in what is expected. */
const MAX_LENGTH = 200

/** Whether a response shows values, as far as the document has them in it. */
export function shows(
  response: ProbeResponse,
  binding: ResourceBinding,
  values: Values,
  why: string,
): Evaluation {
  const record = valuesIn(recordIn(response, binding))
  const wanted = comparable(Object.fromEntries(values), response, binding)
  const [name, value] = wanted.find((one) => !hasValue(record, one)) ?? []

  if (name === undefined) return 'passed'
  const shown = shorten(JSON.stringify(value), MAX_LENGTH)
  return { ...failure(response, `"${name}": ${shown}, ${why}`), about: name }
}
