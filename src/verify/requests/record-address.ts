import type { Operation } from '../../contract/contract.ts'
import { parsePointer } from '../../contract/parse-pointer.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from './probe-messages.ts'

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
  const value = name.startsWith('/') ? valueAt(record, name) : valueAt(record, `/${escaped(name)}`)
  const isId = typeof value === 'number' || (typeof value === 'string' && value !== '')

  return isId ? String(value) : undefined
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

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
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Whether an operation is on one record of the collection at the path of another operation. */
export function isItemOf(collection: Operation, { path }: Operation): boolean {
  const [own, outer] = [segmentsOf(path), segmentsOf(collection.path)]
  return own.length === outer.length + 1 && /^\{[^{}]+\}$/.test(own.at(-1) ?? '')
}

export function isSamePath(one: Operation, other: Operation): boolean {
  return segmentsOf(one.path).join('/') === segmentsOf(other.path).join('/')
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/')
}

/** The path of one record, below the path to which a request created it. */
export function itemTarget(created: ProbeResponse, { path }: Operation, id: string): string {
  return `${withoutEnd(created)}/${encodeURIComponent(id)}${endOf(path)}`
}

/** The path to which a request created a record, for another operation, which may spell it with a slash at its end. */
export function collectionTarget(created: ProbeResponse, { path }: Operation): string {
  return withoutEnd(created) + endOf(path)
}

function withoutEnd({ request }: ProbeResponse): string {
  const [path = ''] = request.target.split('?')
  return withoutSlash(path)
}

function endOf(path: string): string {
  return path.endsWith('/') ? '/' : ''
}
