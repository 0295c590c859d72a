import type { Contract } from '../contract/contract.ts'
import { knownClient, redirectOf } from './clients.ts'
import { responseTypes } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'
import { type RequestParameters, required } from './request-parameters.ts'
import { askedScopes } from './scopes.ts'
import type { OAuthClient, SignInSettings } from './sign-in-settings.ts'
import type { IssuedToken } from './sign-in-state.ts'

/** Where the answer to an authorization request goes. Nothing is sent to an address before this is known. */
export interface ReturnAddress {
  readonly client: string
  readonly settings: OAuthClient
  readonly redirect: URL
  /** As the request has it, which the token request repeats; absent when the request has none. */
  readonly given: string | undefined
  readonly state: string | undefined
  readonly mode: 'query' | 'fragment' | 'form_post'
}

/** A valid authorization request (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1). */
export interface AuthorizationRequest {
  /** The parts of the response: `code`, `token`, `id_token`. */
  readonly types: ReadonlySet<string>
  readonly scopes: readonly string[]
  readonly prompts: ReadonlySet<string>
  readonly challenge: NonNullable<IssuedToken['challenge']> | undefined
  readonly nonce: string | undefined
  readonly loginHint: string | undefined
  /** Seconds since the user signed in, at most. */
  readonly maxAge: number | undefined
}

/** Finds out where the answer goes. Throws an OAuthError that must not be sent anywhere. */
export function readReturnAddress(
  parameters: RequestParameters,
  settings: Pick<SignInSettings, 'clients'>,
): ReturnAddress {
  const client = required(parameters, 'client_id')
  const known = knownClient(client, settings)
  const given = parameters.get('redirect_uri')
  const redirect = redirectOf(given, known, settings)
  const types = new Set((parameters.get('response_type') ?? '').split(' '))
  const usual = types.has('token') || types.has('id_token') ? 'fragment' : 'query'
  const asked = parameters.get('response_mode')
  const mode =
    asked === 'fragment' || asked === 'form_post' || (asked === 'query' && usual === 'query')
      ? asked
      : usual

  return { client, settings: known, redirect, given, state: parameters.get('state'), mode }
}

const PROMPTS = ['none', 'login', 'consent', 'select_account', 'create']

/** Reads and checks an authorization request. Throws an OAuthError, which is sent to the return address. */
export function readAuthorizationRequest(
  parameters: RequestParameters,
  { settings }: Pick<ReturnAddress, 'settings'>,
  { contract, isPublic }: { readonly contract: Contract; readonly isPublic: boolean },
): AuthorizationRequest {
  if (parameters.has('request'))
    throw new OAuthError('request_not_supported', 'Request objects are not supported.')
  if (parameters.has('request_uri'))
    throw new OAuthError('request_uri_not_supported', 'request_uri is not supported.')
  const asked = required(parameters, 'response_type')
  const sorted = (text: string): string => text.split(' ').sort().join(' ')
  const isKnown = responseTypes(contract).some((one) => sorted(one) === sorted(asked))
  if (!isKnown)
    throw new OAuthError(
      'unsupported_response_type',
      `The document has no flow for the response type ${asked}.`,
    )
  const types = new Set(asked.split(' '))
  const scopes = askedScopes(
    parameters.get('scope'),
    contract,
    ...(['authorizationCode', 'implicit', 'openid'] as const),
  )
  const nonce = parameters.get('nonce')
  if (types.has('id_token') && nonce === undefined)
    throw new OAuthError('invalid_request', 'The parameter nonce is missing.')
  const prompts = new Set((parameters.get('prompt') ?? '').split(' ').filter((one) => one !== ''))
  if (
    [...prompts].some((one) => !PROMPTS.includes(one)) ||
    (prompts.has('none') && prompts.size > 1)
  )
    throw new OAuthError(
      'invalid_request',
      `The parameter prompt must be one of ${PROMPTS.join(', ')}.`,
    )
  const age = parameters.get('max_age')
  if (age !== undefined && !/^\d{1,9}$/.test(age))
    throw new OAuthError('invalid_request', 'The parameter max_age must be a number of seconds.')

  return {
    types,
    scopes,
    prompts,
    challenge: readChallenge(
      parameters,
      types.has('code') && isPublic && settings.secret === undefined,
    ),
    nonce,
    loginHint: parameters.get('login_hint'),
    maxAge: age === undefined ? undefined : Number(age),
  }
}

/** RFC 7636, section 4.3. */
function readChallenge(
  parameters: RequestParameters,
  isRequired: boolean,
): AuthorizationRequest['challenge'] {
  const text = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method') ?? 'plain'
  if (text === undefined) {
    if (isRequired)
      throw new OAuthError(
        'invalid_request',
        'A public client must use PKCE: the parameter code_challenge is missing.',
      )
    return undefined
  }
  if (method !== 'S256' && method !== 'plain')
    throw new OAuthError('invalid_request', 'The code_challenge_method must be S256 or plain.')
  if (!/^[\w.~-]{43,128}$/.test(text))
    throw new OAuthError(
      'invalid_request',
      'The code_challenge must have 43 to 128 letters, digits and -._~.',
    )

  return { method, text }
}
