import { listLength } from '../checks/evaluate.ts'
import { parseJson } from '../requests/exact-json.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { linkOf } from '../requests/response-headers.ts'
import { headerKind } from './header-kind.ts'
import { type TypesByPath, typesByPath } from './value-types.ts'

/** A difference between the responses of the server and of the sandbox. */
export interface Difference {
  /** The operation's id; method and path when the request matches no operation. */
  readonly operation: string
  readonly what: 'status' | 'header' | 'body'
  /** For a status: the request. For a header: its name. For a body: the path of the value, for instance `[].price`. */
  readonly place: string
  /** For a header or body: the status of both responses. */
  readonly status?: number
  /** What the server returned. */
  readonly target: string
  /** What the sandbox returned. */
  readonly sandbox: string
}

/** Responses to the same operation with the same status, in pairs: one of the server, one of the sandbox. */
export interface ResponsePairs {
  readonly target: ProbeResponse[]
  readonly sandbox: ProbeResponse[]
}

/** Headers of the transport, not of the API, and headers that only the sandbox adds. */
const IGNORED_HEADERS =
  /^(date|server|via|connection|keep-alive|transfer-encoding|content-length|content-encoding|vary|etag|age|alt-svc|x-powered-by|x-request-id|x-sandbox-.*|strict-transport-security|set-cookie|access-control-.*|cf-.*|nel|report-to)$/

/** Headers of one kind in all responses of the server and of another kind in all responses of the sandbox. */
export function headerDifferences({ target, sandbox }: ResponsePairs): Difference[] {
  const names = [...target, ...sandbox].flatMap(({ headers }) => [...headers.keys()])

  return [...new Set(names)].sort().flatMap((name) => {
    if (IGNORED_HEADERS.test(name)) return []
    const [one, other] = [headerKinds(target, name), headerKinds(sandbox, name)]
    // A header may be present in some responses only: the last page has no link to the next page.
    const isAlike = one.some((kind) => other.includes(kind))
    const hasNextLinks = name !== 'link' || one.some((kind) => kind.includes('next'))
    if (isAlike && (hasNextLinks || !lacksNextLink(target) || lacksNextLink(sandbox))) return []
    return [toDifference(target, 'header', name, one.join(', '), other.join(', '))]
  })
}

/** Values of one type in the bodies of the server and of another type in the bodies of the sandbox. */
export function bodyDifferences({ target, sandbox }: ResponsePairs): Difference[] {
  const [one, other] = [bodyTypes(target), bodyTypes(sandbox)]
  if (one.size === 0 || other.size === 0) return []
  const paths = [...new Set([...one.keys(), ...other.keys()])]

  return paths.flatMap((path) => {
    if (!hasParent(path, one) || !hasParent(path, other)) return []
    const [types, otherTypes] = [describeTypes(one, path), describeTypes(other, path)]
    if (types === otherTypes) return []
    return [toDifference(target, 'body', path || 'body', types, otherTypes)]
  })
}

/** The operation of a response, or its method and path. */
export function operationName({ request }: ProbeResponse): string {
  return request.operation?.id ?? `${request.method} ${request.target}`
}

function headerKinds(responses: readonly ProbeResponse[], name: string): string[] {
  const values = responses.map(({ headers }) => headers.get(name))
  return [...new Set(values.map((value) => (value === null ? 'none' : headerKind(value))))]
}

/** Whether a full page of a longer list has no link to the next page. */
function lacksNextLink(responses: readonly ProbeResponse[]): boolean {
  const longest = Math.max(...responses.map(listLength))
  return responses.some((response) => {
    const [, limit] = /\?limit=(\d+)$/.exec(response.request.target) ?? []
    const length = listLength(response)
    const isFullPage = length === Number(limit) && length < longest
    return isFullPage && linkOf(response.headers, 'next') === undefined
  })
}

function bodyTypes(responses: readonly ProbeResponse[]): TypesByPath {
  return typesByPath(responses.flatMap(({ text }) => (text === '' ? [] : [parseJson(text)])))
}

/** Whether a value at this path was possible: an empty list has no items whose types could be compared. */
function hasParent(path: string, types: TypesByPath): boolean {
  const parent = path.replace(/(\[\]|\.?[^.[\]]+)$/, '')
  return path.endsWith('[]') ? types.has(path) : path === '' || types.has(parent)
}

function describeTypes(types: TypesByPath, path: string): string {
  return [...(types.get(path) ?? ['none'])].sort().join(' or ')
}

function toDifference(
  responses: readonly ProbeResponse[],
  what: Difference['what'],
  place: string,
  target: string,
  sandbox: string,
): Difference {
  const [first] = responses
  const operation = first ? operationName(first) : ''
  return { operation, what, place, ...(first && { status: first.status }), target, sandbox }
}
