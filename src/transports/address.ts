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

/**
 * The address of a path as the client asked for it. A target that is a whole address has scheme and host of its own, and the
 * Host header does not count then (RFC 9112, section 3.2.2); nor does it where a proxy that the app trusts tells another.
 * Most requests have the base address of the latest, and two that are the same string are compared at once.
 */
export function baseOf(request: Addressed, path: string): string {
  const { originalUrl, protocol, headers, socket } = request
  if (isWhole(originalUrl)) return new URL(originalUrl).origin + path
  const host = hostOf(forwardedHost(request) ?? headers.host, socket)
  if (latest.host !== host || latest.path !== path || latest.protocol !== protocol) {
    latest = { protocol, host, path, base: `${protocol}://${host}${path}` }
  }
  return latest.base
}

/** The first host that was asked for, where the app trusts who forwards it. `request.host` would lose the port in Express 4. */
function forwardedHost({ app, headers, socket }: Addressed): string | undefined {
  const forwarded = headers['x-forwarded-host']
  if (typeof forwarded !== 'string') return undefined
  const trusts = app.get('trust proxy fn')
  if (typeof trusts !== 'function' || !trusts(socket.remoteAddress, 0)) return undefined

  return forwarded.split(',', 1)[0]?.trim()
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
