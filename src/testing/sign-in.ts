import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import type { SignInOptions } from '../sign-in/sign-in-settings.ts'

/** The address of the sandbox in the tests of sign-in. */
export const ROOT = 'http://localhost:4010'

export const REDIRECT = 'http://localhost:3000/callback'

/** A code verifier, and its challenge (RFC 7636). */
export const VERIFIER: string = 'v'.repeat(64)
const CHALLENGE: string = createHash('sha256').update(VERIFIER).digest('base64url')

const contract = await loadContract('src/testing/notes-sign-in.yaml')

/** Making a key takes longer than most tests. */
const key: JsonWebKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  format: 'jwk',
})

/**
 * A sandbox of the document of notes, whose clock stands still at the present time. All of them sign with the same key; with the key
 * `undefined`, it makes its own.
 */
export async function openNotes({
  signIn,
  ...options
}: Omit<SandboxOptions, 'signIn'> & { readonly signIn?: SignInOptions } = {}): Promise<Sandbox> {
  const sandbox = createSandbox({ contract, signIn: { key, ...signIn }, ...options })
  sandbox.clock.freeze()

  return sandbox
}

/** Parameters of a form or a query. */
export type Parameters = Readonly<Record<string, string>>

/** The parameters of an authorization request by a public client. */
export const AUTHORIZATION: Parameters = {
  response_type: 'code',
  client_id: 'web',
  redirect_uri: REDIRECT,
  scope: 'openid profile notes:read',
  state: 'xyz',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
}

type Fetching = Pick<Sandbox, 'fetch'>

export function get(
  sandbox: Fetching,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return sandbox.fetch(new Request(ROOT + path, { headers }))
}

export function post(
  sandbox: Fetching,
  path: string,
  form: Parameters,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = new URLSearchParams(form)
  return sandbox.fetch(new Request(ROOT + path, { method: 'POST', body, headers }))
}

export function authorize(sandbox: Fetching, changes: Parameters = {}): Promise<Response> {
  return get(sandbox, `/oauth2/authorize?${new URLSearchParams({ ...AUTHORIZATION, ...changes })}`)
}

/** The parameters with which the browser comes back. */
export function answerOf(response: Response): URLSearchParams {
  return new URL(response.headers.get('location') ?? '').searchParams
}

/** The code of a user who allows on the page what is asked for. */
export async function codeFor(
  sandbox: Fetching,
  user = '1',
  changes: Parameters = {},
): Promise<string> {
  const form = { ...AUTHORIZATION, ...changes, user, decision: 'allow' }
  const response = await post(sandbox, '/oauth2/authorize', form)
  return answerOf(response).get('code') ?? ''
}

export function exchange(
  sandbox: Fetching,
  code: string,
  changes: Parameters = {},
): Promise<Response> {
  return post(sandbox, '/oauth2/token', {
    grant_type: 'authorization_code',
    client_id: 'web',
    redirect_uri: REDIRECT,
    code,
    code_verifier: VERIFIER,
    ...changes,
  })
}

/** What the token endpoint answers. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token?: string
  readonly expires_in: number
  readonly scope: string
}

/** The tokens of a user who signs in on the page. */
export async function tokensFor(
  sandbox: Fetching,
  user = '1',
  changes: Parameters = {},
): Promise<Tokens> {
  const response = await exchange(sandbox, await codeFor(sandbox, user, changes))
  return response.json()
}

export function refresh(
  sandbox: Fetching,
  token: string,
  changes: Parameters = {},
): Promise<Response> {
  const form = { grant_type: 'refresh_token', client_id: 'web', refresh_token: token, ...changes }
  return post(sandbox, '/oauth2/token', form)
}

/** A request to the API with a token. */
export function call(sandbox: Fetching, token: string, path = '/v1/notes'): Promise<Response> {
  return get(sandbox, path, { authorization: `Bearer ${token}` })
}

/** Status and error of a response of an endpoint. */
export async function errorOf(
  response: Response,
): Promise<readonly [status: number, error: string]> {
  const { error } = await response.json()
  return [response.status, error]
}
