import { SIGN_IN_ENDPOINTS, type SignInEndpoint } from '../contract/sign-in.ts'
import { refuseUnknown, UsageError, unknownName } from '../validation/usage-error.ts'
import { findToken } from './find-token.ts'
import { endGrant, issueTokens, type TokenResponse } from './issue-tokens.ts'
import { OAuthError } from './oauth-error.ts'
import { askedScopes, knownScopes } from './scopes.ts'
import { signInSettings } from './sign-in-settings.ts'
import { type Grant, type SignInHost, SignInState } from './sign-in-state.ts'
import { beginUserGrant } from './token-endpoint.ts'
import { findUserNamed, listUsers, type SignInUser } from './users.ts'

/** An endpoint of sign-in. */
export interface EndpointInfo {
  readonly endpoint: SignInEndpoint
  /** Below the address of the server, with the base path where an operation of the document is the endpoint. */
  readonly path: string
  /** The address in the document; absent when it has none with a host. */
  readonly address?: string
}

/** How a world signs users in. */
export interface SignInInfo {
  readonly endpoints: readonly EndpointInfo[]
  /** The scopes of the document, with what each allows. */
  readonly scopes: Readonly<Record<string, string>>
  /** The clients that are known; empty when any is. */
  readonly clients: readonly string[]
  readonly tokens: 'opaque' | 'jwt'
  /** How many codes and tokens were sent to the token endpoint that were never issued. */
  readonly wrongCodes: number
}

/** A token that was issued, without its text. */
export interface TokenInfo {
  readonly kind: 'access' | 'refresh'
  /** The end of the token. */
  readonly token: string
  /** The id of what the user allowed the client, by which it is revoked. */
  readonly grant: string
  readonly client: string
  /** The id of the user; absent when the client acts for itself. */
  readonly user?: string
  readonly scopes: readonly string[]
  readonly plan?: string
  /** In epoch milliseconds of the sandbox's clock. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** `used` is a refresh token that was exchanged for another one. */
  readonly state: 'valid' | 'expired' | 'revoked' | 'used'
}

/** Whose tokens are wanted, and which. */
export interface TokenRequestOptions {
  /** The id of the client. By default, `sandbox`. */
  readonly client?: string
  /** By default, all scopes of the document. */
  readonly scopes?: readonly string[]
  /** By default, that of the client or the user, else the first one. */
  readonly plan?: string
  /** The address of the server, which JWTs have as their issuer. By default, `http://localhost`. */
  readonly issuer?: string
}

/** How users and clients get the tokens of a world, without a page. */
export interface SandboxSignIn {
  /** The endpoints, the scopes and the known clients. */
  info(): Promise<SignInInfo>
  /** Those who can sign in, at most ten: records of the users' collection, or three invented ones. */
  users(): Promise<readonly SignInUser[]>
  /** The tokens that were issued, the latest first, without their texts. */
  tokens(): Promise<readonly TokenInfo[]>
  /**
   * Issues tokens for a user, by its id, e-mail address, user name or name; by default for the first one. Rejects with a UsageError for
   * an unknown user, scope or plan, and where the document has no sign-in.
   *
   * @example
   * const { access_token } = await sandbox.signIn.as('ada@example.com', { scopes: ['books:read'] })
   */
  as(user?: string, options?: TokenRequestOptions): Promise<TokenResponse>
  /** Revokes a token and all others of the same grant, by its text or by the `grant` of `tokens()`. Resolves with whether there was one. */
  revoke(tokenOrGrant: string): Promise<boolean>
}

/** The sign-in of a world in its present state. */
export function steer(host: SignInHost): SandboxSignIn {
  return {
    info: () => describeSignIn(host),
    users: () => signInUsers(host),
    tokens: () => listTokens(host),
    as: async (user, options = {}) => {
      refuseUnknown('signIn.as', options, ['client', 'scopes', 'plan', 'issuer'])
      return signInAs(user, options, host)
    },
    revoke: (name) => revokeTokens(name, host),
  }
}

async function describeSignIn(host: SignInHost): Promise<SignInInfo> {
  const { contract, signIn: given } = host.service.settings
  const signIn = signInSettings(given)
  const { paths = {}, addresses = [], flows = [] } = contract.signIn ?? {}
  const endpoints = SIGN_IN_ENDPOINTS.flatMap((endpoint): readonly EndpointInfo[] => {
    const path = paths[endpoint]
    const address = addresses.find((one) => one.endpoint === endpoint)?.url
    return path === undefined ? [] : [{ endpoint, path, ...(address !== undefined && { address }) }]
  })
  const state = contract.signIn && (await SignInState.open(host))

  return {
    endpoints,
    scopes: Object.fromEntries(flows.flatMap(({ scopes }) => Object.entries(scopes))),
    clients: [...signIn.clients.keys()],
    tokens: signIn.tokens,
    wrongCodes: (await state?.wrongCodes()) ?? 0,
  }
}

