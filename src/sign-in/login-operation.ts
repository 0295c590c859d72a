import type { Contract, Operation } from '../contract/contract.ts'
import { chooseResponse } from '../contract/documented-response.ts'
import type { CoreResponse } from '../http/message.ts'
import { isObject } from '../validation/objects.ts'
import { findAccess } from './find-token.ts'
import { endGrant, issueTokens, type TokenResponse } from './issue-tokens.ts'
import { documentedScopes } from './scopes.ts'
import { type SignInHost, SignInState } from './sign-in-state.ts'
import { beginUserGrant, userFor } from './token-endpoint.ts'

/** The client of logins that name none. */
const LOGIN_CLIENT = 'login'

/** What the names of properties in the response of a login mean. */
const MEANINGS: readonly (readonly [pattern: RegExp, of: (tokens: TokenResponse) => unknown])[] = [
  [/^(access_?token|token|auth_?token|bearer_?token|session_?token|jwt)$/i, (t) => t.access_token],
  [/^refresh_?token$/i, (t) => t.refresh_token],
  [/^id_?token$/i, (t) => t.id_token],
  [/^expires_?in$/i, (t) => t.expires_in],
]

/** The properties of a request that name a user, the most exact first. */
const USER_NAMES = [
  /^(e-?mail|email_?address)$/i,
  /^(user_?name|login|user|handle)$/i,
  /^(identifier|account|phone|phone_?number|name)$/i,
]

/** The response of a login operation with tokens that the sandbox issues, and how to undo that. */
export interface SignedInResponse {
  readonly response: CoreResponse
  readonly undo?: () => Promise<void>
}

/**
 * Puts issued tokens into the response of an operation that signs a user in: where it has properties for them, or as the cookie of the
 * document's scheme. Another response stays as it is.
 */
export async function signInBy(
  {
    operation,
    body,
    response,
  }: { readonly operation: Operation; readonly body: unknown; readonly response: CoreResponse },
  { issuer }: { readonly issuer: string },
  host: SignInHost,
): Promise<SignedInResponse> {
  const { contract } = host.service.settings
  const value = jsonOf(response)
  const cookie = cookieOf(operation, contract)
  const hasToken = value !== undefined && hasTokenIn(value)
  if (!hasToken && cookie === undefined) return { response }
  const state = await SignInState.open(host)
  const user = await userFor(nameIn(body), state)
  const scopes = [...documentedScopes(contract).keys()]
  const grant = await beginUserGrant({ client: LOGIN_CLIENT, user, scopes }, state)
  const tokens = await issueTokens(grant, { issuer, hasRefresh: true }, state)
  const text = hasToken ? JSON.stringify(withTokens(value, tokens)) : response.body
  const { documented } = chooseResponse(operation)
  const isAllowed = !hasToken || documented?.validate?.(JSON.parse(String(text))) !== false
  if (!isAllowed && cookie === undefined) {
    await state.undo()
    return { response }
  }
  const own =
    cookie === undefined
      ? {}
      : { 'Set-Cookie': `${cookie}=${tokens.access_token}; Path=/; HttpOnly; SameSite=Lax` }

  return {
    response: {
      ...response,
      headers: { ...response.headers, 'Cache-Control': 'no-store', ...own },
      body: isAllowed ? text : response.body,
    },
    undo: state.undo,
  }
}

/** Ends what the token of a request belongs to, after an operation that signs its user out. */
export async function signOutBy(
  credential: string,
  host: SignInHost,
): Promise<() => Promise<void>> {
  const state = await SignInState.open(host)
  const { grant } = await findAccess(credential, state)
  if (grant) await endGrant(grant.id, 'logout', state)
  return state.undo
}

/** The cookie in which the document expects the credential, if the login sets it. */
function cookieOf(operation: Operation, { securitySchemes = [] }: Contract): string | undefined {
  const scheme = securitySchemes.find(({ type }) => type === 'cookie')
  const { documented } = chooseResponse(operation)
  const isDocumented = documented?.headers?.some(({ name }) => /^set-cookie$/i.test(name))
  const hasBody = documented?.schema !== undefined

  return scheme && 'parameter' in scheme && (isDocumented || !hasBody)
    ? scheme.parameter
    : undefined
}

function jsonOf({ body, headers }: CoreResponse): unknown {
  if (typeof body !== 'string' || !/json/i.test(headers['Content-Type'] ?? '')) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** How deep tokens may be in a response, as in `{ "data": { "token": "…" } }`. */
const MAX_DEPTH = 3

function hasTokenIn(value: unknown, depth = 0): boolean {
  const [pattern] = MEANINGS[0] ?? []
  if (!isObject(value) || depth === MAX_DEPTH) return false
  return Object.entries(value).some(
    ([name, member]) =>
      (pattern?.test(name) && typeof member === 'string') || hasTokenIn(member, depth + 1),
  )
}

function withTokens(value: unknown, tokens: TokenResponse, depth = 0): unknown {
  if (!isObject(value) || depth === MAX_DEPTH) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const found = MEANINGS.find(([pattern]) => pattern.test(name))?.[1](tokens)
      const isSame = found !== undefined && typeof found === typeof member
      return [name, isSame ? found : withTokens(member, tokens, depth + 1)]
    }),
  )
}

/** The name of a user in the body of a login; the first user without one. */
function nameIn(body: unknown, depth = 0): string {
  if (!isObject(body) || depth === MAX_DEPTH) return ''
  for (const pattern of USER_NAMES) {
    const found = Object.entries(body).find(
      ([name, value]) => pattern.test(name) && typeof value === 'string',
    )
    if (found) return String(found[1])
  }
  return (
    Object.values(body)
      .map((member) => nameIn(member, depth + 1))
      .find((name) => name !== '') ?? ''
  )
}
