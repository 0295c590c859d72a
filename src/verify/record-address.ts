import type { Contract, Operation, Schema } from '../contract/contract.ts'
import { parseJsonText } from '../contract/json.ts'
import { decodeComponent } from '../contract/parse-text.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { parsePointer, propertiesOf, schemaAt } from '../contract/schema.ts'
import type { JsonObject } from '../document/json-value.ts'
import { bindingOf, type ResourceBinding } from '../resources/bind.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import type { ProbeRequest, ProbeResponse } from './messages.ts'

/** The base path that an operation has of its own, if any, and the segments of the path of one record or collection. */
export type RecordPath = readonly string[]

/** The segments of a path or of its template, without a slash at its end. */
export function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\//, '').replace(/\/$/, '').split('/')
}

/** Whether a segment of a template is one parameter, and nothing else. */
export function isParameter(segment: string): boolean {
  return /^\{[^{}]+\}$/.test(segment)
}

export const UNKNOWN_RECORD = 'its path does not show which record it changes'

/** The base path of an operation, if it has one of its own, and its path as a template of {@link RecordPath}s. */
export function templateOf({ path, basePaths }: Operation): readonly string[] {
  return [basePaths?.[0] ?? '', ...segmentsOf(path)]
}

/** What an operation does to which records; `undefined` for one without a resource. */
export function boundTo(contract: Contract, operation: Operation): ResourceBinding | undefined {
  const binding = bindingOf(contract, operation)
  return binding.action === 'stateless' ? undefined : binding
}

/** Whether every parameter of a path is a segment of its own. */
export function hasWholeParameters({ path }: Operation): boolean {
  return segmentsOf(path).every((segment) => !/[{}]/.test(segment) || isParameter(segment))
}

/** The part of a template up to its last parameter: the path of the record that an operation is about. */
export function recordTemplate({ path }: Pick<Operation, 'path'>): readonly string[] {
  const segments = segmentsOf(path)
  return segments.slice(0, segments.findLastIndex((one) => one.includes('{')) + 1)
}

/**
 * The path of a request as servers read it; `undefined` for a path that they may read otherwise, such as one with `..`, and for one
 * that is not a path of the operation.
 */
