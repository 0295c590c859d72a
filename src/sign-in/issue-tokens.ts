import { PREFIXES } from './find-token.ts'
import type { Grant, IssuedToken, SignInState } from './sign-in-state.ts'
import { claimsOf, findUser, type SignInUser } from './users.ts'

/** The characters after the prefix: more than 200 bits. */
const LENGTH = 36

const CODE_LIFETIME = 10 * 60_000

/** What a token request gets (RFC 6749, section 5.1). */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** Seconds. */
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string
  readonly id_token?: string
}

/** How tokens are issued. */
export interface IssueOptions {
  readonly issuer: string
  /** The scopes of the access token. Default: those of the grant. */
  readonly scopes?: readonly string[]
  readonly hasRefresh: boolean
  /** Whether the access token ends at once. */
  readonly isExpired?: boolean
  /** How far the clock of the issuer is from that of the client, in milliseconds. */
  readonly skew?: number
}

/** Begins a grant: what a user allowed a client, or what a client may do by itself. */
export async function beginGrant(
  grant: Omit<Grant, 'id' | 'kind'>,
  state: SignInState,
): Promise<Grant> {
  return state.add<Grant>({
    ...withoutUndefined(grant),
    id: `grant:${await state.randomText(20)}`,
    kind: 'grant',
  })
}

/** Ends a grant, with all its codes and tokens. */
export async function endGrant(
  id: string,
  ended: NonNullable<Grant['ended']>,
  state: SignInState,
): Promise<void> {
  await state.change<Grant>(id, 'grant', (grant) => (grant.ended ? undefined : { ...grant, ended }))
}

/** Issues the tokens of a grant. */
export async function issueTokens(
  grant: Grant,
  options: IssueOptions,
  state: SignInState,
): Promise<TokenResponse> {
  const { scopes = grant.scopes, hasRefresh } = options
  const access = await issueAccess(grant, { ...options, scopes }, state)
  const refresh = hasRefresh ? await issueRefresh(grant, scopes, state) : undefined
  const isOpenId = scopes.includes('openid') && grant.user !== undefined
  const idToken = isOpenId
    ? await issueIdToken(grant, { ...options, accessToken: access.text }, state)
    : undefined

  return {
    access_token: access.text,
    token_type: 'Bearer',
    expires_in: Math.floor(state.settings.accessLifetime / 1000),
    scope: scopes.join(' '),
    ...(refresh && { refresh_token: refresh.text }),
    ...(idToken !== undefined && { id_token: idToken }),
  }
}

/** Issues an authorization code. */
export async function issueCode(
  grant: Grant,
  asked: Pick<IssuedToken, 'redirect' | 'challenge'>,
  state: SignInState,
): Promise<string> {
  const text = PREFIXES.code + (await state.randomText(LENGTH))
  const { now } = state
  await state.add<IssuedToken>({
    ...withoutUndefined(asked),
    ...{ id: `code:${text}`, kind: 'code', grant: grant.id, scopes: grant.scopes, text },
    ...{ issuedAt: now, expiresAt: now + CODE_LIFETIME },
  })
  return text
}

/** Issues an access token. A JWT is as RFC 9068 describes it; its id is in `jti`. */
export async function issueAccess(
  grant: Grant,
  { issuer, scopes = grant.scopes, isExpired = false, skew = 0 }: Omit<IssueOptions, 'hasRefresh'>,
  state: SignInState,
): Promise<IssuedToken> {
  const { settings, now } = state
  const name = PREFIXES.access + (await state.randomText(LENGTH))
  const lifetime = settings.accessLifetime
  const isJwt = settings.tokens === 'jwt'
  const text = isJwt
    ? await signedAccess({ grant, issuer, scopes, name, lifetime, skew }, state)
    : name

  const token = await state.add<IssuedToken>({
    ...{ id: `access:${name}`, kind: 'access', grant: grant.id, scopes, text },
    ...{ issuedAt: now, expiresAt: isExpired ? now : now + lifetime },
  })
  await state.forgetOld()
  return token
}

async function signedAccess(
  {
    grant,
    issuer,
    scopes,
    name,
    lifetime,
    skew,
  }: {
    readonly grant: Grant
    readonly issuer: string
    readonly scopes: readonly string[]
    readonly name: string
    readonly lifetime: number
    readonly skew: number
  },
  state: SignInState,
): Promise<string> {
  const { signJwt } = await import('./signing-keys.ts')
  const issuedAt = seconds(state.clientTime + skew)

  return signJwt(
    {
      iss: issuer,
      sub: grant.user ?? grant.client,
      aud: issuer,
      client_id: grant.client,
      scope: scopes.join(' '),
      iat: issuedAt,
      exp: issuedAt + seconds(lifetime),
      jti: name,
    },
    'at+jwt',
    state,
  )
}

async function issueRefresh(
  grant: Grant,
  scopes: readonly string[],
  state: SignInState,
): Promise<IssuedToken> {
  const text = PREFIXES.refresh + (await state.randomText(LENGTH))
  const { now, settings } = state
  return state.add<IssuedToken>({
    ...{ id: `refresh:${text}`, kind: 'refresh', grant: grant.id, scopes, text },
    ...{ issuedAt: now, expiresAt: now + settings.refreshLifetime },
  })
}

/** An ID token (OpenID Connect Core, section 2). */
export async function issueIdToken(
  grant: Grant,
  {
    issuer,
    accessToken,
    code,
    skew = 0,
  }: Pick<IssueOptions, 'issuer' | 'skew'> & {
    readonly accessToken?: string
    readonly code?: string
  },
  state: SignInState,
): Promise<string> {
  const { signJwt } = await import('./signing-keys.ts')
  const issuedAt = seconds(state.clientTime + skew)
  const { now, host } = state
  const { contract } = host.service.settings
  const user = await findUser(grant.user ?? '', contract, await host.openStore())
  const since = seconds(now - grant.authTime)

  return signJwt(
    {
      ...(user && claimsOf(user, grant.scopes)),
      iss: issuer,
      sub: grant.user,
      aud: grant.client,
      iat: issuedAt,
      exp: issuedAt + seconds(state.settings.accessLifetime),
      auth_time: issuedAt - since,
      ...(grant.nonce !== undefined && { nonce: grant.nonce }),
      ...(accessToken !== undefined && { at_hash: await halfHash(accessToken) }),
      ...(code !== undefined && { c_hash: await halfHash(code) }),
    },
    'JWT',
    state,
  )
}

/** The left half of the SHA-256 hash of a token (OpenID Connect Core, section 3.1.3.6). */
async function halfHash(text: string): Promise<string> {
  const hash = await sha256(text)
  return base64Url(hash.subarray(0, hash.length / 2))
}

export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

export function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

/** The plan of the tokens of a grant: that of the client, else that of the user, if there are such plans. */
export function planOf(
  client: string,
  user: SignInUser | undefined,
  { settings, host }: SignInState,
): string | undefined {
  const known = host.keys.plans.map(({ name }) => name)
  const wanted = [settings.clients.get(client)?.plan, user?.plan]
  return wanted.find((plan) => plan !== undefined && known.includes(plan)) ?? known[0]
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

function withoutUndefined<Value extends object>(value: Value): Value {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries) as Value
}
