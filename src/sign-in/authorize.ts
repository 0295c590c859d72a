import type { CoreResponse } from '../http/message.ts'
import {
  type AuthorizationRequest,
  type ReturnAddress,
  readAuthorizationRequest,
  readReturnAddress,
} from './authorization-request.ts'
import { findDevice } from './device.ts'
import type { EndpointRequest } from './endpoint-request.ts'
import { issueAccess, issueCode, issueIdToken, planOf } from './issue-tokens.ts'
import { OAuthError, type OAuthErrorCode, signInNote } from './oauth-error.ts'
import {
  devicePage,
  formPostPage,
  messagePage,
  type Page,
  pageResponse,
  type SignInQuestion,
  signInPage,
  sourceOf,
} from './page.ts'
import { bodyParameters, queryParameters, type RequestParameters } from './request-parameters.ts'
import { documentedScopes } from './scopes.ts'
import { beginSession, sessionOf } from './session.ts'
import type { BrowserSession, DeviceRequest } from './sign-in-state.ts'
import { beginUserGrant, CLOCK_SKEW } from './token-endpoint.ts'
import { findUser, findUserNamed, listUsers, type SignInUser } from './users.ts'

/**
 * Answers an authorization request: with the page to sign in, or, when the user is known or has decided, by sending the browser back. An
 * error goes back to the client only when the address to return to is its own; otherwise a page shows it.
 */
export async function answerAuthorize(asked: EndpointRequest): Promise<CoreResponse> {
  const { request, state } = asked
  let address: ReturnAddress
  let parameters: RequestParameters
  try {
    parameters =
      request.method === 'POST' ? await bodyParameters(request) : queryParameters(request)
    if (parameters.has('client_secret')) asked.note(signInNote('secret-in-url'))
    address = readReturnAddress(parameters, state.settings)
  } catch (error) {
    if (error instanceof OAuthError) return errorPage(error)
    throw error
  }
  if (asked.outcome === 'wrong-state')
    address = { ...address, state: `wrong-${address.state ?? 'state'}` }
  try {
    return await authorize(asked, address, parameters)
  } catch (error) {
    if (error instanceof OAuthError) return sendBack(asked, address, errorParameters(error))
    throw error
  }
}

function errorPage({ description }: OAuthError): Promise<CoreResponse> {
  return pageResponse(400, messagePage('This sign-in cannot go on', description))
}

function errorParameters({
  code,
  description,
}: OAuthError): readonly (readonly [string, string])[] {
  return [
    ['error', code],
    ['error_description', description],
  ]
}

async function authorize(
  asked: EndpointRequest,
  address: ReturnAddress,
  parameters: RequestParameters,
): Promise<CoreResponse> {
  const { state, request } = asked
  const { contract } = state.host.service.settings
  refuseByOutcome(asked.outcome)
  const isPublic = state.settings.clients.size > 0
  const wanted = readAuthorizationRequest(parameters, address, { contract, isPublic })
  if (wanted.types.has('code') && !wanted.challenge) asked.note(signInNote('no-pkce'))
  const session = await sessionOf(request, state)
  const decision = request.method === 'POST' ? parameters.get('decision') : undefined
  if (decision !== undefined) return decide(asked, address, wanted, parameters)
  const known = await knownUser(asked, wanted, session)
  if (known) return allow(asked, address, wanted, known)
  if (wanted.prompts.has('none')) throw new OAuthError('login_required', 'Nobody is signed in.')

  return pageResponse(200, await questionPage({ asked, address, wanted, parameters }, { session }))
}

function refuseByOutcome(outcome: string | undefined): void {
  const codes: Readonly<Record<string, OAuthErrorCode>> = {
    'access-denied': 'access_denied',
    'temporarily-unavailable': 'temporarily_unavailable',
  }
  const code = outcome === undefined ? undefined : codes[outcome]
  if (code) throw new OAuthError(code, 'This is a forced outcome.')
}

/** What a user decided on the page. */
async function decide(
  asked: EndpointRequest,
  address: ReturnAddress,
  wanted: AuthorizationRequest,
  parameters: RequestParameters,
): Promise<CoreResponse> {
  refuseOtherSite(asked)
  if (parameters.get('decision') !== 'allow')
    throw new OAuthError('access_denied', 'The user has denied access.')
  const { host } = asked.state
  const { contract } = host.service.settings
  const user = await findUser(parameters.get('user') ?? '', contract, await host.openStore())
  if (!user) {
    const page = await questionPage(
      { asked, address, wanted, parameters },
      { mistake: 'Choose who you are.' },
    )
    return pageResponse(400, page)
  }
  const { session, cookie } = await beginSession(asked.request, user.id, asked.state)
  const plan = parameters.get('plan')

  return allow(asked, address, wanted, { user, session, cookie, plan })
}

