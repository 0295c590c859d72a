import { nestedSchema } from '../../contract/bracket-names.ts'
import type { Schema } from '../../contract/contract.ts'
import { SERVICE_VALUES } from '../../contract/hints.ts'
import {
  isObjectSchema,
  itemsOf,
  listedValues,
  parsePointer,
  plainName,
  propertiesOf,
  readOnlyNames,
  recordSchemaAt,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { SECRET, secretIn } from '../../inference/secrets.ts'
import type { Note } from '../../journal/exchange.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject, setOwn } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { asUnchecked, withoutHidden } from '../hidden-properties.ts'
import { shownId } from '../keys.ts'
import { parentValues } from '../reference-names.ts'
import type { Resource } from '../resource.ts'
import { valueAt } from '../views/service-values.ts'
import type { AdmittedRequest, RecordRequest } from './record-request.ts'

/** The record in the body of a request, with what the query says of it. */
function recordIn({ input }: AdmittedRequest, binding: ResourceBinding): StoredRecord {
  const { beside = [], body, query } = binding.hints
  const value = valueAt(input.body, parsePointer(body ?? ''))
  // A request about one record may send it in a list.
  const [only] = Array.isArray(value) ? value : [value]
  const sent = isObject(only) ? only : {}
  const record = binding.operation.body ? sent : fitting(sent, binding.resource)
  if (beside.length === 0 && !query) return record
  const around = Object.entries(Object(input.body)).filter(([name]) => beside.includes(name))
  const inQuery = Object.entries(query ?? {}).flatMap(([name, property]) => {
    const one = getOwn(input.query, name)
    return one === undefined ? [] : [[property, one] as const]
  })
  return { ...Object.fromEntries([...inQuery, ...around]), ...record }
}

/** Where a request has a property of its record, such as `body.user.email`. */
export function sentPlace(name: string, { hints }: Pick<ResourceBinding, 'hints'>): string {
  return ['body', ...parsePointer(hints.body ?? ''), name].join('.')
}

/** The value in the body of a request that is no object: that of one property. */
function scalarIn({ input }: AdmittedRequest, { hints }: ResourceBinding): unknown {
  const value = valueAt(input.body, parsePointer(hints.body ?? ''))
  return typeof value === 'object' ? undefined : value
}

/** What a record can have of a body that the document does not describe. */
function fitting(sent: StoredRecord, { schema }: Resource): StoredRecord {
  const properties = propertiesOf(schema)
  const entries = Object.entries(sent).filter(([name, value]) => {
    const property = properties.get(name)
    return property !== undefined && matches(property, value)
  })
  return Object.fromEntries(entries)
}

/**
 * The record in the body of a request, without its id. What only the service sets is ignored, and is that of the present record, at any
 * depth.
 */
export function sentRecord(
  admitted: AdmittedRequest,
  binding: ResourceBinding,
  before: StoredRecord = {},
): StoredRecord {
  const { part } = binding.hints
  const { [binding.resource.id]: _, ...whole } = recordIn(admitted, binding)
  const sent = withoutExpand(whole, binding)
  const present = part === undefined ? before : Object(before[part])
  const values = withServiceValues(sent, present, binding)

  const own = part === undefined ? values : { [part]: scalarIn(admitted, binding) ?? values }
  return admitted.input.isUnchecked ? asUnchecked(own, binding.resource) : own
}

/** The record of a request without the names of the references that the response shows as records. */
function withoutExpand(
  record: StoredRecord,
  { hints: { expand = '' }, resource }: ResourceBinding,
): StoredRecord {
  const [name = '', ...inner] = parsePointer(expand.startsWith('/') ? expand : '')
  const isOwn = inner.length > 0 || name === '' || propertiesOf(resource.schema).has(name)
  if (isOwn) return record
  const { [name]: _, ...others } = record
  return others
}

/** The values that a request gives to a record, with what only the service sets as it is in the present one. */
export function withServiceValues(
  values: StoredRecord,
  before: StoredRecord,
  { operation, resource, hints }: ResourceBinding,
): StoredRecord {
  const { [resource.id]: _, ...present } = before
  const sent = operation.body && recordSchemaAt(nestedSchema(operation.body.schema), hints.body)
  const written = writtenObject(
    withoutHidden(values, resource),
    present,
    resource.schema,
    sent ?? {},
  )
  const shown = propertiesOf(resource.schema)
  const isReference = (name: string): boolean =>
    resource.references?.some((one) => one.name === name || one.by === name) === true
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [
      name,
      isReference(name) ? value : (identified(value, shown.get(name) ?? {}) ?? value),
    ]),
  )
}

