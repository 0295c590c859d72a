import type { CoreResponse } from '../http/message.ts'
import { type AuthenticatedClient, authenticateClient } from './clients.ts'
import { pollDevice } from './device.ts'
import { type EndpointRequest, tokenResponse } from './endpoint-request.ts'
import {
  base64Url,
  beginGrant,
  endGrant,
  type IssueOptions,
  issueTokens,
  planOf,
  sha256,
  type TokenResponse,
} from './issue-tokens.ts'
import { OAuthError, signInNote } from './oauth-error.ts'
import { bodyParameters, type RequestParameters, required } from './request-parameters.ts'
import { askedScopes, hasFlow, narrowedScopes } from './scopes.ts'
import type { Grant, IssuedToken, SignInState } from './sign-in-state.ts'
import { findUserNamed, listUsers, type SignInUser } from './users.ts'

/** How far the clock of the issuer is from that of the client when `clock-skew` is forced, in milliseconds. */
export const CLOCK_SKEW: number = 10 * 60_000

/** A token request after its client was found. */
interface TokenRequest extends EndpointRequest {
  readonly client: AuthenticatedClient
  readonly parameters: RequestParameters
  readonly issue: Omit<IssueOptions, 'hasRefresh'>
}

const GRANTS: Readonly<Record<string, (asked: TokenRequest) => Promise<TokenResponse>>> = {
  authorization_code: exchangeCode,
  refresh_token: refresh,
  client_credentials: issueToClient,
  password: issueForPassword,
  'urn:ietf:params:oauth:grant-type:device_code': issueToDevice,
}

/** Answers a token request (RFC 6749, section 3.2). Throws an OAuthError. */
export async function answerToken(asked: EndpointRequest): Promise<CoreResponse> {
  const { request, state, outcome, issuer } = asked
  if (
    request.query !== '' &&
    /(^|&)(client_secret|refresh_token|code|password)=/.test(request.query)
  ) {
    asked.note(signInNote('secret-in-url'))
    throw new OAuthError(
      'invalid_request',
      'Parameters of a token request are in the body, never in the URL.',
    )
  }
  if (outcome === 'temporarily-unavailable')
    throw new OAuthError('temporarily_unavailable', 'This is a forced outcome.')
  if (outcome === 'invalid-grant')
    throw new OAuthError('invalid_grant', 'This is a forced outcome.')
  if (outcome === 'rotated-keys') {
    const { rotateKey } = await import('./signing-keys.ts')
    await rotateKey(state)
  }
  const parameters = await bodyParameters(request)
  const type = required(parameters, 'grant_type')
  const answerGrant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined
  if (!answerGrant)
    throw new OAuthError('unsupported_grant_type', `There is no grant type ${type}.`)
  const client = authenticateClient(request, parameters, state.settings)
  const issue = {
    issuer,
    isExpired: outcome === 'expired-token',
    skew: outcome === 'clock-skew' ? CLOCK_SKEW : 0,
  }
  const tokens = await answerGrant({ ...asked, client, parameters, issue })
  asked.note({ kind: 'granted-scopes', place: tokens.scope })

  return tokenResponse(tokens)
}

/** RFC 6749, section 4.1.3, with RFC 7636. A code that was used before ends what it gave. */
async function exchangeCode(asked: TokenRequest): Promise<TokenResponse> {
  const { state, client, parameters, issue } = asked
  const text = required(parameters, 'code')
  const code = await state.change<IssuedToken>(`code:${text}`, 'code', (one) =>
    one.isSpent ? undefined : { ...one, isSpent: true },
  )
  if (!code) {
    await state.countWrongCode()
    throw new OAuthError('invalid_grant', 'The code was not issued here.')
  }
  if (code.isSpent) {
    await endGrant(code.grant, 'code-reused', state)
    const notes = [signInNote('code-reused')]
    throw new OAuthError('invalid_grant', 'The code was used before. What it gave is revoked.', {
      notes,
    })
  }
  const grant = await grantOf(code, client, state)
  if (code.expiresAt <= state.now) throw new OAuthError('invalid_grant', 'The code has expired.')
  const redirect = parameters.get('redirect_uri')
  if (code.redirect !== undefined && redirect !== code.redirect) {
    throw new OAuthError(
      'invalid_grant',
      'The redirect_uri is another one than that of the authorization request.',
    )
  }
  await checkVerifier(asked, code)

  return issueTokens(grant, { ...issue, hasRefresh: true }, state)
}

/** RFC 7636, section 4.6. A client without a secret cannot do without. */
async function checkVerifier(
  { parameters, client }: TokenRequest,
  { challenge }: IssuedToken,
): Promise<void> {
  const verifier = parameters.get('code_verifier')
  if (!challenge) {
    if (verifier !== undefined)
      throw new OAuthError('invalid_grant', 'The authorization request had no code_challenge.')
    if (client.isConfidential) return
    throw new OAuthError(
      'invalid_grant',
      'A public client must use PKCE: send code_challenge with the authorization request.',
    )
  }
  if (verifier === undefined)
    throw new OAuthError('invalid_grant', 'The parameter code_verifier is missing.')
  if (!/^[\w.~-]{43,128}$/.test(verifier)) {
    throw new OAuthError(
      'invalid_grant',
      'The code_verifier must have 43 to 128 letters, digits and -._~.',
    )
  }
  const expected = challenge.method === 'plain' ? verifier : base64Url(await sha256(verifier))
  if (expected !== challenge.text)
    throw new OAuthError('invalid_grant', 'The code_verifier does not fit the code_challenge.')
}

