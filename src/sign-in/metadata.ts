import type { Contract } from '../contract/contract.ts'
import type { SignInEndpoint } from '../contract/sign-in.ts'
import type { CoreResponse } from '../http/message.ts'
import type { EndpointRequest } from './endpoint-request.ts'
import { documentedScopes, hasFlow } from './scopes.ts'

/** The names of the endpoints in metadata (RFC 8414, section 2; OpenID Connect Discovery, section 3). */
const NAMES: readonly (readonly [name: string, endpoint: SignInEndpoint])[] = [
  ['authorization_endpoint', 'authorize'],
  ['token_endpoint', 'token'],
  ['revocation_endpoint', 'revoke'],
  ['introspection_endpoint', 'introspect'],
  ['device_authorization_endpoint', 'device_authorization'],
  ['userinfo_endpoint', 'userinfo'],
  ['jwks_uri', 'jwks'],
  ['end_session_endpoint', 'logout'],
]

const CLIENT_METHODS = ['client_secret_basic', 'client_secret_post', 'none']

/** The metadata of the issuer, in the form of OAuth 2 and of OpenID Connect at once. */
export function answerMetadata({ state, issuer, root }: EndpointRequest): CoreResponse {
  const { contract } = state.host.service.settings
  const { paths = {} } = contract.signIn ?? {}
  const addresses = NAMES.flatMap(([name, endpoint]) => {
    const path = paths[endpoint]
    return path === undefined ? [] : [[name, root + path] as const]
  })
  const metadata = {
    issuer,
    ...Object.fromEntries(addresses),
    scopes_supported: [
      ...new Set([
        'openid',
        'profile',
        'email',
        'offline_access',
        ...documentedScopes(contract).keys(),
      ]),
    ],
    response_types_supported: responseTypes(contract),
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: grantTypes(contract),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: CLIENT_METHODS,
    revocation_endpoint_auth_methods_supported: CLIENT_METHODS,
    introspection_endpoint_auth_methods_supported: CLIENT_METHODS,
    code_challenge_methods_supported: ['S256', 'plain'],
    claims_supported: ['sub', 'iss', 'aud', 'iat', 'exp', 'auth_time', 'nonce', 'name', 'email'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
  return jsonResponse(metadata)
}

/** The response types, as the order of `response_type` in requests is free. */
export function responseTypes(contract: Pick<Contract, 'signIn'>): readonly string[] {
  const isOpenId = hasFlow(contract, 'openid')
  const implicit = hasFlow(contract, 'implicit')
  return [
    'code',
    ...(implicit ? ['token'] : []),
    ...(isOpenId && implicit ? ['id_token', 'id_token token'] : []),
    ...(isOpenId ? ['code id_token'] : []),
  ]
}

function grantTypes(contract: Pick<Contract, 'signIn'>): readonly string[] {
  return [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
    ...(hasFlow(contract, 'password') ? ['password'] : []),
    ...(hasFlow(contract, 'implicit') ? ['implicit'] : []),
  ]
}

/** The public keys (RFC 7517). */
export async function answerKeySet({ state, outcome }: EndpointRequest): Promise<CoreResponse> {
  const { keySetOf, rotateKey } = await import('./signing-keys.ts')
  if (outcome === 'rotated-keys') await rotateKey(state)
  return jsonResponse(await keySetOf(state))
}

function jsonResponse(value: object): CoreResponse {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
    body: JSON.stringify(value),
  }
}