/** `shown` is the schema of the values in records, `sent` that in requests. */
function writtenObject(
  values: StoredRecord,
  before: StoredRecord,
  shown: Schema,
  sent: Schema,
): StoredRecord {
  const [inRecords, inRequests, readOnly] = [
    propertiesOf(shown),
    propertiesOf(sent),
    readOnlyNames(shown),
  ]
  const isIgnored = (name: string): boolean => readOnly.has(name) && !inRequests.has(name)
  const written: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (isIgnored(name)) continue
    const schemas = [inRecords.get(name) ?? {}, inRequests.get(name) ?? {}] as const
    setOwn(written, name, writtenValue(value, getOwn(before, name), ...schemas))
  }
  for (const name of readOnly)
    if (isIgnored(name) && Object.hasOwn(before, name)) setOwn(written, name, before[name])

  return written
}

function writtenValue(value: unknown, before: unknown, shown: Schema, sent: Schema): unknown {
  if (Array.isArray(value)) {
    const page = pageIn(shown)
    if (page) return { [page.name]: writtenValue(value, undefined, page.schema, sent) }
    const [inRecords = {}, inRequests = {}] = [itemsOf(shown), itemsOf(sent)]
    const present = Array.isArray(before) ? before : []
    return value.map((item, at) =>
      writtenValue(item, sameItem(item, at, present), inRecords, inRequests),
    )
  }
  if (!isObject(value))
    return listOfOne(value, shown) ?? chosenValue(value, shown) ?? mainValue(value, shown) ?? value
  const written = writtenObject(value, isObject(before) ? before : {}, shown, sent)
  // An object in a record is often another record, which has a read-only id of its own: with it, a client says which one.
  return Object.hasOwn(value, 'id') ? { ...written, id: value.id } : written
}

/** Where records show a list of objects as a page: `{ "data": [ … ], "has_more": false }`. */
function pageIn(shown: Schema): { readonly name: string; readonly schema: Schema } | undefined {
  if (itemsOf(shown) || !isObjectSchema(shown)) return undefined
  const lists = [...propertiesOf(shown)].filter(([, schema]) =>
    isObjectSchema(itemsOf(schema) ?? {}),
  )
  const [only] = lists
  return only && lists.length === 1 ? { name: only[0], schema: only[1] } : undefined
}

/** A list of the value, where requests may have a single value instead of a list, and records have the list. */
function listOfOne(value: unknown, shown: Schema): readonly unknown[] | undefined {
  const isList = value !== null && itemsOf(shown) !== undefined && !matches(shown, value)
  return isList && matches(shown, [value]) ? [value] : undefined
}

/** A choice as records show it, where requests have its value only: `active` is `{ value: 'active', label: 'Active' }`. */
function chosenValue(value: unknown, shown: Schema): StoredRecord | undefined {
  const properties = propertiesOf(shown)
  const [own, label = {}] = [properties.get('value'), properties.get('label')]
  const at = own ? listedValues(own).indexOf(value) : -1
  if (at < 0 || matches(shown, value)) return undefined
  const shownAs = listedValues(label)[at]

  return { value, ...(shownAs !== undefined && { label: shownAs }) }
}

/** The properties of an object that is what a text is: a branch that is a `ref`, or a text with its `raw` form. */
const MAIN = ['value', 'ref', 'raw', 'text', 'content', 'code']

/** An object as records show it, where requests have a text instead; one with an id is another record. */
function mainValue(value: unknown, shown: Schema): StoredRecord | undefined {
  const properties = propertiesOf(shown)
  if (typeof value !== 'string' || properties.has('id') || matches(shown, value)) return undefined
  const main = MAIN.find((name) => matches(properties.get(name) ?? { not: {} }, value))
  return main === undefined ? undefined : { [main]: value }
}

/** Names of the property of an object that says which one it is. */
const IDS = ['id', 'gid', 'uuid', 'guid', 'uid', 'sid']

/** What records show of something that a request names by its id alone, where nothing says of which collection it is. */
function identified(value: unknown, shown: Schema): StoredRecord | undefined {
  const properties = propertiesOf(shown)
  const name = IDS.find((one) => properties.has(one))
  const isId = typeof value === 'string' || typeof value === 'number'
  if (!isId || name === undefined || matches(shown, value)) return undefined
  return matches(properties.get(name) ?? {}, value) ? { [name]: value } : undefined
}

