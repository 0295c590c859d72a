import type { Operation, ResponseHeader } from '../contract/contract.ts'
import { type EnvelopeFigure, quotaFigureOf } from '../contract/hints.ts'
import { isDocumentableHeader } from '../http/headers.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { encodePart } from '../http/paths.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { httpDate } from '../time/clock.ts'
import { getOwn, isObject, once } from '../validation/objects.ts'
import { type AnsweringService, generateFor, generationTime } from './answering-service.ts'

/** A generated or documented text that is longer is not sent: many clients refuse headers of more than 8 or 16 KiB together. */
const MAX_LENGTH = 2000
const MAX_TOTAL_LENGTH = 6000

/**
 * A response with the headers that the document declares for it, besides its own ones: with the values that are known, else with
 * those of an example, else with generated ones.
 */
export function withDocumentedHeaders(
  response: CoreResponse,
  declared: readonly ResponseHeader[],
  context: HeaderContext,
): Awaitable<CoreResponse> {
  const possible = possibleHeaders(declared)
  if (possible.size === 0) return response
  const present = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()))
  const missing = [...possible].flatMap(([name, header]) => (present.has(name) ? [] : header))

  return missing.length === 0 ? response : withHeaders(response, missing, context)
}

async function withHeaders(
  response: CoreResponse,
  missing: readonly ResponseHeader[],
  context: HeaderContext,
): Promise<CoreResponse> {
  const added: [string, string][] = []
  let left = MAX_TOTAL_LENGTH
  for (const header of missing) {
    const text = await textOf(header, response, context)
    if (text === undefined || text.length > Math.min(left, MAX_LENGTH)) continue
    left -= text.length
    added.push([header.name, text])
  }
  if (added.length === 0) return response

  return { ...response, headers: { ...response.headers, ...Object.fromEntries(added) } }
}

/** The headers that a response may have because the document declares them, by their names in lower case. */
const possibleHeaders = once((declared: readonly ResponseHeader[]) => {
  const possible = new Map<string, ResponseHeader>()
  for (const header of declared) {
    const name = header.name.toLowerCase()
    const isNeverKnown = isOnlyTrue(name) && !header.required && !canBeKnown(name)
    if (isDocumentsHeader(name) && !isNeverKnown && !possible.has(name)) possible.set(name, header)
  }
  return possible
})

async function textOf(
  header: ResponseHeader,
  response: CoreResponse,
  context: HeaderContext,
): Promise<string | undefined> {
  const { schema, validate, example, required } = header
  const name = header.name.toLowerCase()
  const known = knownHeader(name, response, context)
  // A number may be declared as text.
  for (const value of [known, typeof known === 'number' ? String(known) : undefined]) {
    if (value !== undefined && validate(value)) return headerText(value)
  }
  if (isOnlyTrue(name) && !required) return undefined
  if (example !== undefined && validate(example)) return headerText(example)
  const { operation, service, parameters } = context
  const { value, isValid } = await generateFor(service, {
    schema,
    validate,
    seed: [operation.id, JSON.stringify(parameters), name],
    locale: undefined,
    place: header.name,
  })
  return isValid ? headerText(value) : headerText(known)
}

/** A response, the request for it, and what is known about both. */
export interface HeaderContext {
  readonly request: CoreRequest
  readonly operation: Operation
  readonly service: AnsweringService
  /** The values of the path parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** What is known about the page of a list; default: the body is the whole list. */
  readonly figure?: (figure: EnvelopeFigure) => unknown
}

type ReadValue = (response: CoreResponse, context: HeaderContext) => unknown

/** Headers that say something that must be true. Without a value that is known, they are not sent. */
const ONLY_TRUE =
  /^(link|retry-after|deprecation|sunset|www-authenticate|allow|preference-applied|warning|age|content-range|(.+-)?(next|prev(ious)?)-(page|cursor|token|offset|link|url))$/

const REQUEST_ID = /^(x-)?(request|correlation|trace)-?id$/i

/** The true values of headers, by their names. The first entry that fits counts. */
const KNOWN: readonly (readonly [name: RegExp, read: ReadValue])[] = [
  [/^location$/, locationOf],
  [/^content-location$/, (_response, { request }) => request.base + request.path],
  [/^etag$/, ({ body }) => `"${hashOf(body)}"`],
  [/^last-modified$/, (_response, { service }) => httpDate(generationTime(service))],
  [REQUEST_ID, requestIdOf],
  [/next-page$/, (_response, { figure }) => figure?.('nextPage')],
  [/prev(ious)?-page$/, (_response, { figure }) => figure?.('previousPage')],
  [/next-(cursor|token|offset)$/, (_response, { figure }) => figure?.('nextCursor')],
  [/prev(ious)?-(cursor|token|offset)$/, (_response, { figure }) => figure?.('previousCursor')],
  [/has-(more|next)$/, (_response, { figure }) => figure?.('hasMore') ?? false],
  [/total-pages$|page-?count$/, (_response, { figure }) => figure?.('pages') ?? 1],
  [
    /^x-page$|current-page$/,
    (_response, { request, figure }) => figure?.('page') ?? queryNumber(request, /^page$/) ?? 1,
  ],
  [
    /per-page$|page-size$|paging-take$/,
    (response, { request, figure }) =>
      figure?.('size') ??
      queryNumber(request, /^(per_?page|page_?size|limit)$/i) ??
      countOf(response),
  ],
  [
    /paging-skipped$|^(x-)?(page-|paging-)?offset$/,
    (_response, { figure }) => figure?.('offset') ?? 0,
  ],
  [/total|count$/, (response, { figure }) => figure?.('total') ?? countOf(response)],
  [/^content-disposition$/, dispositionOf],
  [/^content-language$/, () => 'en'],
  [/^cache-control$/, () => 'no-cache'],
  [/^vary$/, () => 'Accept'],
  [/^set-cookie$/, (_response, { operation }) => `session=${hashOf(operation.id)}; Path=/`],
]