/** The form of the page is sent by the page only: another site cannot sign somebody in. */
function refuseOtherSite({ request }: EndpointRequest): void {
  const site = request.header('sec-fetch-site')
  const origin = request.header('origin')
  const isOther =
    site === 'cross-site' ||
    (origin !== undefined && origin !== 'null' && origin !== new URL(request.base).origin)
  // Browsers send `Origin: null` from a page with the referrer policy `no-referrer`.
  if (isOther && site !== 'same-origin')
    throw new OAuthError('access_denied', 'The form was sent by another site.')
}

/** Who signs in, and how that is known. */
interface SignedIn {
  readonly user: SignInUser
  readonly session?: BrowserSession | undefined
  readonly cookie?: string
  readonly plan?: string | undefined
}

/** The user that is known without the page: by a setting, or for `prompt=none` by a hint or the browser's session. */
async function knownUser(
  { state }: EndpointRequest,
  { prompts, loginHint, maxAge }: AuthorizationRequest,
  session: BrowserSession | undefined,
): Promise<SignedIn | undefined> {
  const { host, settings } = state
  const { contract } = host.service.settings
  const store = await host.openStore()
  const hinted =
    loginHint === undefined ? undefined : await findUserNamed(loginHint, contract, store)
  if (settings.auto !== false) {
    const [first] = await listUsers(contract, store)
    const named =
      typeof settings.auto === 'string'
        ? await findUserNamed(settings.auto, contract, store)
        : first
    const user = hinted ?? named
    return user && { user }
  }
  if (!prompts.has('none')) return undefined
  if (hinted) return { user: hinted }
  const isRecent =
    session && (maxAge === undefined || state.now - session.authTime <= maxAge * 1000)
  const user = isRecent ? await findUser(session.user, contract, store) : undefined
  return user && { user, session }
}

/** Issues what the client asked for, and sends the browser back with it. */
async function allow(
  asked: EndpointRequest,
  address: ReturnAddress,
  wanted: AuthorizationRequest,
  { user, session, cookie, plan }: SignedIn,
): Promise<CoreResponse> {
  const { state, issuer, outcome } = asked
  const { types, scopes, nonce, challenge } = wanted
  const known = state.host.keys.plans.some(({ name }) => name === plan)
  const grant = await beginUserGrant(
    {
      ...{ client: address.client, user, scopes, nonce },
      ...(session && { authTime: session.authTime }),
      ...(known && { plan }),
    },
    state,
  )
  const skew = outcome === 'clock-skew' ? CLOCK_SKEW : 0
  const { given: redirect } = address
  const code = types.has('code')
    ? await issueCode(
        grant,
        { ...(redirect !== undefined && { redirect }), ...(challenge && { challenge }) },
        state,
      )
    : undefined
  const access = types.has('token')
    ? await issueAccess(grant, { issuer, scopes, skew }, state)
    : undefined
  const idToken = types.has('id_token')
    ? await issueIdToken(
        grant,
        {
          ...{ issuer, skew },
          ...(access && { accessToken: access.text }),
          ...(code !== undefined && { code }),
        },
        state,
      )
    : undefined
  const lifetime = String(Math.floor(state.settings.accessLifetime / 1000))
  const answered = [
    ...(code === undefined ? [] : [['code', code] as const]),
    ...(access
      ? ([
          ['access_token', access.text],
          ['token_type', 'Bearer'],
          ['expires_in', lifetime],
          ['scope', scopes.join(' ')],
        ] as const)
      : []),
    ...(idToken === undefined ? [] : [['id_token', idToken] as const]),
  ]
  const response = await sendBack(asked, address, answered)
  return cookie === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'Set-Cookie': cookie } }
}

