import type { CoreResponse } from '../http/message.ts'
import { redirectOf } from './clients.ts'
import type { EndpointRequest } from './endpoint-request.ts'
import { endGrant } from './issue-tokens.ts'
import { OAuthError } from './oauth-error.ts'
import { pageResponse, signedOutPage } from './page.ts'
import { bodyParameters, queryParameters, type RequestParameters } from './request-parameters.ts'
import { endSession, sessionOf } from './session.ts'
import type { SignInState } from './sign-in-state.ts'

/**
 * Signs a user out (OpenID Connect RP-Initiated Logout): ends the browser's session and what the user allowed the client. The browser goes
 * to an address that is registered for the client, or stays on a page.
 */
export async function answerLogout(asked: EndpointRequest): Promise<CoreResponse> {
  const { request, state } = asked
  const parameters =
    request.method === 'POST' ? await bodyParameters(request) : queryParameters(request)
  const hint = await claimsOfHint(parameters.get('id_token_hint'), state)
  const session = await sessionOf(request, state)
  const client = parameters.get('client_id') ?? textOf(hint?.aud)
  const target = targetOf(parameters, client, state)
  await endGrantsOf(textOf(hint?.sub) ?? session?.user, client, state)
  const cookie = await endSession(request, session, state)
  if (target) {
    const headers = { Location: target.href, 'Cache-Control': 'no-store', 'Set-Cookie': cookie }
    return { status: 303, headers, body: '' }
  }
  const page = await pageResponse(200, signedOutPage(asked))

  return { ...page, headers: { ...page.headers, 'Set-Cookie': cookie } }
}

/** The claims of an ID token that this world issued. Nobody is signed out by another text. */
async function claimsOfHint(
  text: string | undefined,
  state: SignInState,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (text === undefined) return undefined
  const { verifiedClaims } = await import('./signing-keys.ts')
  return verifiedClaims(text, state)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Where the browser goes; `undefined` when it stays. Throws an OAuthError for an address that is not the client's. */
function targetOf(
  parameters: RequestParameters,
  client: string | undefined,
  { settings }: SignInState,
): URL | undefined {
  const text = parameters.get('post_logout_redirect_uri')
  if (text === undefined) return undefined
  const known = client === undefined ? undefined : settings.clients.get(client)
  if (settings.clients.size > 0 && !known)
    throw new OAuthError(
      'invalid_request',
      'The request says no client. Send client_id or id_token_hint.',
    )
  const url = redirectOf(text, known ?? {}, settings)
  const sent = parameters.get('state')
  if (sent !== undefined) url.searchParams.set('state', sent)

  return url
}

/** Ends what a user allowed a client, or all clients. */
async function endGrantsOf(
  user: string | undefined,
  client: string | undefined,
  state: SignInState,
): Promise<void> {
  if (user === undefined) return
  for (const grant of await state.all('grant')) {
    const isMeant = grant.user === user && (client === undefined || grant.client === client)
    if (isMeant) await endGrant(grant.id, 'logout', state)
  }
}