/** RFC 6749, section 6, with rotation: a refresh token that was used before ends its grant (RFC 9700, section 4.14). */
async function refresh({ state, client, parameters, issue }: TokenRequest): Promise<TokenResponse> {
  const text = required(parameters, 'refresh_token')
  const name = `refresh:${text}`
  const present = await state.find('refresh', text)
  if (!present) {
    await state.countWrongCode()
    throw new OAuthError(
      'invalid_grant',
      'The refresh token was not issued here, or was forgotten at a reset.',
    )
  }
  const grant = await grantOf(present, client, state)
  if (present.expiresAt <= state.now)
    throw new OAuthError('invalid_grant', 'The refresh token has expired.')
  const scopes = narrowedScopes(parameters.get('scope'), grant.scopes)
  const before = await state.change<IssuedToken>(name, 'refresh', (one) =>
    one.isSpent ? undefined : { ...one, isSpent: true },
  )
  if (!before || before.isSpent) {
    await endGrant(present.grant, 'refresh-reused', state)
    const notes = [signInNote('refresh-token-reused')]
    throw new OAuthError(
      'invalid_grant',
      'The refresh token was used before. All tokens of its grant are revoked.',
      { notes },
    )
  }

  return issueTokens(grant, { ...issue, scopes, hasRefresh: true }, state)
}

/** The grant of a code or a token of this client. Throws an OAuthError when it has ended, or belongs to another client. */
async function grantOf(
  { grant: id, kind }: IssuedToken,
  client: AuthenticatedClient,
  state: SignInState,
): Promise<Grant> {
  const grant = await state.find('grant', id.replace(/^grant:/, ''))
  const word = kind === 'code' ? 'code' : 'refresh token'
  if (!grant || grant.client !== client.id)
    throw new OAuthError('invalid_grant', `The ${word} was issued to another client.`)
  if (grant.ended) throw new OAuthError('invalid_grant', `The ${word} is revoked.`)
  return grant
}

/** RFC 6749, section 4.4. */
async function issueToClient({
  state,
  client,
  parameters,
  issue,
}: TokenRequest): Promise<TokenResponse> {
  if (!client.isConfidential) {
    throw new OAuthError(
      'unauthorized_client',
      'Only a client with a secret can ask for a token of its own.',
    )
  }
  const { contract } = state.host.service.settings
  const scopes = askedScopes(parameters.get('scope'), contract, 'clientCredentials')
  const plan = planOf(client.id, undefined, state)
  const grant = await beginGrant(
    { client: client.id, scopes, authTime: state.now, ...(plan !== undefined && { plan }) },
    state,
  )
  return issueTokens(grant, { ...issue, hasRefresh: false }, state)
}

/** RFC 6749, section 4.3, where the document has it. Any password is right. */
async function issueForPassword({
  state,
  client,
  parameters,
  issue,
}: TokenRequest): Promise<TokenResponse> {
  const { contract } = state.host.service.settings
  if (!hasFlow(contract, 'password')) {
    throw new OAuthError('unsupported_grant_type', 'The document has no password flow.')
  }
  const name = required(parameters, 'username')
  required(parameters, 'password')
  const user = await userFor(name, state)
  const scopes = askedScopes(parameters.get('scope'), contract, 'password')
  const grant = await beginUserGrant({ client: client.id, user, scopes }, state)

  return issueTokens(grant, { ...issue, hasRefresh: true }, state)
}

/** The user with a name; for any other name one of the first users, always the same. Throws an OAuthError when there are none. */
export async function userFor(name: string, state: SignInState): Promise<SignInUser> {
  const { host } = state
  const { contract } = host.service.settings
  const store = await host.openStore()
  const named = await findUserNamed(name, contract, store)
  if (named) return named
  const users = await listUsers(contract, store)
  const sum = [...name].reduce((total, character) => total + character.charCodeAt(0), 0)
  const user = users[sum % Math.max(1, users.length)]
  if (!user) throw new OAuthError('invalid_grant', 'The sandbox has no users.')

  return user
}

/** Begins what a user allows a client. */
export function beginUserGrant(
  {
    client,
    user,
    scopes,
    nonce,
    authTime,
    plan,
  }: {
    readonly client: string
    readonly user: SignInUser
    readonly scopes: readonly string[]
    readonly nonce?: string | undefined
    readonly authTime?: number
    readonly plan?: string | undefined
  },
  state: SignInState,
): Promise<Grant> {
  const own = plan ?? planOf(client, user, state)
  return beginGrant(
    {
      ...{ client, user: user.id, scopes, authTime: authTime ?? state.now },
      ...(own !== undefined && { plan: own }),
      ...(nonce !== undefined && { nonce }),
    },
    state,
  )
}

/** RFC 8628, section 3.4. */
async function issueToDevice({
  state,
  client,
  parameters,
  issue,
}: TokenRequest): Promise<TokenResponse> {
  const grant = await pollDevice(required(parameters, 'device_code'), client, state)
  return issueTokens(grant, { ...issue, hasRefresh: true }, state)
}
