/** How clients get tokens, as the document describes it: its `oauth2` and `openIdConnect` security schemes. */
export interface SignInDescription {
  readonly flows: readonly SignInFlow[]
  /** What each path answers, below the address of the server and beside the base path, such as `/oauth/token`. */
  readonly endpoints: Readonly<Record<string, SignInEndpoint>>
  /** The path of each endpoint: below the base path where an operation of the document is the endpoint. */
  readonly paths: Readonly<Partial<Record<SignInEndpoint, string>>>
  /** The addresses of the document that lead to endpoints, where they have a host. */
  readonly addresses: readonly SignInAddress[]
  /** The path of the issuer, such as `/realms/shop`; empty when it is the address of the server. */
  readonly issuerPath: string
}

/** An address of the document, and the path that answers for it. */
export interface SignInAddress {
  readonly url: string
  readonly path: string
  readonly endpoint: SignInEndpoint
}

/** A flow of a security scheme (OpenAPI, "OAuth Flows Object"). `openIdConnect` schemes have the flow `openid`. */
export interface SignInFlow {
  /** The name under `components.securitySchemes`. */
  readonly scheme: string
  readonly type: FlowType
  /** The scopes, with what each allows. */
  readonly scopes: Readonly<Record<string, string>>
}

export type FlowType =
  | 'authorizationCode'
  | 'implicit'
  | 'password'
  | 'clientCredentials'
  | 'deviceAuthorization'
  | 'openid'

/** What a path of sign-in is for. */
export type SignInEndpoint = (typeof SIGN_IN_ENDPOINTS)[number]

/** The endpoints. `openid-configuration` and `authorization-server` are the two forms of the metadata. */
export const SIGN_IN_ENDPOINTS: readonly [
  'authorize',
  'token',
  'revoke',
  'introspect',
  'device_authorization',
  'device',
  'userinfo',
  'jwks',
  'logout',
  'openid-configuration',
  'authorization-server',
] = [
  'authorize',
  'token',
  'revoke',
  'introspect',
  'device_authorization',
  'device',
  'userinfo',
  'jwks',
  'logout',
  'openid-configuration',
  'authorization-server',
]

/** What an operation of the document has to do with sign-in. `login` answers with a token, or sets a cookie. */
export type SignInRole = 'authorize' | 'token' | 'revoke' | 'introspect' | 'login' | 'logout'

/** The methods of the endpoints; `GET` for all others. */
const METHODS: Readonly<Partial<Record<SignInEndpoint, readonly string[]>>> = {
  authorize: ['GET', 'POST'],
  token: ['POST'],
  revoke: ['POST'],
  introspect: ['POST'],
  device_authorization: ['POST'],
  device: ['GET', 'POST'],
  userinfo: ['GET', 'POST'],
  logout: ['GET', 'POST'],
}

/** The methods that an endpoint answers, without HEAD and OPTIONS. */
export function methodsOf(endpoint: SignInEndpoint): readonly string[] {
  return METHODS[endpoint] ?? ['GET']
}