/** The present item of a list that an item replaces: that with its id, or that in its place if it has none. */
function sameItem(item: unknown, at: number, present: readonly unknown[]): unknown {
  const id = isObject(item) ? getOwn(item, 'id') : undefined
  return id === undefined ? present[at] : present.find((one) => getOwn(Object(one), 'id') === id)
}

/**
 * The values that a request has for secrets which its action replaces: under the name of the secret, as the response calls it, with `new`
 * before the name, or as the only secret of the request. That the record has already is no new one.
 */
export function sentSecrets(
  set: Readonly<Record<string, unknown>>,
  { admitted, binding }: Pick<RecordRequest, 'admitted' | 'binding'>,
  present: StoredRecord,
): StoredRecord {
  const { hints, operation, action } = binding
  const sent = operation.body && recordSchemaAt(nestedSchema(operation.body.schema), hints.body)
  if (action !== 'act' || !sent) return {}
  const names = [...propertiesOf(sent).keys()]
  const secrets = Object.entries(set).flatMap(([name, value]) =>
    value === SERVICE_VALUES.revision && SECRET.test(plainName(name)) ? name : [],
  )
  const body = recordIn(admitted, binding)
  const found = secrets.flatMap((name) => {
    const shown = Object.entries(hints.views ?? {}).flatMap(([here, of]) =>
      of === name ? here : [],
    )
    const renewed = names.find((one) => plainName(one) === `new${plainName(name)}`)
    const only = secrets.length === 1 ? secretIn(sent) : undefined
    const place = [renewed, name, ...shown, only].find((one) => names.includes(one ?? ''))
    const value = getOwn(body, place ?? '')
    const isNew = typeof value === 'string' && value !== '' && value !== present[name]
    return isNew ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}

/** The id that the client chooses for a new record; `undefined` when the service chooses it. */
export function chosenId(admitted: AdmittedRequest, binding: ResourceBinding): Id | undefined {
  const { hasClientIds, id } = binding.resource
  const { sentId = id } = binding.hints
  if (!hasClientIds) return undefined
  const record = recordIn(admitted, binding)
  const value = sentId.startsWith('/')
    ? valueAt(record, parsePointer(sentId))
    : getOwn(record, sentId)

  return typeof value === 'number' || typeof value === 'string' ? value : undefined
}

/** The properties of an action of which nothing is kept, because no record has one of them; `undefined` when there are none. */
export function unkeptIn({
  admitted,
  binding,
}: Pick<RecordRequest, 'admitted' | 'binding'>): readonly Note[] | undefined {
  const { hints, operation, resource, action } = binding
  const { set, after, also, list, mark, content, trash, part, ids } = hints
  const hasEffect = set ?? after ?? also ?? list ?? mark ?? content ?? trash ?? part ?? ids
  const known = propertiesOf(resource.schema)
  if (action !== 'act' || !operation.body || hasEffect !== undefined || known.size === 0)
    return undefined
  const names = Object.keys(recordIn(admitted, binding))
  if (names.length === 0 || names.some((name) => known.has(name))) return undefined

  return names.map((name) => ({ kind: 'unkept-property', place: sentPlace(name, binding) }))
}

/** What a request says of its record and of those above against its path, whose values win; `undefined` when there is nothing. */
export function overruledIn(
  { admitted, binding, parameters }: Pick<RecordRequest, 'admitted' | 'binding' | 'parameters'>,
  shown: StoredRecord | readonly StoredRecord[],
): readonly Note[] | undefined {
  const { resource, hints, operation, action } = binding
  if (!operation.body) return undefined
  const sent = recordIn(admitted, binding)
  const [record] = /^(update|replace)$/.test(action) ? [shown].flat() : []
  const { sentId = resource.id } = hints
  const isNamed = record !== undefined && hints.ids === undefined && !sentId.startsWith('/')
  const name = isNamed ? { [sentId]: shownId(record, resource) } : {}
  const inPath = { ...name, ...(resource.parents && parentValues(resource, parameters)) }
  const notes = Object.entries(inPath).flatMap(([name, value]) => {
    const own = getOwn(sent, name)
    const isValue = own !== undefined && own !== null && own !== '' && typeof own !== 'object'
    const place = sentPlace(name, binding)
    return isValue && String(own) !== String(value)
      ? [{ kind: 'overruled-property', place } as const]
      : []
  })
  return notes.length > 0 ? notes : undefined
}
