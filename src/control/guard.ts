import { bearerToken } from '../access/security-scheme.ts'
import { DELIVERY_HEADER } from '../events/targets.ts'
import { isBearerToken } from '../http/headers.ts'
import { PAGE_HEADER } from '../http/paths.ts'
import { type Problem, problems } from '../http/problem.ts'
import { kindOf, UsageError } from '../validation/usage-error.ts'

/** Who may use the control interface. */
export interface Permission {
  /** The bearer token of requests from other machines. Without it, they are refused. */
  readonly token?: string
  /** The origins of pages that may use the control interface, besides those that the sandbox serves. */
  readonly origins: ReadonlySet<string>
  /** What the dashboard sends as {@link PAGE_HEADER}. Without it, there is no dashboard. */
  readonly secret?: string
}

/** Where a request comes from. */
export interface RequestSource {
  readonly url: URL
  readonly header: (name: string) => string | undefined
  /** The IP address of the sender; `undefined` when it is unknown. */
  readonly address: string | undefined
}

const IPV4_LOOPBACK = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i

/** Checks the options of `createControl`. Throws a UsageError. */
export function toPermission(
  token: string | undefined,
  origins: readonly string[],
  secret?: string,
): Permission {
  if (token !== undefined && !isBearerToken(token)) {
    throw new UsageError({
      code: 'invalid_token',
      task: 'use the token of the control interface',
      reason: 'no HTTP header can carry it',
      help: 'Use letters, digits and -._~+/ only.',
    })
  }
  if (!Array.isArray(origins)) {
    throw new UsageError({
      code: 'invalid_origin',
      task: 'use the option origins',
      reason: `the value must be an array (got ${kindOf(origins)})`,
      help: 'Give an array of origins.',
    })
  }
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue
    throw new UsageError({
      code: 'invalid_origin',
      task: `allow pages of "${origin}"`,
      reason: 'it is not an origin',
      help: 'Write it as http://localhost:3000.',
    })
  }
  return {
    ...(token !== undefined && { token }),
    ...(secret !== undefined && { secret }),
    origins: new Set(origins),
  }
}

/** Throws a 401 or 403 for a request that may not use the control interface. */
export function guard(source: RequestSource, permission: Permission): void {
  refuseDelivery(source)
  const isAuthorized = hasToken(source, permission)
  if (!(isAuthorized || isLocalConnection(source))) throw unauthorized(source, permission)
  if (!(isAuthorized || hasLocalHost(source))) {
    throw problems.forbidden(
      `The host ${hostOf(source)} is not a name of this machine. Use localhost, or send the token.`,
    )
  }
  if (isAllowedPage(source, permission)) return
  refuseForeignPage(source)
  if (!isAuthorized) refuseOwnPage(source, permission)
}

/** A subscription may lead to the control interface, whose requests from this machine need no token. */
function refuseDelivery({ header }: RequestSource): void {
  if (header(DELIVERY_HEADER.toLowerCase()) === undefined) return
  throw problems.forbidden('Webhooks and callbacks of a sandbox may not control a sandbox.')
}

/** Whether the request comes from a page of an allowed origin. */
export function isAllowedOrigin({ header }: RequestSource, { origins }: Permission): boolean {
  const origin = header('origin')
  return origin !== undefined && origins.has(origin)
}

/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Whether the sender is on this machine. A proxy on this machine forwards requests of others. */
function isLocalConnection({ address, header }: RequestSource): boolean {
  if (PROXY_HEADERS.some((name) => header(name) !== undefined)) return false
  return address !== undefined && (address === '::1' || IPV4_LOOPBACK.test(address))
}

function hasToken({ header }: RequestSource, { token }: Permission): boolean {
  const sent = bearerToken(header('authorization'))
  return token !== undefined && sent !== undefined && isEqualInConstantTime(sent, token)
}

/** The response time must not reveal how many characters of the token are correct. */
function isEqualInConstantTime(sent: string, token: string): boolean {
  let difference = sent.length ^ token.length
  for (let index = 0; index < sent.length; index += 1) {
    difference |= sent.charCodeAt(index) ^ token.charCodeAt(index % token.length)
  }
  return difference === 0
}

function unauthorized({ header }: RequestSource, { token }: Permission): Problem {
  const isSent = header('authorization') !== undefined
  const challenge = 'Bearer realm="pet-sandbox control"'
  const advice =
    token === undefined
      ? 'Start the sandbox with --control-token, and send that token.'
      : 'Send it as "Authorization: Bearer <token>".'

  return problems.unauthorized(
    `Requests from other machines need the token of the sandbox. ${advice}`,
    isSent ? `${challenge}, error="invalid_token"` : challenge,
    isSent ? 'invalid-token' : 'no-token',
  )
}

/** Whether `Host` names this machine. An attacker's host name can resolve to this machine (DNS rebinding). */
function hasLocalHost(source: RequestSource): boolean {
  const host = source.header('host')
  if (!isLocalName(source.url.hostname)) return false
  if (host === undefined) return true

  return URL.canParse(`http://${host}`) && isLocalName(new URL(`http://${host}`).hostname)
}

function isLocalName(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    IPV4_LOOPBACK.test(name)
  )
}

function hostOf({ url, header }: RequestSource): string {
  return header('host') ?? url.host
}

/**
 * Whether the request comes from a page of an allowed origin, also through a proxy of that origin. Then browsers send no `Origin` with
 * a GET, and the proxy may replace `Host`. A page cannot send the `Referer` of another origin.
 */
function isAllowedPage(source: RequestSource, permission: Permission): boolean {
  if (source.header('sec-fetch-site') !== 'same-origin') return isAllowedOrigin(source, permission)
  const { origins } = permission
  const host = hostOf(source)
  const origin = pageOrigin(source)

  return [origin, `http://${host}`, `https://${host}`].some((one) => origins.has(one))
}

/** The origin of the page that sent the request, as far as the request tells it. */
function pageOrigin({ url, header }: RequestSource): string {
  const referrer = header('referer')
  return (
    header('origin') ??
    (referrer !== undefined && URL.canParse(referrer) ? new URL(referrer).origin : url.origin)
  )
}

/** Throws a 403 for a page of another origin. Browsers set `Origin` and `Sec-Fetch-Site`; pages cannot change them. */
function refuseForeignPage(source: RequestSource): void {
  const origin = source.header('origin')
  if (origin !== undefined && origin !== source.url.origin) {
    throw problems.forbidden(
      `Pages of ${origin} may not use the control interface. Allow them with --control-origin ${origin}.`,
    )
  }
  const site = source.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw problems.forbidden(`Pages of another site may not use the control interface (${site}).`)
  }
}

/**
 * Throws a 403 for a page of the sandbox's own origin, unless it is the dashboard: a response of the API that a browser shows has the same
 * origin, and its content is that of a document or of a client.
 */
function refuseOwnPage(source: RequestSource, { secret }: Permission): void {
  const { header } = source
  if (header('origin') === undefined && header('sec-fetch-site') !== 'same-origin') return
  const sent = header(PAGE_HEADER)
  if (sent === undefined || secret === undefined) {
    const origin = pageOrigin(source)
    throw problems.forbidden(
      `Of the pages of ${origin}, only the dashboard may use the control interface. Send the control token, or allow them with --control-origin ${origin}.`,
    )
  }
  if (!isEqualInConstantTime(sent, secret)) {
    throw problems.outdatedPage(
      'The dashboard belongs to an earlier start of the sandbox. Reload the page.',
    )
  }
}