export function concretePath(operation: Operation, target: string): RecordPath | undefined {
  const [base = '', ...template] = templateOf(operation)
  const sent = segmentsOf(target.split(/[?#]/, 1)[0] ?? '')
  const fits = template.every(
    (segment, at) => segment.includes('{') || encodeLiteral(segment) === sent[at],
  )
  return fits && sent.length === template.length && sent.every(isPlain)
    ? [base, ...sent]
    : undefined
}

/** Whether a segment is no step up, is not empty, and contains no separator in any spelling. */
function isPlain(segment: string): boolean {
  if (/%2f|%5c|\\/i.test(segment)) return false
  return !/^\.{0,2}$/.test(segment.replace(/%2e/gi, '.'))
}

/** The id at the end of a path, which a link of the server may have spelt wrongly. */
export function lastOf(path: string): string {
  return decodeComponent(segmentsOf(path).at(-1) ?? '')
}

/** Whether a value can be an id. */
export function isId(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

/** Whether a text can be the segment of a path. */
function isSegment(text: string): boolean {
  return !/^\.{0,2}$|[/\\\p{Surrogate}]/u.test(text)
}

/** Whether a text can be the id of one record in a path. */
export function isPathId(text: string): boolean {
  return isSegment(text) && !/[*?#]/.test(text)
}

/** Whether a path is one of a template, both after their base path. */
export function isAt(path: RecordPath, template: readonly string[]): boolean {
  return (
    path.length === template.length &&
    path.every((segment, at) => {
      const wanted = template[at] ?? ''
      return isParameter(wanted) || segment === wanted
    })
  )
}

/** Whether a path is that of a record, or one below it. */
export function isAtOrBelow(path: RecordPath, record: RecordPath): boolean {
  return record.every((segment, at) => path[at] === segment)
}

/** Whether two templates are the same but for the names of their parameters. */
export function isSameTemplate(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length === other.length &&
    one.every((segment, at) => {
      const counterpart = other[at] ?? ''
      return segment === counterpart || (isParameter(segment) && isParameter(counterpart))
    })
  )
}

/** The value at a place of a body; `undefined` when nothing is there. */
export function valueAt(body: unknown, place: string): unknown {
  return parsePointer(place).reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    body,
  )
}

/** The id of a record in a response; an id may have a place in the record. */
export function idIn(record: unknown, { hints, resource }: ResourceBinding): string | undefined {
  const name = hints.id ?? resource.id
  const own = isObject(record) ? getOwn(record, name) : undefined
  const value = name.startsWith('/') ? valueAt(record, name) : own

  return isId(value) ? String(value) : undefined
}

/** Where the values of a record are in the body of a request: at its place, or in the `attributes` of JSON:API. */
export function sentPlace({ operation: { body }, hints }: ResourceBinding): string {
  return body ? placeOfValues(body.schema, hints.body ?? '') : (hints.body ?? '')
}

/** The same for an operation, at the top for one without a resource. */
export function placeInBody(contract: Contract, operation: Operation): string {
  const binding = boundTo(contract, operation)
  return binding ? sentPlace(binding) : ''
}

/** The place of the values of a record whose schema is at a place of another one. */
export function placeOfValues(schema: Schema, place: string): string {
  const properties = propertiesOf(schemaAt(schema, place) ?? {})
  const isResource = [...properties.keys()].every((name) => RESOURCE_MEMBERS.has(name))
  const attributes = properties.has('type') && isResource ? properties.get('attributes') : undefined
  return attributes && propertiesOf(attributes).size > 0 ? `${place}/attributes` : place
}

/** The values of a record: those of the record, or its `attributes` in JSON:API. */
export function valuesIn(record: unknown): unknown {
  if (!isObject(record) || typeof record.type !== 'string') return record
  // Other records may have attributes, too: those of JSON:API have nothing beside them (section 7.2).
  const isResource = Object.keys(record).every((name) => RESOURCE_MEMBERS.has(name))
  return isObject(record.attributes) && isResource ? record.attributes : record
}

const RESOURCE_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'id', 'lid', 'attributes', 'relationships', 'links', 'meta'],
])

/** The record that a response shows, or the first of a list of one. */
export function recordIn({ json }: ProbeResponse, { hints }: ResourceBinding): unknown {
  const value = valueAt(json, hints.record ?? '')
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** The records in a list. */
export function recordsAt(
  { json }: ProbeResponse,
  { hints }: ResourceBinding,
): readonly unknown[] | undefined {
  const value = valueAt(json, hints.record ?? '')
  const items = isObject(value) && !Array.isArray(value) ? Object.values(value) : value
  if (!Array.isArray(items)) return undefined
  const { item } = hints

  return item === undefined ? items : items.map((one) => valueAt(one, item))
}

/**
 * The id of a created record: of the record in the response, else the end of a `Location` in the collection, else what the request
 * says.
 */
export function createdId(response: ProbeResponse, binding: ResourceBinding): string | undefined {
  const { hints, resource } = binding
  if (response.request.method === 'PUT') return lastOf(pathOf(response.request.target))
  const sent = valueAt(sentBody(response), hints.body ?? '')
  const chosen = resource.hasClientIds
    ? idIn(sent, { ...binding, hints: { ...hints, id: hints.sentId ?? resource.id } })
    : undefined

  return idIn(recordIn(response, binding), binding) ?? idInLocation(response) ?? chosen
}

/** `Location` may name another record, such as the user of a new session. */
function idInLocation({ headers, url }: ProbeResponse): string | undefined {
  const location = headers.get('Location') ?? ''
  if (location === '' || !URL.canParse(location, url)) return undefined
  const created = withoutSlash(new URL(location, url).pathname)
  const at = created.lastIndexOf('/')
  if (created.slice(0, at) !== withoutSlash(new URL(url).pathname)) return undefined
  try {
    return decodeURIComponent(created.slice(at + 1)) || undefined
  } catch {
    return undefined
  }
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '')
}

/** The JSON body of the request. */
export function sentBody({ request: { body = 'null' } }: ProbeResponse): unknown {
  return parseJsonText(body)
}

