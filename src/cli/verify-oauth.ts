import type { Contract } from '../contract/contract.ts'
import type { Keys } from '../contract/credentials.ts'
import type { SignInFlow } from '../contract/sign-in.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { VerifyOptions } from '../verify/session/options.ts'

/** The only value of `--oauth`. */
const CLIENT_CREDENTIALS = 'client-credentials'

const ID_VARIABLE = 'PET_SANDBOX_OAUTH_CLIENT_ID'
const SECRET_VARIABLE = 'PET_SANDBOX_OAUTH_CLIENT_SECRET'

/** In milliseconds: a token is got again so long before it ends. */
const MARGIN = 30_000

/** How a token is got. */
export interface OAuthFlags {
  readonly oauth?: string
  readonly tokenUrl?: string
}

/** An access token and its end, in epoch milliseconds. */
interface Token {
  readonly text: string
  readonly end: number
}

/**
 * The token of a client as a key of its security scheme, by the flow `clientCredentials` of the document (RFC 6749, section 4.4), and a
 * `fetch` that gets another one before it ends. Nothing without `--oauth`. Throws a `UsageError` when there is no token.
 */
export async function signInAsClient(
  target: string,
  contract: Contract,
  flags: OAuthFlags,
  key: Keys | undefined,
): Promise<Pick<VerifyOptions, 'key' | 'fetch' | 'secrets'>> {
  const endpoint = tokenEndpointOf(target, contract, flags)
  if (!endpoint) return {}
  const { flow, url } = endpoint
  const first = await requestToken(url, flow)
  let current = first
  const secrets = [first.text]

  return {
    secrets,
    key: { ...(typeof key === 'string' ? { '': key } : key), [flow.scheme]: first.text },
    fetch: async (request) => {
      if (request.headers.get('Authorization') === `Bearer ${first.text}`) {
        if (Date.now() > current.end - MARGIN) {
          current = await requestToken(url, flow)
          secrets.push(current.text)
        }
        request.headers.set('Authorization', `Bearer ${current.text}`)
      }
      return await fetch(request)
    },
  }
}

/** Where a token is requested, and for which flow; `undefined` without `--oauth`. Throws a `UsageError` when there is no flow. */
export function tokenEndpointOf(
  target: string,
  contract: Contract,
  { oauth, tokenUrl }: OAuthFlags,
): { readonly flow: SignInFlow; readonly url: string } | undefined {
  if (oauth === undefined) return undefined
  if (oauth !== CLIENT_CREDENTIALS) throw unusable(`it must be ${CLIENT_CREDENTIALS}`)
  const flow = contract.signIn?.flows.find(({ type }) => type === 'clientCredentials')
  if (!flow) throw unusable('the document has no OAuth 2 flow clientCredentials')

  return { flow, url: tokenUrl ?? addressOf(target, contract) }
}

/** The address of the document, else the path of its token endpoint at the server. */
function addressOf(target: string, { signIn, operations }: Contract): string {
  const address = signIn?.addresses.find(({ endpoint }) => endpoint === 'token')
  if (address) return address.url
  const path = signIn?.paths.token ?? '/oauth/token'
  const isOperation = operations.some((one) => one.signIn === 'token' && one.path === path)

  return isOperation ? target.replace(/\/+$/, '') + path : new URL(path, target).href
}

async function requestToken(url: string, { scopes }: SignInFlow): Promise<Token> {
  const { [ID_VARIABLE]: id, [SECRET_VARIABLE]: secret } = process.env
  if (!id || !secret) throw unusable(`${ID_VARIABLE} and ${SECRET_VARIABLE} are not set`)
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  const names = Object.keys(scopes)
  if (names.length > 0) form.set('scope', names.join(' '))
  // RFC 6749, section 2.3.1.
  const [user, password] = [id, secret].map(encodeURIComponent)
  const basic = Buffer.from(`${user}:${password}`).toString('base64')
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Basic ${basic}`, Accept: 'application/json' },
    body: form,
  }).catch(() => undefined)
  if (!response) throw unusable(`${url} does not answer`)
  const body: unknown = await response.json().catch(() => undefined)
  if (!isObject(body) || typeof body.access_token !== 'string') {
    const { error } = isObject(body) ? body : {}
    const why = typeof error === 'string' ? `${response.status} ${error}` : String(response.status)
    throw unusable(`${url} returned ${why}, and no access token`)
  }
  const { access_token: text, expires_in: seconds } = body
  const end = typeof seconds === 'number' ? Date.now() + seconds * 1000 : Number.POSITIVE_INFINITY

  return { text, end }
}

function unusable(reason: string): UsageError {
  return new UsageError({
    code: 'invalid_key',
    task: 'use the option --oauth',
    reason,
    help: `Set ${ID_VARIABLE} and ${SECRET_VARIABLE}, and name another token endpoint with --token-url.`,
  })
}
