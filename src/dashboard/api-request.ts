import type { SandboxClient } from '../client/sandbox-client.ts'
import { CONTROL_PATH } from '../http/paths.ts'
import type { Exchange } from '../journal/exchange.ts'
import { isAltered, longCurlCommand, quotedWord } from '../requests/curl.ts'
import { type Page, worldPrefix } from './page.ts'

/** The name of a header or a parameter, and its text. */
export type Pair = readonly [name: string, value: string]

/** A request to the API that the page can send, or show as a command. */
export interface ApiRequest {
  readonly url: string
  readonly method: string
  readonly headers: readonly Pair[]
  readonly body?: string
  /** The body, where it is a file. */
  readonly file?: File
  /** The parts of a multipart body. */
  readonly parts?: readonly RequestPart[]
}

/** A part of a multipart body: a text or a file. */
export interface RequestPart {
  readonly name: string
  readonly text?: string
  readonly file?: File
  /** The media type, where it is stated. */
  readonly type?: string
}

/** What stands for a key in a command that is copied. */
export const KEY_PLACEHOLDER = 'YOUR_KEY'

/** What a sandbox without keys is sent, as it accepts any credential. */
export const ANY_KEY = 'sk_sandbox'

/** What a request can be sent with. */
export interface KnownKeys {
  readonly keys: readonly string[]
  /** Those whose requests are not refused on purpose. */
  readonly usable: readonly string[]
  /** For a new request: the first one, else any where the sandbox takes any; empty where none works. */
  readonly newKey: string
  /** The base path of the API. */
  readonly basePath: string
}

export async function loadKeys(client: Pick<SandboxClient, 'health' | 'keys'>): Promise<KnownKeys> {
  const [keys, { anyCredential, basePath }] = await Promise.all([client.keys(), client.health()])
  const usable = keys.filter(({ always }) => always === undefined).map(({ key }) => key)
  const [newKey = anyCredential ? ANY_KEY : ''] = usable

  return { keys: keys.map(({ key }) => key), usable, newKey, basePath }
}

/** The journal masks credentials with this sign, which no header can contain. */
const MASK = '…'
/** What the program that sends the request sets itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|cookie|origin|referer|user-agent|expect|upgrade|te|trailer|(?:sec|proxy)-.*)$/i

/** The address of the API in the world that the page shows. */
export function apiAddress({ site, client, store }: Page): string {
  return site + worldPrefix(client) + (store.state.health?.basePath ?? '')
}

/** Whether the body of the request was too long for the journal. */
export function isBodyMissing({ request, status }: Pick<Exchange, 'request' | 'status'>): boolean {
  // A body that is larger than the API allows is not read.
  return request.bodySize !== undefined || status === 413
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
  /** The text of the body, or its beginning; absent when it is not text. */
  readonly body?: string
  /** The bytes that came, up to the limit. */
  readonly bytes: number
  readonly milliseconds: number
  /** Whether the body goes on. */
  readonly isPartial: boolean
  /** The id of its exchange; absent when the journal does not have it. */
  readonly exchange?: number
}

/** More bytes of a response are not read. */
const MAX_BYTES = 2_000_000

/** How often a response that comes is shown, in milliseconds. */
const PART_INTERVAL = 250

/**
 * Sends a request, and finds its exchange in the journal. Calls `onPart` with what came until then. When the signal is aborted while
 * the body comes, the response is what came.
 */
export async function sendRequest(
  { client: { journal }, site }: Pick<Page, 'client' | 'site'>,
  request: ApiRequest,
  signal: AbortSignal,
  onPart: (response: SentResponse) => void = () => undefined,
): Promise<SentResponse> {
  const after = await journal.last()
  const start = performance.now()
  const response = await send(request, site, { redirect: 'manual', signal })
  const { status } = response
  const headers = [...response.headers]
  let shown = start
  const content = await readContent(response, (chunks, bytes) => {
    if (performance.now() - shown < PART_INTERVAL) return
    shown = performance.now()
    onPart({
      status,
      headers,
      bytes,
      ...textIn(chunks),
      milliseconds: shown - start,
      isPartial: true,
    })
  })
  const milliseconds = performance.now() - start
  const exchange = findExchange(await journal.find({ after, limit: 50 }), request)

  return {
    // Browsers hide the status of a redirection. The journal has it.
    status: status || (exchange?.status ?? 0),
    headers: status ? headers : (exchange?.response.headers ?? []),
    ...textIn(content.chunks),
    bytes: content.bytes,
    milliseconds,
    isPartial: content.isPartial,
    ...(exchange && { exchange: exchange.id }),
  }
}

