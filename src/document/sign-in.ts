import type { Operation } from '../contract/contract.ts'
import type {
  FlowType,
  SignInAddress,
  SignInDescription,
  SignInEndpoint,
  SignInFlow,
  SignInRole,
} from '../contract/sign-in.ts'
import { asArray, asObject, asString, type JsonObject } from './json-value.ts'
import { basePathsOf } from './servers.ts'

/** Where endpoints are that the document does not name, and those whose documented path is an operation or is taken. */
const USUAL_PATHS: Readonly<Record<SignInEndpoint, string>> = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
  device_authorization: '/oauth/device_authorization',
  device: '/oauth/device',
  userinfo: '/oauth/userinfo',
  jwks: '/oauth/jwks',
  logout: '/oauth/logout',
  'openid-configuration': '/.well-known/openid-configuration',
  'authorization-server': '/.well-known/oauth-authorization-server',
}

const FLOW_TYPES: readonly FlowType[] = [
  'authorizationCode',
  'implicit',
  'password',
  'clientCredentials',
  'deviceAuthorization',
]

/** The URLs of a flow, with the endpoint that each leads to. */
const URLS: readonly (readonly [property: string, endpoint: SignInEndpoint])[] = [
  ['authorizationUrl', 'authorize'],
  ['tokenUrl', 'token'],
  ['refreshUrl', 'token'],
  ['deviceAuthorizationUrl', 'device_authorization'],
]

const DISCOVERY = '/.well-known/openid-configuration'

/** What operations and base paths have: where an endpoint cannot be. */
interface TakenPaths {
  readonly operations: readonly Pick<Operation, 'method' | 'path' | 'basePaths' | 'signIn'>[]
  readonly basePaths: readonly string[]
}

/**
 * The sign-in of a document with `oauth2` or `openIdConnect` schemes, or with operations that answer with tokens; `undefined` for other
 * documents. A documented path is kept, whatever the host, unless something else is there.
 */
export function readSignIn(
  root: JsonObject,
  resolve: (value: unknown) => unknown,
  taken: TakenPaths,
): SignInDescription | undefined {
  const schemes = Object.entries(asObject(resolve(asObject(root.components).securitySchemes)))
  const found = schemes.flatMap(([name, value]) => flowsOf(name, asObject(resolve(value))))
  const hasOperations = taken.operations.some(({ signIn }) => signIn !== undefined)
  if (found.length === 0 && !hasOperations) return undefined

  const base = asString(asObject(asArray(root.servers)[0]).url) ?? ''
  const table = new EndpointTable(taken)
  for (const [endpoint, text] of found.flatMap(({ urls }) => urls)) {
    const url = absoluteUrl(text, base)
    if (url) table.addDocumented(endpoint, url)
  }
  if (found.length > 0) table.addUsual()
  const { endpoints, paths, addresses, issuerPath } = table

  return {
    flows: found.map(({ flow }) => flow),
    endpoints: Object.fromEntries(endpoints),
    paths: Object.fromEntries(paths),
    addresses: distinct(addresses),
    issuerPath,
  }
}

/** The endpoints of a document, as they are found. */
class EndpointTable {
  readonly endpoints = new Map<string, SignInEndpoint>()
  readonly paths = new Map<SignInEndpoint, string>()
  readonly addresses: SignInAddress[] = []
  issuerPath = ''
  readonly #taken: TakenPaths

  constructor(taken: TakenPaths) {
    this.#taken = taken
  }

