import type { Exchange } from '../../../journal/exchange.ts'
import { requireApiAddress } from '../../sandbox/request-address.ts'

/** A recorded request that can be sent again. */
export interface Replay {
  readonly url: string
  readonly method: string
  readonly headers: readonly (readonly [name: string, value: string])[]
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
export function toReplay(
  exchange: Pick<Exchange, 'method' | 'request' | 'target'>,
  base: string,
  key: string,
): Replay {
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

function withoutMask(name: string, value: string): (readonly [string, string])[] {
  return value.includes(MASK) ? [] : [[name, value]]
}

/** Credentials in the query: `?api_key=…free`. */
function unmaskQuery(target: string, key: string): string {
  return target.replace(/([?&][^=&]*=)…[^&]*/g, (_, name: string) => name + encodeURIComponent(key))
}

/** Sends the request to the server at `site`, and resolves with its status. */
export async function sendReplay(
  { url, method, headers, body }: Replay,
  site: string,
): Promise<number> {
  requireApiAddress(url, site)
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const response = await fetch(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    credentials: 'omit',
    ...(hasBody && { body }),
  })
  await response.arrayBuffer()

  return response.status
}
