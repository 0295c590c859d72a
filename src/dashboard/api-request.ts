import { CONTROL_PATH } from '../http/paths.ts'
import type { Exchange } from '../journal/exchange.ts'
import { isAltered, longCurlCommand } from '../requests/curl.ts'
import type { Page } from './page.ts'

/** The name of a header or a parameter, and its text. */
export type Pair = readonly [name: string, value: string]

/** A request to the API that the page can send, or show as a command. */
export interface ApiRequest {
  readonly url: string
  readonly method: string
  readonly headers: readonly Pair[]
  readonly body?: string
}

/** What stands for a key in a command that is copied. */
export const KEY_PLACEHOLDER = 'YOUR_KEY'

/** The journal masks credentials with this sign, which no header can contain. */
const MASK = '…'
/** What the program that sends the request sets itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|cookie|origin|referer|user-agent|expect|upgrade|te|trailer|(?:sec|proxy)-.*)$/i

/** Whether the body of the request was too long for the journal. */
export function isBodyMissing({ request }: Pick<Exchange, 'request'>): boolean {
  return request.bodySize !== undefined
}

/** Whether the journal has masked a credential of the request. */
export function hasCredential({ request, target }: Pick<Exchange, 'request' | 'target'>): boolean {
  return target.includes(MASK) || request.headers.some(([, value]) => value.includes(MASK))
}

/**
 * The request with `key` in place of the masked credentials. `base` is the address of the API. A key is sent as a bearer token
 * when the request had no credential. An empty key: the request is sent without credentials.
 */
export function replayOf(
  exchange: Pick<Exchange, 'method' | 'request' | 'target'>,
  base: string,
  key: string,
): ApiRequest {
  const { method, request, target } = exchange
  const isMasked = hasCredential(exchange)
  const headers = request.headers
    .filter(([name]) => !OWN_HEADERS.test(name))
    .flatMap(([name, value]) =>
      key ? [[name, unmask(value, key)] as const] : withoutMask(name, value),
    )
  const isAdded = key !== '' && !isMasked

  return {
    url: base + unmaskQuery(target, key),
    method,
    headers: isAdded ? [...headers, ['Authorization', `Bearer ${key}`]] : headers,
    ...(request.body && { body: request.body }),
  }
}

/** `Bearer sk_free` for `Bearer …free`. */
function unmask(value: string, key: string): string {
  const at = value.indexOf(MASK)
  return at < 0 ? value : value.slice(0, at) + key
}

function withoutMask(name: string, value: string): readonly Pair[] {
  return value.includes(MASK) ? [] : [[name, value]]
}

/** Credentials in the query: `?api_key=…free`. */
function unmaskQuery(target: string, key: string): string {
  return target.replace(/([?&][^=&]*=)…[^&]*/g, (_, name: string) => name + encodeURIComponent(key))
}

/** Sends a request to the server at `site` again, and resolves with its status. */
export async function sendAgain(request: ApiRequest, site: string): Promise<number> {
  const response = await send(request, site)
  await response.arrayBuffer()

  return response.status
}

/** The response to a request of the page. */
export interface SentResponse {
  readonly status: number
  readonly headers: readonly Pair[]
  /** The text of the body; absent when it is not text. */
  readonly body?: string
  readonly bytes: number
  readonly milliseconds: number
  /** The id of its exchange; absent when the journal does not have it. */
  readonly exchange?: number
}

/** Sends a request, and finds its exchange in the journal. */
export async function sendRequest(
  { client: { journal }, site }: Pick<Page, 'client' | 'site'>,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<SentResponse> {
  const after = await journal.last()
  const start = performance.now()
  const response = await send(request, site, { redirect: 'manual', signal })
  const content = await response.arrayBuffer()
  const milliseconds = performance.now() - start
  const exchange = findExchange(await journal.find({ after, limit: 50 }), request)
  const text = decode(content)

  return {
    // Browsers hide the status of a redirection. The journal has it.
    status: response.status || (exchange?.status ?? 0),
    headers: response.status ? [...response.headers] : (exchange?.response.headers ?? []),
    ...(text !== undefined && { body: text }),
    bytes: content.byteLength,
    milliseconds,
    ...(exchange && { exchange: exchange.id }),
  }
}

function send(
  { url, method, headers, body }: ApiRequest,
  site: string,
  options: RequestInit = {},
): Promise<Response> {
  requireApiAddress(url, site)
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'

  return fetch(url, {
    ...options,
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    credentials: 'omit',
    ...(hasBody && { body }),
  })
}

/** The exchange of a request among the latest ones. */
function findExchange(
  exchanges: readonly Exchange[],
  { url, method }: Pick<ApiRequest, 'method' | 'url'>,
): Exchange | undefined {
  return exchanges.find((one) => one.method === method && hasTarget(url, one.target))
}

/** The journal masks keys in the query, so that the path alone is compared. */
function hasTarget(url: string, target: string): boolean {
  const [address = ''] = url.split('?')
  const [path = ''] = target.split('?')
  return address.endsWith(path)
}

function decode(content: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

/**
 * Throws a TypeError for the URL of a request that would reach another address than the one that is written, and for one of the
 * control interface. The paths of recorded requests and of documents are written by others, who must not steer the sandbox through
 * the page. `site` is the address of the server.
 */
export function requireApiAddress(url: string, site: string): void {
  if (isAltered(url)) {
    throw new TypeError('Browsers alter the path of this request. Copy it as curl instead.')
  }
  const control = new URL(site + CONTROL_PATH).pathname
  if (`${new URL(url).pathname}/`.startsWith(`${control}/`)) {
    throw new TypeError('This is an address of the control interface, not of the API.')
  }
}

/** The command of a POSIX shell that sends the request. No part of the request can run a command or read a file. */
export function toCurl({ body, ...request }: ApiRequest): string {
  return longCurlCommand({ ...request, ...(body !== undefined && { body: { text: body } }) })
}