/** Sends the browser to the client with an answer (RFC 6749, section 4.1.2; RFC 9207). */
async function sendBack(
  { issuer }: EndpointRequest,
  { redirect, state, mode }: ReturnAddress,
  answered: readonly (readonly [name: string, value: string])[],
): Promise<CoreResponse> {
  const parameters = [
    ...answered,
    ...(state === undefined ? [] : [['state', state] as const]),
    ['iss', issuer] as const,
  ]
  if (mode === 'form_post') return pageResponse(200, formPostPage(redirect, parameters))
  const url = new URL(redirect)
  if (mode === 'fragment') {
    url.hash = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()
  } else {
    for (const [name, value] of parameters) url.searchParams.append(name, value)
  }
  return {
    status: 303,
    headers: { Location: url.href, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    body: '',
  }
}

/** The parameters of the page itself, which the next request does not repeat. */
const OF_PAGE = ['user', 'plan', 'decision']

/** An authorization request that its user is asked about. */
interface Question {
  readonly asked: EndpointRequest
  readonly address: ReturnAddress
  readonly wanted: Pick<AuthorizationRequest, 'scopes' | 'loginHint'>
  readonly parameters: RequestParameters
}

async function questionPage(
  { asked, address, wanted: { scopes, loginHint }, parameters }: Question,
  {
    session,
    mistake,
  }: { readonly session?: BrowserSession | undefined; readonly mistake?: string },
): Promise<Page> {
  const { host } = asked.state
  const { contract } = host.service.settings
  const store = await host.openStore()
  const hinted =
    loginHint === undefined ? undefined : await findUserNamed(loginHint, contract, store)
  const hidden = [...parameters].filter(([name]) => !OF_PAGE.includes(name) && name !== 'state')
  const { state: returned } = address

  return signInPage({
    ...(await questionOf(asked, address.client, scopes, hinted)),
    chosen: hinted?.id ?? session?.user,
    target: address.redirect.origin === 'null' ? address.redirect.href : address.redirect.origin,
    hidden: returned === undefined ? hidden : [...hidden, ['state', returned]],
    formTarget: sourceOf(address.redirect),
    ...(mistake !== undefined && { mistake }),
  })
}

async function questionOf(
  { state, request }: EndpointRequest,
  client: string,
  scopes: readonly string[],
  hinted?: SignInUser | undefined,
): Promise<SignInQuestion> {
  const { host, settings } = state
  const { contract } = host.service.settings
  const descriptions = documentedScopes(contract)
  const listed = await listUsers(contract, await host.openStore())
  const isListed = hinted === undefined || listed.some(({ id }) => id === hinted.id)
  const users = isListed ? listed : [hinted, ...listed]

  return {
    service: contract.title,
    client: settings.clients.get(client)?.name ?? client,
    scopes: scopes.map((name) => [name, descriptions.get(name) ?? ''] as const),
    users,
    chosen: hinted?.id,
    plans: host.keys.plans.map(({ name }) => name),
    plan: planOf(client, hinted ?? users[0], state),
    action: new URL(request.base).pathname.replace(/\/+$/, '') + request.path,
    hidden: [],
  }
}

/** Answers the page on which the user of a device enters its code, and allows or denies (RFC 8628, section 3.3). */
export async function answerDevicePage(asked: EndpointRequest): Promise<CoreResponse> {
  const { request, state } = asked
  const { title } = state.host.service.settings.contract
  const action = new URL(request.base).pathname.replace(/\/+$/, '') + request.path
  const parameters =
    request.method === 'POST' ? await bodyParameters(request) : queryParameters(request)
  const typed = parameters.get('user_code')
  const page = (mistake?: string): Page =>
    devicePage(action, {
      service: title,
      code: typed ?? '',
      ...(mistake !== undefined && { mistake }),
    })
  if (typed === undefined) return pageResponse(200, page())
  const device = await findDevice(typed, state)
  if (!device) return pageResponse(400, page('This code is unknown, or it has expired.'))
  const question = await questionOf(asked, device.client, device.scopes)
  const decision = request.method === 'POST' ? parameters.get('decision') : undefined
  if (decision === undefined) {
    return pageResponse(200, signInPage({ ...question, hidden: [['user_code', device.userCode]] }))
  }
  refuseOtherSite(asked)
  if (decision !== 'allow') {
    await state.change<DeviceRequest>(device.id, 'device', (one) => ({ ...one, isDenied: true }))
    return pageResponse(200, messagePage('Denied', 'The device gets no access.'))
  }
  const user = question.users.find(({ id }) => id === parameters.get('user'))
  if (!user) {
    const again = {
      ...question,
      hidden: [['user_code', device.userCode]] as const,
      mistake: 'Choose who you are.',
    }
    return pageResponse(400, signInPage(again))
  }
  const plan = parameters.get('plan')
  const known = question.plans.includes(plan ?? '')
  const grant = await beginUserGrant(
    { client: device.client, user, scopes: device.scopes, ...(known && { plan }) },
    state,
  )
  await state.change<DeviceRequest>(device.id, 'device', (one) => ({ ...one, grant: grant.id }))

  return pageResponse(200, messagePage('Connected', 'You can go back to your device.'))
}
