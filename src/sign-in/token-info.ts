import { bearerToken } from '../access/security-scheme.ts'
import type { CoreResponse } from '../http/message.ts'
import { authenticateClient } from './clients.ts'
import { type EndpointRequest, tokenResponse } from './endpoint-request.ts'
import { findAccess, findToken } from './find-token.ts'
import { endGrant } from './issue-tokens.ts'
import { OAuthError } from './oauth-error.ts'
import { bodyParameters, required } from './request-parameters.ts'
import type { IssuedToken } from './sign-in-state.ts'
import { claimsOf, findUser } from './users.ts'

/** Revokes a token (RFC 7009). A refresh token takes its grant with it; an unknown token is as good as revoked. */
export async function answerRevocation({ request, state }: EndpointRequest): Promise<CoreResponse> {
  const parameters = await bodyParameters(request)
  const client = authenticateClient(request, parameters, state.settings)
  const { token, grant } = await findToken(required(parameters, 'token'), state)
  if (token && grant && grant.client !== client.id)
    throw new OAuthError('invalid_grant', 'The token was issued to another client.')
  if (token?.kind === 'refresh') await endGrant(token.grant, 'revoked', state)
  if (token?.kind === 'access') {
    await state.change<IssuedToken>(token.id, 'access', (one) => ({ ...one, isSpent: true }))
  }
  // The body says nothing, but some clients read every response as JSON.
  return tokenResponse({})
}

/** Tells about a token (RFC 7662): for one that does not work, only that. */
export async function answerIntrospection({
  request,
  state,
  issuer,
}: EndpointRequest): Promise<CoreResponse> {
  const parameters = await bodyParameters(request)
  authenticateClient(request, parameters, state.settings)
  const { token, grant, fault } = await findToken(required(parameters, 'token'), state)
  if (!token || !grant || fault || (token.kind === 'refresh' && token.isSpent)) {
    return tokenResponse({ active: false })
  }
  const { host } = state
  const user =
    grant.user === undefined
      ? undefined
      : await findUser(grant.user, host.service.settings.contract, await host.openStore())
  // The times of the sandbox's clock as the client's clock has them.
  const lead = state.clientTime - state.now

  return tokenResponse({
    active: true,
    scope: token.scopes.join(' '),
    client_id: grant.client,
    ...(token.kind === 'access' && { token_type: 'Bearer' }),
    ...(user?.username !== undefined && { username: user.username }),
    sub: grant.user ?? grant.client,
    iss: issuer,
    iat: Math.floor((token.issuedAt + lead) / 1000),
    exp: Math.floor((token.expiresAt + lead) / 1000),
  })
}

/** The claims of the user of an access token (OpenID Connect Core, section 5.3). */
export async function answerUserinfo({ request, state }: EndpointRequest): Promise<CoreResponse> {
  const sent =
    bearerToken(request.header('authorization')) ??
    (request.method === 'POST' ? (await bodyParameters(request)).get('access_token') : undefined)
  const realm = 'Bearer realm="userinfo"'
  if (sent === undefined)
    throw new OAuthError('invalid_token', 'No token was sent.', { challenge: realm })
  const { grant, token, fault } = await findAccess(sent, state)
  if (!grant || !token || fault) {
    const description = `The access token is ${fault ?? 'unknown'}.`
    const challenge = `${realm}, error="invalid_token", error_description="${description}"`
    throw new OAuthError('invalid_token', description, { challenge })
  }
  const { host } = state
  const user = await findUser(
    grant.user ?? '',
    host.service.settings.contract,
    await host.openStore(),
  )
  if (!user || !token.scopes.includes('openid')) {
    const challenge = `${realm}, error="insufficient_scope", scope="openid"`
    throw new OAuthError('insufficient_scope', 'The token has no user, or not the scope openid.', {
      challenge,
    })
  }
  return tokenResponse(claimsOf(user, token.scopes))
}