  /** Adds an endpoint at its documented path, unless something else is there. An operation that is the endpoint stays one. */
  addDocumented(endpoint: SignInEndpoint, url: URL): void {
    const { pathname } = url
    const isFree = isFreePath(pathname, endpoint, this.endpoints, this.#taken)
    const isOwnOperation = isOperation(pathname, this.#taken, endpoint)
    const path = isFree || isOwnOperation ? pathname : USUAL_PATHS[endpoint]
    if (!isOwnOperation) this.endpoints.set(path, endpoint)
    if (!this.paths.has(endpoint)) this.paths.set(endpoint, path)
    if (endpoint === 'openid-configuration' && isFree && pathname.endsWith(DISCOVERY)) {
      this.issuerPath = pathname.slice(0, -DISCOVERY.length)
    }
    if (url.host !== UNKNOWN_HOST) {
      this.addresses.push({ url: url.origin + pathname, path, endpoint })
    }
  }

  /** Adds the endpoints that the document does not name. The metadata are at their well-known paths, too. */
  addUsual(): void {
    for (const [endpoint, path] of usualEndpoints(this.issuerPath)) {
      const isWanted = !this.paths.has(endpoint) || path.includes('/.well-known/')
      if (!isWanted || this.endpoints.has(path) || isOperation(path, this.#taken)) continue
      this.endpoints.set(path, endpoint)
      if (!this.paths.has(endpoint)) this.paths.set(endpoint, path)
    }
  }
}

function usualEndpoints(issuerPath: string): readonly (readonly [SignInEndpoint, string])[] {
  const usual = Object.entries(USUAL_PATHS).map(
    ([endpoint, path]) => [endpoint as SignInEndpoint, path] as const,
  )
  // RFC 8414, section 3: the path of an issuer comes after the well-known one.
  return issuerPath === ''
    ? usual
    : [...usual, ['authorization-server', `${USUAL_PATHS['authorization-server']}${issuerPath}`]]
}

interface FoundFlow {
  readonly flow: SignInFlow
  readonly urls: readonly (readonly [endpoint: SignInEndpoint, url: string])[]
}

function flowsOf(scheme: string, value: JsonObject): readonly FoundFlow[] {
  const type = (asString(value.type) ?? '').toLowerCase()
  if (type === 'openidconnect') {
    const url = asString(value.openIdConnectUrl)
    const flow: SignInFlow = { scheme, type: 'openid', scopes: {} }
    return [{ flow, urls: url === undefined ? [] : [['openid-configuration', url]] }]
  }
  if (type !== 'oauth2') return []
  const flows = asObject(value.flows)

  return FLOW_TYPES.flatMap((name) => {
    if (flows[name] === undefined) return []
    const flow = asObject(flows[name])
    const urls = URLS.flatMap(([property, endpoint]) => {
      const url = asString(flow[property])
      return url === undefined || url === '' ? [] : [[endpoint, url] as const]
    })
    return [{ flow: { scheme, type: name, scopes: scopesOf(flow.scopes) }, urls }]
  })
}

function scopesOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(asObject(value)).map(([name, text]) => [
    name,
    asString(text) ?? '',
  ])
  return Object.fromEntries(entries)
}

/** The host of addresses that the document gives without one. */
const UNKNOWN_HOST = 'sandbox.invalid'

/** A URL of the document; relative ones are relative to the first server (OpenAPI 3.1, "Relative References in URLs"). */
function absoluteUrl(text: string, base: string): URL | undefined {
  const filled = (one: string): string => one.replace(/\{[^{}]*\}/g, 'x')
  const origin = `https://${UNKNOWN_HOST}`
  const server = URL.canParse(filled(base), origin)
    ? new URL(filled(base), origin)
    : new URL(origin)
  if (!server.pathname.endsWith('/')) server.pathname += '/'
  if (!URL.canParse(filled(text), server)) return undefined
  const url = new URL(filled(text), server)

  return /^https?:$/.test(url.protocol) ? url : undefined
}

function isFreePath(
  path: string,
  endpoint: SignInEndpoint,
  endpoints: ReadonlyMap<string, SignInEndpoint>,
  taken: TakenPaths,
): boolean {
  const other = endpoints.get(path)
  const isReserved = path === '/' || /^\/(__sandbox|worlds)(\/|$)/.test(path)
  return !isReserved && (other === undefined || other === endpoint) && !isOperation(path, taken)
}

/** Whether an operation of the document, or one with this role, is at a path beside the base path. */
function isOperation(path: string, { operations, basePaths }: TakenPaths, role?: string): boolean {
  return operations.some((operation) => {
    if (role !== undefined && operation.signIn !== role) return false
    return (operation.basePaths ?? basePaths).some((base) => {
      if (!path.startsWith(base)) return false
      const rest = path.slice(base.length).split('/')
      const own = operation.path.split('/')
      return (
        own.length === rest.length && own.every((part, at) => /\{/.test(part) || part === rest[at])
      )
    })
  })
}

function distinct(addresses: readonly SignInAddress[]): readonly SignInAddress[] {
  return [...new Map(addresses.map((one) => [`${one.endpoint} ${one.url}`, one])).values()]
}

/** The documented addresses of the endpoints that may be operations of the document. */
const OPERATION_ROLES: Readonly<Record<string, SignInRole>> = {
  authorizationUrl: 'authorize',
  tokenUrl: 'token',
  refreshUrl: 'token',
}

/** What the paths of operations are called that have to do with sign-in, and take POST. */
const PATH_ROLES: readonly (readonly [pattern: RegExp, role: SignInRole])[] = [
  [/\/(oauth2?|connect|openid)(\/v\d+)?(\/access)?[/_-]?(token|access_token)$/i, 'token'],
  [/\/(oauth2?|connect)(\/v\d+)?\/revo(ke|cation)$/i, 'revoke'],
  [/\/(oauth2?|connect)(\/v\d+)?\/introspect(ion)?$/i, 'introspect'],
  [/\/(log-?in|sign-?in|authenticate|sessions?|auth(\/token)?|tokens?)$/i, 'login'],
  [/\/(log-?out|sign-?out)$/i, 'logout'],
]

/** What an operation has to do with sign-in, by its path: what `readSignIn` and its schema decide further. */
export function signInRolesOf(
  root: JsonObject,
  resolve: (value: unknown) => unknown,
): (method: string, path: string) => SignInRole | undefined {
  const named = documentedRoles(root, resolve)
  const bases = basePathsOf(root.servers)
  return (method, path) => {
    const documented = [...named].find(([url]) => isSamePath(url, path, bases))?.[1]
    if (documented === 'authorize') return method === 'GET' ? 'authorize' : undefined
    if (method !== 'POST') return undefined
    return documented ?? PATH_ROLES.find(([pattern]) => pattern.test(path))?.[1]
  }
}

/** The roles of the paths of documented addresses. */
function documentedRoles(
  root: JsonObject,
  resolve: (value: unknown) => unknown,
): ReadonlyMap<string, SignInRole> {
  const schemes = Object.values(asObject(resolve(asObject(root.components).securitySchemes)))
  const flows = schemes.flatMap((scheme) =>
    Object.values(asObject(asObject(resolve(scheme)).flows)).map(asObject),
  )
  const named = flows.flatMap((flow) =>
    Object.entries(OPERATION_ROLES).flatMap(([property, role]) => {
      const url = absoluteUrl(asString(flow[property]) ?? '', '')
      return url && url.pathname !== '/' ? [[url.pathname, role] as const] : []
    }),
  )
  return new Map(named)
}

/** Whether a documented address is that of an operation: below a base path, or with several segments below another one. */
function isSamePath(url: string, path: string, bases: readonly string[]): boolean {
  if (path.includes('{')) return false
  return (
    bases.some((base) => url === base + path) || (url.endsWith(path) && path.split('/').length > 2)
  )
}