/** Those who can sign in, at most ten. */
async function signInUsers(host: SignInHost): Promise<readonly SignInUser[]> {
  const { contract } = host.service.settings
  return contract.signIn ? listUsers(contract, await host.openStore()) : []
}

/** The tokens that were issued, the latest first. */
async function listTokens(host: SignInHost): Promise<readonly TokenInfo[]> {
  if (!host.service.settings.contract.signIn) return []
  const state = await SignInState.open(host)
  const grants = new Map((await state.all('grant')).map((grant) => [grant.id, grant]))
  const tokens = [...(await state.all('access')), ...(await state.all('refresh'))]
  const known = tokens.flatMap((token): readonly TokenInfo[] => {
    const grant = grants.get(token.grant)
    if (!grant || token.kind === 'code') return []
    const { kind, text, scopes, issuedAt, expiresAt } = token
    return [
      {
        ...{ kind, token: `…${text.slice(-4)}`, grant: grantName(grant), client: grant.client },
        ...(grant.user !== undefined && { user: grant.user }),
        scopes,
        ...(grant.plan !== undefined && { plan: grant.plan }),
        ...{ issuedAt, expiresAt },
        state: stateOf(token, grant, state.now),
      },
    ]
  })
  return known.sort((one, other) => other.issuedAt - one.issuedAt)
}

function stateOf(
  {
    kind,
    isSpent,
    expiresAt,
  }: { readonly kind: string; readonly isSpent?: true; readonly expiresAt: number },
  { ended }: Grant,
  now: number,
): TokenInfo['state'] {
  if (ended) return 'revoked'
  if (isSpent) return kind === 'refresh' ? 'used' : 'revoked'
  return expiresAt <= now ? 'expired' : 'valid'
}

function grantName({ id }: Grant): string {
  return id.replace(/^grant:/, '')
}

/** Issues tokens for a user, without a page and a client. Rejects with a UsageError for unknown names. */
async function signInAs(
  name: string | undefined,
  { client = 'sandbox', scopes, plan, issuer = 'http://localhost' }: TokenRequestOptions,
  host: SignInHost,
): Promise<TokenResponse> {
  const { contract } = host.service.settings
  if (!contract.signIn)
    throw cannotSignIn('the document has no OAuth 2, OpenID Connect or login operation')
  const store = await host.openStore()
  const users = await listUsers(contract, store)
  const user = name === undefined ? users[0] : await findUserNamed(name, contract, store)
  if (!user) {
    if (name === undefined) throw cannotSignIn('the sandbox has no users')
    throw new UsageError({
      code: 'unknown_user',
      task: `sign in as "${name}"`,
      ...unknownName(
        'user',
        name,
        users.map((one) => one.email ?? one.id),
      ),
    })
  }
  const plans = host.keys.plans.map((one) => one.name)
  if (plan !== undefined && !plans.includes(plan)) {
    const task = 'issue a token'
    throw new UsageError({ code: 'unknown_plan', task, ...unknownName('plan', plan, plans) })
  }
  const state = await SignInState.open(host)
  const asked = scopesFor(scopes, host)
  const grant = await beginUserGrant({ client, user, scopes: asked, plan }, state)

  return issueTokens(
    grant,
    { issuer: issuer + contract.signIn.issuerPath, hasRefresh: true },
    state,
  )
}

function scopesFor(scopes: readonly string[] | undefined, host: SignInHost): readonly string[] {
  const { contract } = host.service.settings
  try {
    return askedScopes(scopes?.join(' '), contract)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const known = [...knownScopes(contract)]
    const unknown = scopes?.find((scope) => !known.includes(scope)) ?? ''
    throw new UsageError({
      code: 'unknown_scope',
      task: 'issue a token',
      ...unknownName('scope', unknown, known),
    })
  }
}

/** Revokes a token, or all tokens of what a user allowed a client. Resolves with whether there was one. */
async function revokeTokens(name: string, host: SignInHost): Promise<boolean> {
  if (!host.service.settings.contract.signIn) return false
  const state = await SignInState.open(host)
  const byName = await state.find('grant', name)
  const grant = byName ?? (await findToken(name, state)).grant
  if (!grant) return false
  await endGrant(grant.id, 'revoked', state)
  return true
}

function cannotSignIn(reason: string): UsageError {
  return new UsageError({
    code: 'no_sign_in',
    task: 'issue a token',
    reason,
    help: 'See the guide, "Sign-in".',
  })
}
