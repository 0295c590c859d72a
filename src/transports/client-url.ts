import { isIP } from 'node:net'
import { allBasePaths } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import { shortened, UsageError } from '../validation/usage-error.ts'

/** The parts of an Express request that tell the URL that the client requested. */
export interface RequestUrlSource {
  readonly originalUrl: string
  readonly protocol: string
  readonly headers: {
    readonly host?: string | undefined
    readonly [name: string]: string | string[] | undefined
  }
  readonly socket: {
    readonly localPort?: number | undefined
    readonly remoteAddress?: string | undefined
  }
  /** The app, with its settings. */
  readonly app: { get(setting: string): unknown }
}

/** A host name or an IP address, with or without a port. */
export const HOST: RegExp = /^[\w.:[\]-]+$/

/** The base URL of the latest request. */
let latest = { protocol: '', host: '', path: '', base: '' }

/** A path prefix that a proxy removed, such as `/api`. */
const PREFIX = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+\/*$/

/**
 * The URL of a path as the client requested it. A target in absolute form has its own scheme and host and overrides the Host
 * header (RFC 9112, section 3.2.2). When the app trusts the proxy that sent the request, `X-Forwarded-Host`, `-Proto`,
 * `-Port` and `-Prefix` apply instead. Most requests have the same base URL as the latest one, so that string is reused.
 */
export function baseOf(request: RequestUrlSource, path: string): string {
  const { originalUrl, protocol, headers, socket } = request
  if (isAbsolute(originalUrl)) return new URL(originalUrl).origin + path
  if (isForwarded(request)) return forwardedBase(request, path)
  const host = hostOf(headers.host, socket)
  if (latest.host !== host || latest.path !== path || latest.protocol !== protocol) {
    latest = { protocol, host, path, base: `${protocol}://${host}${path}` }
  }
  return latest.base
}

/** Whether a proxy that the app trusts sent the request with forwarding headers. */
function isForwarded({ app, headers, socket }: RequestUrlSource): boolean {
  if (!FORWARDED.some((name) => headers[name] !== undefined)) return false
  const trusts = app.get('trust proxy fn')
  return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true
}

const FORWARDED = [
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-prefix',
] as const

/** The first value of a header comes from the proxy that the client connected to. `request.host` loses the port in Express 4. */
function forwardedBase(
  { headers, protocol: given, socket }: RequestUrlSource,
  path: string,
): string {
  const [host, proto, port, prefix] = FORWARDED.map((name) => firstOf(headers[name]))
  const isScheme = proto === 'http' || proto === 'https'
  const protocol = proto === undefined || isScheme ? given : 'http'
  const name = hostOf(host !== undefined && HOST.test(host) ? host : headers.host, socket)
  const origin = withPort(`${protocol}://${name}`, port)
  const start = prefix !== undefined && PREFIX.test(prefix) ? prefix.replace(/\/+$/, '') : ''

  return origin + start + path
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header.split(',', 1)[0]?.trim() : undefined
}

/** Adds the port to an origin that has none. The default port of the scheme is omitted. */
function withPort(origin: string, port: string | undefined): string {
  if (port === undefined || !/^\d{1,5}$/.test(port) || /:\d+$/.test(origin)) return origin
  const whole = `${origin}:${port}`
  return URL.canParse(whole) ? new URL(whole).origin : origin
}

function isAbsolute(target: string): boolean {
  return !target.startsWith('/') && /^https?:/i.test(target) && URL.canParse(target)
}

/** Path and query of a request target, which may be in absolute form (RFC 9112, section 3.2.2). */
export function splitTarget(target: string): [path: string, query: string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')

  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)]
}

/** The host that the client named, or the server's own address when it is missing or invalid. */
export function hostOf(
  host: string | undefined,
  { localPort }: Pick<RequestUrlSource['socket'], 'localPort'>,
): string {
  return host !== undefined && HOST.test(host) ? host : `127.0.0.1:${localPort}`
}

/**
 * The URL at which clients reach the root of a server, without a trailing slash. Throws a UsageError when the text is not an
 * http or https URL, and when it has a user, a query or a fragment.
 */
export function toPublicUrl(text: string, name = 'publicUrl'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw invalid(name, text, 'it is not an http or https address')
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw invalid(name, text, 'it has a user, a query or a fragment')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/**
 * Throws a UsageError for a public URL that ends with a base path of the API. Links add the base path, so they would contain
 * it twice.
 */
export function refuseBasePath(publicUrl: string | undefined, contract: Contract): void {
  if (publicUrl === undefined) return
  const { pathname } = new URL(publicUrl)
  const basePath = allBasePaths(contract).find((one) => one !== '' && pathname.endsWith(one))
  if (basePath === undefined) return
  const address = publicUrl.slice(0, -basePath.length)
  throw new UsageError({
    code: 'invalid_public_url',
    task: `use the public URL "${publicUrl}"`,
    reason: `links would start with ${publicUrl}${basePath}`,
    help: `Write the URL without ${basePath}, as ${address}.`,
  })
}

function invalid(name: string, text: string, reason: string): UsageError {
  return new UsageError({
    code: 'invalid_public_url',
    task: `use ${name} "${shortened(text)}"`,
    reason,
    help: 'Write the URL that clients use, as https://example.com/sandbox.',
  })
}

/** Names of address ranges that Express knows. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, subnets and ranges of trusted proxies. Throws a UsageError for a text that is none of them. */
export function toTrustedProxies(texts: readonly string[], name = 'trustProxy'): string[] {
  for (const text of texts) {
    if (RANGES.includes(text) || isSubnet(text)) continue
    throw new UsageError({
      code: 'invalid_trust_proxy',
      task: `use ${name} "${shortened(text)}"`,
      reason: 'it is not an IP address, a subnet or a known range',
      help: `Write ${RANGES.join(', ')}, 10.0.0.1 or 10.0.0.0/8.`,
      allowed: RANGES,
    })
  }
  return [...texts]
}

function isSubnet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (bits === undefined) return true

  return /^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128)
}