interface Content {
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
  readonly isPartial: boolean
}

/** Reads a body up to the limit, or until the request is aborted. Rejects when the connection breaks. */
async function readContent(
  { body }: Response,
  onChunk: (chunks: readonly Uint8Array[], bytes: number) => void,
): Promise<Content> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for (;;) {
      const { value, done = true } = (await reader?.read()) ?? {}
      if (done || value === undefined) return { chunks, bytes, isPartial: false }
      chunks.push(value)
      bytes += value.length
      if (bytes >= MAX_BYTES) break
      onChunk(chunks, bytes)
    }
    await reader?.cancel()
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError') || bytes === 0) throw error
  }
  return { chunks, bytes, isPartial: true }
}

/** The text of a body that may end within a character; nothing for another body. */
function textIn(chunks: readonly Uint8Array[]): { readonly body?: string } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    return { body: chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') }
  } catch {
    return {}
  }
}

function send(
  { url, method, headers, ...content }: ApiRequest,
  site: string,
  options: RequestInit = {},
): Promise<Response> {
  requireApiAddress(url, site)
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(content)

  return fetch(url, {
    ...options,
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    credentials: 'omit',
    ...(body !== undefined && { body }),
  })
}

function bodyOf({
  body,
  file,
  parts,
}: Pick<ApiRequest, 'body' | 'file' | 'parts'>): string | Blob | undefined {
  return parts ? new Blob(piecesOf(parts)) : (file ?? body)
}

/** Separates the parts of a multipart body. */
const BOUNDARY = 'pet-sandbox-form-5d0e8f3a91'

/** The value of `Content-Type` for a body of parts. */
export function multipartType(mediaType: string): string {
  return `${mediaType.includes('*') ? 'multipart/form-data' : mediaType}; boundary=${BOUNDARY}`
}

/** The pieces of a multipart body (RFC 7578). Its files are pieces of their own. */
export function piecesOf(parts: readonly RequestPart[]): (string | File)[] {
  const pieces = parts.flatMap(({ name, text, file, type = file?.type }) => [
    [
      `--${BOUNDARY}`,
      `Content-Disposition: form-data; name="${quoted(name)}"${file ? `; filename="${quoted(file.name)}"` : ''}`,
      ...(type ? [`Content-Type: ${type}`] : []),
      '',
      '',
    ].join('\r\n'),
    file ?? text ?? '',
    '\r\n',
  ])

  return [...pieces, `--${BOUNDARY}--\r\n`]
}

/** A name in a header of a part (HTML, "multipart/form-data encoding algorithm"). */
function quoted(name: string): string {
  return name.replace(/["\r\n]/g, (character) => encodeURIComponent(character))
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

/** The command of a POSIX shell that sends the request. No part of the request can run a command or read another file. */
export function toCurl(given: ApiRequest): string {
  const { body, file, parts, ...request } = withoutBoundary(given)
  const command = longCurlCommand({
    ...request,
    ...(body !== undefined && { body: { text: body } }),
  })
  const options = [
    ...(parts ?? []).map((part) => `-F ${quotedWord(formField(part))}`),
    ...(file ? [`--data-binary ${quotedWord(`@${file.name}`)}`] : []),
  ]

  return [command, ...options].join(' \\\n  ')
}

/** The program that sends parts separates them itself. */
export function withoutBoundary(request: ApiRequest): ApiRequest {
  if (!request.parts) return request
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type')
  return { ...request, headers }
}

/** In quotes, curl reads neither a file nor a media type in a value. */
function formField({ name, text = '', file, type }: RequestPart): string {
  const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`
  const value = file ? `@${quoted(file.name)}` : quoted(text)
  const stated = type ?? file?.type

  return `${name.replaceAll('=', '%3D')}=${value}${stated ? `;type=${stated}` : ''}`
}
