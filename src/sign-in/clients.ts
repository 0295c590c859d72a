import type { CoreRequest } from '../http/message.ts'
import { OAuthError } from './oauth-error.ts'
import type { RequestParameters } from './request-parameters.ts'
import type { OAuthClient, SignInSettings } from './sign-in-settings.ts'

/** A client at the token endpoint. */
export interface AuthenticatedClient {
  readonly id: string
  /** Whether it proved with a secret who it is. */
  readonly isConfidential: boolean
}

const CHALLENGE = 'Basic realm="token endpoint", charset="UTF-8"'

/**
 * The client of a request to the token endpoint and those beside it: by Basic authentication or by parameters, but not both (RFC 6749,
 * section 2.3.1). Throws an OAuthError for a client that is not known, or not who it says.
 */
export function authenticateClient(
  request: Pick<CoreRequest, 'header' | 'query'>,
  parameters: RequestParameters,
  { clients }: Pick<SignInSettings, 'clients'>,
): AuthenticatedClient {
  const basic = basicCredentials(request.header('authorization'))
  const challenge = request.header('authorization') === undefined ? undefined : CHALLENGE
  const refuse = (description: string): OAuthError =>
    new OAuthError('invalid_client', description, challenge === undefined ? {} : { challenge })

  const id = basic?.id ?? parameters.get('client_id')
  const secret = basic ? basic.secret : parameters.get('client_secret')
  if (id === undefined)
    throw refuse('The request says no client. Send client_id, or Basic credentials.')
  if (basic && parameters.has('client_secret')) {
    throw new OAuthError(
      'invalid_request',
      'The secret is in the header and in the body. Send it once.',
    )
  }
  const named = parameters.get('client_id')
  if (basic && named !== undefined && named !== basic.id) {
    throw new OAuthError('invalid_request', 'The header and the body name two clients.')
  }
  if (clients.size === 0) return { id, isConfidential: secret !== undefined && secret !== '' }
  const known = clients.get(id)
  if (!known) throw refuse(`There is no client ${id}.`)
  if (known.secret === undefined) return { id, isConfidential: false }
  if (secret === undefined || secret === '') throw refuse('The secret of the client is missing.')
  if (!areSame(secret, known.secret)) throw refuse('The secret of the client is wrong.')

  return { id, isConfidential: true }
}

/** Basic credentials, whose parts are form-encoded (RFC 6749, section 2.3.1). */
function basicCredentials(
  authorization: string | undefined,
): { readonly id: string; readonly secret: string } | undefined {
  const encoded = /^basic +(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const [id = '', ...rest] = new TextDecoder().decode(bytes).split(':')
    return { id: formDecoded(id), secret: formDecoded(rest.join(':')) }
  } catch {
    return undefined
  }
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Compares all characters, so that the time does not tell how many are right. */
function areSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) {
    difference |= one.charCodeAt(at) ^ (other.charCodeAt(at) || 0)
  }
  return difference === 0
}

/** A client of the authorization page. Throws an OAuthError, which is never sent to an address, for one that is not known. */
export function knownClient(id: string, { clients }: Pick<SignInSettings, 'clients'>): OAuthClient {
  const client = clients.size === 0 ? {} : clients.get(id)
  if (client) return client
  throw new OAuthError(
    'invalid_client',
    `There is no client ${id}. Start the sandbox with --oauth-client ${id}.`,
  )
}

/**
 * The address to return to: one that is registered, or any of this machine when no client is registered. Throws an OAuthError, which must
 * not be sent to the address.
 */
export function redirectOf(
  given: string | undefined,
  client: OAuthClient,
  { clients }: Pick<SignInSettings, 'clients'>,
): URL {
  const registered = client.redirects ?? []
  const [only, ...others] = registered
  const text = given ?? (others.length === 0 ? only : undefined)
  if (text === undefined)
    throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.')
  if (!URL.canParse(text))
    throw new OAuthError('invalid_request', 'The redirect_uri is not an absolute URL.')
  const url = new URL(text)
  if (text.includes('#'))
    throw new OAuthError('invalid_request', 'The redirect_uri has a fragment.')
  const isAllowed =
    clients.size === 0
      ? /^https?:$/.test(url.protocol) && isThisMachine(url.hostname)
      : registered.some((one) => isSameAddress(url, text, one))
  if (isAllowed) return url
  throw new OAuthError(
    'invalid_request',
    clients.size === 0
      ? 'The redirect_uri does not lead to this machine. Register it with --oauth-client id:secret:redirect.'
      : 'The redirect_uri is not registered for this client.',
  )
}

function isThisMachine(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Equal texts; of an address of this machine, the port may be another one (RFC 8252, section 7.3). */
function isSameAddress(url: URL, text: string, registered: string): boolean {
  if (text === registered) return true
  const other = new URL(registered)
  if (!isThisMachine(other.hostname) || !/^http:$/.test(other.protocol)) return false
  const { protocol, hostname, pathname, search } = other
  return (
    url.protocol === protocol &&
    url.hostname === hostname &&
    url.pathname === pathname &&
    url.search === search &&
    url.username === '' &&
    url.password === ''
  )
}