/** Whether a response may have a header because the document declares it. Headers of quotas are written for every response. */
function isDocumentsHeader(name: string): boolean {
  return isDocumentableHeader(name) && quotaFigureOf(name) === undefined
}

/** Whether a header is sent only with a value that is known. The name is in lower case. */
function isOnlyTrue(name: string): boolean {
  return ONLY_TRUE.test(name)
}

/** Whether a header repeats one of the request. */
export function isEcho(name: string): boolean {
  return REQUEST_ID.test(name)
}

/** Whether the value of a header can be known. The name is in lower case. */
function canBeKnown(name: string): boolean {
  return KNOWN.some(([pattern]) => pattern.test(name))
}

/** The value of a header that is known; `undefined` when none is. The name is in lower case. */
function knownHeader(name: string, response: CoreResponse, context: HeaderContext): unknown {
  const [, read] = KNOWN.find(([pattern]) => pattern.test(name)) ?? []
  return read?.(response, context)
}

/** Of a creation, the address of what was created; of another response, the address of the request. */
function locationOf(response: CoreResponse, { request, operation }: HeaderContext): string {
  const { status } = response
  if (status >= 300 && status < 400) return `${request.base}/`
  const body = jsonOf(response)
  const found = isObject(body) ? idIn(body) : undefined
  const isCollection = operation.method === 'POST' && !operation.path.endsWith('}')
  if (!isCollection || found === undefined) return request.base + request.path

  return `${request.base}${request.path.replace(/\/$/, '')}/${encodePart(String(found))}`
}

/** The id in a body: `id`, else the first property whose name ends with it; in an envelope of one object, that of the object. */
function idIn(body: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(body)
  const name = ['id', ...names.filter((one) => /(_id|Id|ID|_gid|uuid)$/.test(one))].find((one) =>
    ['string', 'number'].includes(typeof getOwn(body, one)),
  )
  if (name !== undefined) return body[name]
  const [inner] = Object.values(body).filter(isObject)

  return inner && names.length <= 3 ? getOwn(inner, 'id') : undefined
}

/** Clients that send an id expect it back. */
function requestIdOf(_response: CoreResponse, { request }: HeaderContext): string | undefined {
  return request.header('x-request-id') ?? request.header('x-correlation-id')
}

function queryNumber({ query }: CoreRequest, name: RegExp): number | undefined {
  const [, text] = [...new URLSearchParams(query)].find(([key]) => name.test(key)) ?? []
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}

/** How many items the body has: of a list, or of the first list in it. */
function countOf(response: CoreResponse): number | undefined {
  const body = jsonOf(response)
  const list = Array.isArray(body)
    ? body
    : Object.values(isObject(body) ? body : {}).find(Array.isArray)
  return list?.length
}

function dispositionOf({ headers }: CoreResponse, { operation }: HeaderContext): string {
  const name = operation.path.split('/').findLast((part) => /^[\w.-]+$/.test(part)) ?? 'file'
  const [, ending = 'bin'] = /\/(?:[\w.-]+\+)?([a-z0-9]+)/.exec(headers['Content-Type'] ?? '') ?? []
  const fileName = name.includes('.') ? name : `${name}.${ending === 'plain' ? 'txt' : ending}`

  return `attachment; filename="${fileName}"`
}

function jsonOf({ body, headers }: CoreResponse): unknown {
  if (typeof body !== 'string' || !/json/i.test(headers['Content-Type'] ?? '')) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** A short hash of a body (FNV-1a), which is the same in every runtime. */
function hashOf(body: CoreResponse['body']): string {
  let hash = 0x811c9dc5
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0

  return hash.toString(16).padStart(8, '0')
}

/** A value as the text of a header (OpenAPI, style `simple`), or `undefined` when a header cannot have it. */
function headerText(value: unknown): string | undefined {
  const text = simple(value)
    // Only these characters are safe in every runtime (RFC 9110, section 5.5).
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()

  return text === '' ? undefined : text
}

function simple(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(simple).join(',')
  if (isObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name},${simple(one)}`)
      .join(',')

  return String(value)
}
