import type { Operation, Parameter, Schema } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { PagingHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { isNumeric, typesIn } from '../../contract/schema.ts'
import { problems } from '../../http/problem.ts'
import { sortValue } from '../../records/record-index.ts'
import type { Id, PageQuery, Position, Sort, StoredRecord } from '../../records/record-table.ts'
import { largeInteger } from '../../validation/large-integers.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'

/** A page that a request asks for. */
export interface RequestedPage {
  readonly query: Pick<PageQuery, 'after' | 'before' | 'skip' | 'limit'>
  /** How many records come before the page; absent when that is not known. */
  readonly offset?: number
  /** The record beside the page, which must exist. */
  readonly anchor?: Anchor
}

/** A record that a request names to get the page beside it. */
interface Anchor {
  readonly id: Id
  readonly parameter: string
}

/** The request for a page. */
interface PageRequest {
  readonly operation: Operation
  readonly query: Input['query']
  /** The name of the collection. */
  readonly name: string
  readonly idSchema: Schema
  /** Whether the response has a `Link` to other pages. */
  readonly hasLinks: boolean
}

/** The most records of a page when neither the request nor the document says it. */
const USUAL_SIZE = 20

/**
 * The page that the query of a request asks for. Without parameters for paging, it is the whole list. Throws a Problem for a
 * cursor or a number that selects no page, where the document has a response for that.
 */
export function readPage(paging: PagingHints | undefined, request: PageRequest): RequestedPage {
  if (!paging) return { query: {}, offset: 0 }
  const limit = limitIn(paging, request)
  const limited = limit === undefined ? {} : { limit }
  if (paging.style === 'after') return besideRecord(paging, request, limited)
  const names = [paging.parameter, paging.before].filter((name) => name !== undefined)
  const parameter = names.find((name) => sentValue(name, request) !== undefined)
  if (parameter === undefined) return afterSkipped(paging, request, limited)
  const value = sentValue(parameter, request)
  if (paging.style === 'cursor' && takesTokens(parameterOf(request.operation, parameter)))
    return afterToken(String(value), parameter, request, limited)
  const number = Number(value)
  if (!Number.isSafeInteger(number)) refuse(request, parameter, 'must be a number')
  const counted = Math.max(0, (Number.isSafeInteger(number) ? number : 0) - firstOf(paging))
  const skip = Math.min(paging.style === 'page' ? counted * (limit ?? 0) : counted, MAX_SKIP)

  return { query: { ...limited, ...(skip > 0 && { skip }) }, offset: skip }
}

const MAX_SKIP = 2 ** 52

/** The page after as many records as a request without the number of a page says; by default the first one. */
function afterSkipped(
  { offset }: PagingHints,
  request: PageRequest,
  limited: Pick<PageQuery, 'limit'>,
): RequestedPage {
  // Without a number, it is the first page.
  const skip = Number(offset === undefined ? 0 : sentValue(offset, request))
  if (!(skip > 0 && skip <= MAX_SKIP)) return { query: limited, offset: 0 }

  return { query: { ...limited, skip }, offset: skip }
}

/** The number of the first page, or the offset of the first record. */
export function firstOf({ style, first }: PagingHints): number {
  return first ?? (style === 'page' ? 1 : 0)
}

function besideRecord(
  { parameter, before }: PagingHints,
  request: PageRequest,
  limited: Pick<PageQuery, 'limit'>,
): RequestedPage {
  for (const [place, name] of [
    ['after', parameter],
    ['before', before],
  ] as const) {
    const value = name === undefined ? undefined : sentValue(name, request)
    if (name === undefined || value === undefined) continue
    const id = typedId(value, request.idSchema)
    return { query: { ...limited, [place]: id }, anchor: { id, parameter: name } }
  }
  return { query: limited, offset: 0 }
}

function afterToken(
  token: string,
  parameter: string,
  request: PageRequest,
  limited: Pick<PageQuery, 'limit'>,
): RequestedPage {
  const position = fromToken(request.name, token)
  if (position) return { query: { ...position, ...limited } }
  if (!isExample(parameter, request))
    refuse(request, parameter, `must be taken from ${pageSource(request)}`)

  return { query: limited, offset: 0 }
}

/** Where a client finds the tokens of other pages. */
function pageSource({ hasLinks }: PageRequest): string {
  return hasLinks ? 'the Link header of the page before' : 'another page'
}

/** Whether a request has the documented example of a parameter, which stands for a value of the service. */
export function isExample(name: string, { query, operation }: PageRequest): boolean {
  const { schema = {}, example } = parameterOf(operation, name) ?? {}
  return [example, schema.example, schema.default].includes(queryValue(query, name))
}

function sentValue(name: string, { query }: PageRequest): unknown {
  const value = queryValue(query, name)
  return value === '' || value === null ? undefined : value
}

/** Throws the Problem of a query parameter, unless the document has no response for that. */
export function refuse({ operation }: PageRequest, parameter: string, message: string): void {
  if (documentedResponse(operation, 400) || documentedResponse(operation, 422))
    throw problems.invalidInput([{ location: `query.${parameter}`, message }])
}

function limitIn(paging: PagingHints, { query, operation }: PageRequest): number | undefined {
  const { size } = paging
  const given = size === undefined ? undefined : queryValue(query, size)
  const wanted = Number(given ?? Number.NaN)
  // Services answer a page of no records with the usual page.
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted

  return usualSize(paging, operation)
}

/** The most records of a page for which no request asks; `undefined` when the list has no pages. */
export function usualSize(
  { size, parameter, before }: PagingHints,
  operation: Operation,
): number | undefined {
  const schema = size === undefined ? {} : (parameterOf(operation, size)?.schema ?? {})
  const preset = Number(schema.default ?? Number.NaN)
  if (Number.isSafeInteger(preset) && preset > 0) return preset
  const { minimum = 1, maximum } = schema
  const hasPages = parameter !== undefined || before !== undefined

  // Without a parameter for the page, no request reads the rest of the list.
  return hasPages ? Math.max(minimum, Math.min(maximum ?? USUAL_SIZE, USUAL_SIZE)) : maximum
}

/** A documented query parameter. */
export function parameterOf({ parameters }: Operation, name: string): Parameter | undefined {
  return parameters.find((one) => one.in === 'query' && one.name === name)
}

/** An id of a query as records have it. */
function typedId(value: unknown, schema: Schema): Id {
  const text = String(value)
  if (!isNumeric(schema) || typesIn(schema).has('string')) return text

  return String(Number(text)) === text ? Number(text) : (largeInteger(text) ?? text)
}

/** The side of a record on which a page is. */
type Side = 'after' | 'before'

/**
 * A token for the page on one side of a record. It contains a position, which stays when the record is removed; of a page that follows in
 * the order of the ids, only the id.
 */
export function toToken(collection: string, side: Side, position: Position): string {
  return seal(
    collection,
    side === 'after' && !('value' in position) ? position.id : { [side]: position },
  )
}

/** The position in a token; `undefined` when this collection did not issue it. */
export function fromToken(
  collection: string,
  token: string,
): Pick<PageQuery, 'after' | 'before'> | undefined {
  const content = unseal(collection, token)
  if (typeof content === 'number' || typeof content === 'string') return { after: content }
  if (!isObject(content)) return undefined
  const side = Object.hasOwn(content, 'after') ? 'after' : 'before'
  const position = positionIn(content[side])

  return position && { [side]: position }
}

function positionIn(given: unknown): Position | undefined {
  if (!isObject(given)) return undefined
  const { id } = given
  if (typeof id !== 'number' && typeof id !== 'string') return undefined

  return Object.hasOwn(given, 'value') ? { id, value: given.value } : { id }
}

/** The position of a record in a list with this order. */
export function positionOf(id: Id, record: StoredRecord, sort: Sort | undefined): Position {
  return sort?.by === undefined ? { id } : { id, value: sortValue(record, sort.by) }
}

/** Whether a parameter takes texts of any form. One that does not takes offsets. */
export function takesTokens(parameter: Parameter | undefined): boolean {
  return parameter === undefined || acceptsToken(parameter)
}

const acceptsToken = once((parameter: Parameter) =>
  parameter.validate(seal('', { after: { id: 1 } })),
)

/** A JSON value as an opaque text of a collection. */
function seal(collection: string, value: unknown): string {
  const text = encodeURIComponent(JSON.stringify(value))
  const signed = `${checksum(`${collection} ${text}`)} ${text}`

  return btoa(signed).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The value in an opaque text; `undefined` when this collection did not issue it. */
function unseal(collection: string, sealed: string): unknown {
  try {
    const [, text = ''] = atob(sealed.replaceAll('-', '+').replaceAll('_', '/')).split(' ')
    const value: unknown = JSON.parse(decodeURIComponent(text))

    return seal(collection, value) === sealed ? value : undefined
  } catch {
    return undefined
  }
}

/** FNV-1a. It is not a secret, but it detects cursors that a client made up. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0).toString(36)
}

/** The value of a query parameter by its name. `filter[name]` may be a property of the parameter `filter`. */
export function queryValue(query: Input['query'], name: string): unknown {
  if (Object.hasOwn(query, name)) return query[name]
  if (!name.includes('[')) return undefined
  const [group = '', ...keys] = name.split('[').map((part) => part.replace(/\]$/, ''))

  return keys.reduce(
    (values: unknown, key) => (isObject(values) ? getOwn(values, key) : undefined),
    getOwn(query, group),
  )
}
