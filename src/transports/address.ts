/** What tells by which address one of Express's requests came. */
export interface Addressed {
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

/** A name or an address, with or without a port. */
export const HOST: RegExp = /^[\w.:[\]-]+$/

/** The base address of the latest request. */
let latest = { protocol: '', host: '', path: '', base: '' }

/** A prefix that a proxy removed from the path, as `/api`. */
const PREFIX = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+\/*$/

/**
 * The address of a path as the client asked for it. A target that is a whole address has scheme and host of its own, and the
 * Host header does not count then (RFC 9112, section 3.2.2). Where the app trusts the proxy that sent the request,
 * `X-Forwarded-Host`, `-Proto`, `-Port` and `-Prefix` count instead. Most requests have the base address of the latest, and
 * two that are the same string are compared at once.
 */
export function baseOf(request: Addressed, path: string): string {
  const { originalUrl, protocol, headers, socket } = request
  if (isWhole(originalUrl)) return new URL(originalUrl).origin + path
  if (isForwarded(request)) return forwardedBase(request, path)
  const host = hostOf(headers.host, socket)
  if (latest.host !== host || latest.path !== path || latest.protocol !== protocol) {
    latest = { protocol, host, path, base: `${protocol}://${host}${path}` }
  }
  return latest.base
}

/** Whether a proxy that the app trusts sent the request, with headers that tell what the client asked for. */
function isForwarded({ app, headers, socket }: Addressed): boolean {
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

/** Of several proxies, the first one in a header is the one that the client asked. `request.host` would lose the port in Express 4. */
function forwardedBase({ headers, protocol: given, socket }: Addressed, path: string): string {
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

/** An origin that names no port, with one. A port that its scheme implies is left out. */
function withPort(origin: string, port: string | undefined): string {
  if (port === undefined || !/^\d{1,5}$/.test(port) || /:\d+$/.test(origin)) return origin
  const whole = `${origin}:${port}`
  return URL.canParse(whole) ? new URL(whole).origin : origin
}

function isWhole(target: string): boolean {
  return !target.startsWith('/') && /^https?:/i.test(target) && URL.canParse(target)
}

/** Path and query of a request target, which may be a whole address (RFC 9112, section 3.2.2). */
export function splitTarget(target: string): [path: string, query: string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')

  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)]
}

/** What the client called this server; its own address where that is missing, or is no host. */
export function hostOf(
  host: string | undefined,
  { localPort }: Pick<Addressed['socket'], 'localPort'>,
): string {
  return host !== undefined && HOST.test(host) ? host : `127.0.0.1:${localPort}`
}