/** Whether an operation is on one record of the collection at the path of another operation. */
export function isItemOf(collection: Operation, { path }: Operation): boolean {
  const own = withoutSlash(path).split('/')
  const outer = collectionPath(collection).split('/')
  return own.length === outer.length + 1 && isParameter(own.at(-1) ?? '')
}

/**
 * Whether an operation is on one record that another one creates: below its path, or at a path of its own for records of the same
 * resource, such as `/devices/{device}` for those of `/sites/{site}/devices`.
 */
export function isOnItem(create: ResourceBinding, one: ResourceBinding): boolean {
  if (isItemOf(create.operation, one.operation)) return true
  const segments = segmentsOf(one.operation.path)
  return (
    create.operation.method === 'POST' &&
    create.resource === one.resource &&
    segments.findIndex(isParameter) === segments.length - 1 &&
    !isSameTemplate(segments, segmentsOf(create.operation.path))
  )
}

/** Whether an operation is on the collection to which another one adds records. */
export function isOnCollection({ path }: Operation, create: Operation): boolean {
  return withoutSlash(path) === collectionPath(create)
}

/** The path of the collection to which an operation adds records: PUT has the path of the new record. */
export function collectionPath({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  const whole = withoutSlash(path)
  return method === 'PUT' ? whole.slice(0, whole.lastIndexOf('/')) : whole
}

/** The path of one record: below the path to which a request created it, or where its own operations are. */
export function itemTarget(
  created: ProbeResponse,
  { path }: Pick<Operation, 'path'>,
  id: string,
): string {
  const start = pathElsewhere(created.request, path) ?? withoutEnd(created)
  return `${start}/${encodeURIComponent(id)}${endOf(path)}`
}

/** The path of the collection whose records an operation is on, where it is not below the one to which a request created them. */
function pathElsewhere({ operation }: ProbeRequest, path: string): string | undefined {
  const [own, collection] = [path, operation && collectionPath(operation)].map((one) =>
    segmentsOf(one ?? ''),
  )
  const at = own?.findIndex(isParameter) ?? -1
  if (!own || !collection || at < 0 || isSameTemplate(own.slice(0, collection.length), collection))
    return undefined
  const words = own.slice(0, at)
  return recordTemplate({ path }).length === at + 1
    ? words.map((word) => `/${encodeLiteral(word)}`).join('')
    : undefined
}

/** The path to which a request created a record, for another operation, which may spell it with a slash at its end. */
export function collectionTarget(created: ProbeResponse, { path }: Operation): string {
  return withoutEnd(created) + endOf(path)
}

function withoutEnd({ request: { method, target } }: ProbeResponse): string {
  return collectionPath({ method, path: pathOf(target) })
}

/** The path of a target, without its query. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? target
}

/** A target with another path and the same query. */
export function withPath(target: string, path: string): string {
  const [, query] = target.split('?')
  return query === undefined ? path : `${path}?${query}`
}

function endOf(path: string): string {
  return path.endsWith('/') ? '/' : ''
}

/** The items of a list: of an array, or of the first array of objects in an envelope. */
export function listedIn(json: unknown): readonly JsonObject[] {
  if (Array.isArray(json)) return json.filter(isObject)
  if (!isObject(json)) return []
  const lists = Object.values(json).flatMap((value) =>
    isObject(value) ? [value, ...Object.values(value)] : [value],
  )
  const list = lists.find((value) => Array.isArray(value) && value.some(isObject))

  return Array.isArray(list) ? list.filter(isObject) : []
}

/** The value of the property whose name ends the name of the parameter, as `id` ends `petId`. The longest name counts. */
export function idForParameter(record: JsonObject, parameter: string): string | number | undefined {
  const wanted = plainName(parameter)
  const [best] = Object.entries(record)
    .filter(([name]) => plainName(name) !== '' && wanted.endsWith(plainName(name)))
    .sort(([one], [other]) => other.length - one.length)
  const value = best?.[1] ?? record.id

  return isId(value) && isSegment(String(value)) ? value : undefined
}

/** A name in lower case, without what is no letter or digit. */
export function plainName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
}
