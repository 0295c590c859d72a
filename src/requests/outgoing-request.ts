import type { Contract, Operation } from '../contract/contract.ts'
import {
  NO_CREDENTIALS,
  preferredCredentialOf,
  type SentCredentials,
} from '../contract/credentials.ts'
import { encodeLiteral, parseTemplate } from '../contract/path-pattern.ts'
import { cookieHeader } from '../http/headers.ts'
import { findInput, type InputOptions, type OperationInput } from './operation-input.ts'
import type { SerializedBody } from './serialize-body.ts'
import type { TextPair } from './serialize-parameter.ts'

/** A request that can be sent, and printed as a command. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  /** Without `Content-Type`, the cookies and basic authentication. */
  readonly headers: readonly TextPair[]
  readonly cookies: readonly TextPair[]
  /** User name and password of basic authentication, such as `user:password`. */
  readonly user?: string
  readonly body?: SerializedBody
}

/** What requests are built from, besides their operation. */
export interface RequestContext extends Pick<InputOptions, 'idFor'> {
  readonly contract: Contract
  /** The origin of the server, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  /** The credential to send; `undefined` for none. */
  readonly key: string | undefined
}

/** A short request for an operation, with all that it requires; `undefined` when no valid value for something is found. */
export async function buildRequest(
  operation: Operation,
  { contract, origin, key, idFor }: RequestContext,
): Promise<OutgoingRequest | undefined> {
  const input = await findInput(operation, { isSmall: true, ...(idFor && { idFor }) })
  if (input.missing !== undefined) return undefined
  const { method, basePaths = [contract.basePath] } = operation
  const { headers, cookies, body } = input
  const path = fillPath(operation.path, (name) => input.path.get(name))
  const url = origin + basePaths[0] + path + queryText(operation, input)
  const request = {
    method,
    url,
    headers: [...headers],
    cookies: [...cookies],
    ...(body && { body }),
  }
  return withCredentials(
    request,
    key === undefined ? NO_CREDENTIALS : preferredCredentialOf(operation, contract, key),
  )
}

/**
 * A path with the percent-encoded texts of its parameters, which may depend on the path before them and the text that follows. A
 * parameter without a text gets any value.
 */
export function fillPath(
  template: string,
  textOf: (name: string, start: string, end: string) => string | undefined,
): string {
  const { literals, names } = parseTemplate(template)
  const [first = '', ...others] = literals.map(encodeLiteral)

  return names.reduce((start, name, at) => {
    const end = others[at] ?? ''
    return start + (textOf(name, start, end) ?? '1') + end
  }, first)
}

/** The query of a valid request, with the parameters that are selected. Query conditions of the operation come first. */
export function queryText(
  { conditions = [] }: Operation,
  { path, query }: Pick<OperationInput, 'path' | 'query'>,
  isSelected: (name: string) => boolean = () => true,
): string {
  const names = new Set(conditions.map(({ name }) => name))
  const pairs = [
    ...conditions
      .filter(({ name }) => isSelected(name))
      .flatMap(({ name, value }): readonly TextPair[] => {
        const key = encodeURIComponent(name)
        if (value !== undefined) return [[key, encodeURIComponent(value)]]
        // The value is that of a parameter, which some documents declare as one of the path.
        return query.get(name) ?? [[key, path.get(name) ?? '1']]
      }),
    ...[...query]
      .filter(([name]) => isSelected(name) && !names.has(name))
      .flatMap(([, values]) => values),
  ]
  return pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`
}

/** A request with credentials, in place of the parameters with the same names, or with the names of other credentials. */
export function withCredentials(
  request: OutgoingRequest,
  sent: SentCredentials,
  replaced: SentCredentials = sent,
): OutgoingRequest {
  const names = new Set(replaced.query.map(([name]) => name))
  return {
    ...request,
    url: withQuery(request.url, (name) => names.has(name), sent.query),
    headers: [...sent.headers, ...without(request.headers, replaced.headers)],
    cookies: [...sent.cookies, ...without(request.cookies, replaced.cookies)],
    ...(sent.user !== undefined && { user: sent.user }),
  }
}

/** A URL or target with other pairs in its query instead of those whose names are replaced. */
export function withQuery(
  url: string,
  isReplaced: (name: string) => boolean,
  pairs: readonly TextPair[] = [],
): string {
  const [path = '', query = ''] = url.split('?')
  const kept = query
    .split('&')
    .filter((pair) => pair !== '' && !isReplaced(decodeURIComponent(pair.split('=', 1)[0] ?? '')))
  const all = [...kept, ...pairs.map((pair) => pair.map(encodeURIComponent).join('='))]

  return all.length === 0 ? path : `${path}?${all.join('&')}`
}

function without(pairs: readonly TextPair[], others: readonly TextPair[]): readonly TextPair[] {
  const names = new Set(others.map(([name]) => name.toLowerCase()))
  return pairs.filter(([name]) => !names.has(name.toLowerCase()))
}

/** All headers of a request. */
export function headersOf({ headers, cookies, user, body }: OutgoingRequest): readonly TextPair[] {
  return [
    ...(user === undefined ? [] : [['Authorization', `Basic ${base64(user)}`] as const]),
    ...headers,
    ...(cookies.length > 0 ? [['Cookie', cookieHeader(cookies)] as const] : []),
    ...(body ? [['Content-Type', body.type] as const] : []),
  ]
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/**
 * The same as a web request, which follows no redirection. `accept` are the media types that it accepts. Throws a TypeError for a
 * method or header that `fetch` does not allow.
 */
export function toWebRequest(request: OutgoingRequest, accept?: string): Request {
  const { url, method, body } = request
  const headers = new Headers(accept === undefined ? {} : { Accept: accept })
  for (const [name, value] of headersOf(request)) headers.set(name, value)

  return new Request(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body && { body: body.text }),
  })
}
