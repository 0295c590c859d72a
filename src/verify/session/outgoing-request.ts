import type { Contract } from '../../contract/contract.ts'
import { credentialsOf, everyCredentialOf } from '../../contract/credentials.ts'
import { contentOf, documentedResponse } from '../../contract/documented-response.ts'
import type { TextPair } from '../../sandbox/sample-request/serialize-parameter.ts'
import { successStatus } from '../checks/check.ts'
import type { ProbeRequest } from './messages.ts'

/** The server that a run tests. */
export interface Target {
  /** The base address, without a slash at its end. */
  readonly base: string
  readonly contract: Contract
  /** The API key. */
  readonly key: string
}

/** A request as it is sent. */
interface OutgoingRequest {
  readonly url: string
  readonly headers: readonly TextPair[]
  readonly cookies: readonly TextPair[]
  /** User name and password of basic authentication. */
  readonly user?: string
}

/**
 * A request with its credentials and complete address. A credential replaces a parameter with the same name. A request without a
 * valid key has no such parameter either: its example may be a key.
 */
export function outgoingRequest(request: ProbeRequest, target: Target): OutgoingRequest {
  const { contract, key } = target
  const { body, headers = [], cookies = [], type = 'application/json' } = request
  const sent = credentialsOf(request, contract, key)
  const replaced = request.credentials === 'key' ? sent : everyCredentialOf(request, contract, key)
  const content: TextPair[] = body === undefined ? [] : [['Content-Type', type]]

  return {
    url: withQuery(baseOf(request, target) + request.target, sent.query, replaced.query),
    headers: [...sent.headers, ...without(headers, replaced.headers), ...content],
    cookies: [...sent.cookies, ...without(cookies, replaced.cookies)],
    ...(sent.user !== undefined && { user: sent.user }),
  }
}

/** The same as a web request. */
export function toWebRequest(request: ProbeRequest, target: Target): Request {
  const { url, headers, cookies, user } = outgoingRequest(request, target)
  const { method, body, operation } = request
  const all = new Headers({ Accept: operation ? acceptedTypes(operation) : 'application/json' })
  for (const [name, value] of headers) all.set(name, value)
  if (user !== undefined) all.set('Authorization', `Basic ${base64(user)}`)
  if (cookies.length > 0) all.set('Cookie', cookieHeader(cookies))

  return new Request(url, {
    method,
    headers: all,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  })
}

export function cookieHeader(cookies: readonly TextPair[]): string {
  return cookies.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
}

/** The base address of an operation. Operations with servers of their own have another base path at the same origin. */
function baseOf({ operation }: ProbeRequest, { base, contract }: Target): string {
  const [own] = operation?.basePaths ?? []
  if (own === undefined || !base.endsWith(contract.basePath)) return base
  return base.slice(0, base.length - contract.basePath.length) + own
}

/** An address with other pairs in its query instead of those with the replaced names. */
function withQuery(url: string, pairs: readonly TextPair[], replaced: readonly TextPair[]): string {
  if (pairs.length === 0 && replaced.length === 0) return url
  const address = new URL(url)
  const names = new Set(replaced.map(([name]) => name))
  const kept = address.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !names.has(decodeURIComponent(pair.split('=', 1)[0] ?? '')))
  const added = pairs.map((pair) => pair.map(encodeURIComponent).join('='))

  const query = [...kept, ...added].join('&')
  const [path = ''] = url.split('?', 1)

  return query === '' ? path : `${path}?${query}`
}

function without(pairs: readonly TextPair[], others: readonly TextPair[]): readonly TextPair[] {
  const names = new Set(others.map(([name]) => name.toLowerCase()))
  return pairs.filter(([name]) => !names.has(name.toLowerCase()))
}

/** The media types of the successful response; JSON, if it has no content. */
function acceptedTypes(operation: NonNullable<ProbeRequest['operation']>): string {
  const response = documentedResponse(operation, successStatus(operation))
  const types = response ? contentOf(response).map(({ mediaType }) => mediaType) : []

  return types.length === 0 ? 'application/json' : [...new Set(types)].join(', ')
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
