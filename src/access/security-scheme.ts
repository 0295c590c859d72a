import type { CoreRequest } from '../http/message.ts'

/** A way to send a credential: a security scheme of the document. */
export type SecurityScheme = {
  /** The name under `components.securitySchemes`. */
  readonly name: string
} & (
  | {
      /**
       * `bearer` is an `Authorization: Bearer` header (RFC 6750), also for OAuth 2 and OpenID Connect. `basic` is RFC 7617.
       * `mutual-tls` is a client certificate, which the sandbox cannot see.
       */
      readonly type: 'bearer' | 'basic' | 'mutual-tls'
    }
  | {
      /** Another scheme of the `Authorization` header, such as `digest`. */
      readonly type: 'http'
      /** In lower case; empty when the document does not say it: then any scheme is accepted. */
      readonly scheme: string
    }
  | {
      /** An API key in a header, in the query or in a cookie. */
      readonly type: 'header' | 'query' | 'cookie'
      /** The name of the header, query parameter or cookie. */
      readonly parameter: string
    }
)

/** What decides which credentials an operation requires. */
export interface SecuredOperation {
  readonly secured: boolean
  /** Alternatives, each with the names of the schemes that it needs together. By default, any one scheme is enough. */
  readonly security?: readonly (readonly string[])[]
  /** The scopes that each alternative needs. */
  readonly scopes?: readonly (readonly string[])[]
}

/** Which credentials are accepted. */
export type AuthMode = 'keys' | 'issued' | 'any' | 'off'

export const AUTH_MODES: readonly AuthMode[] = ['keys', 'issued', 'any', 'off']

/** A security scheme, as the sandbox uses it. */
export interface Scheme {
  readonly name: string
  /** The credential that a request sends in this form; `undefined` when it sends none. */
  readonly read: (request: Pick<CoreRequest, 'header' | 'query'>) => string | undefined
  /** Another text in the same place that may be the credential: the password beside a user name. */
  readonly readSecond?: Scheme['read']
  /** Where a client sends it, such as `the header "X-Api-Key: <API_KEY>"`. */
  readonly place: string
  /** The challenge in `WWW-Authenticate`. `realm` is the parameter with its name and quotes; `fault` says why a credential is invalid. */
  readonly challenge: (realm: string, key: 'missing' | 'invalid', fault?: string) => string
  /** Whether the credential is in `Authorization`, which a request can have only once. */
  readonly inAuthorization?: true
  /** The header with the credential, in lower case, if it is another one than `Authorization`. */
  readonly header?: string
  /** The query parameter with the credential. */
  readonly parameter?: string
  /** The cookie with the credential. */
  readonly cookie?: string
}

/**
 * White space is spaces and tabs (RFC 9110, section 5.6.3). `trim` removes other characters as well, which could make an
 * invalid key valid.
 */
const BEARER = /^bearer [ \t]*([^ \t](?:.*[^ \t])?)[ \t]*$/is

/** The token of an `Authorization` header (RFC 6750, section 2.1); `undefined` when there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
}

/** A bearer token, which is also how OAuth 2 and OpenID Connect send theirs. */
export function bearerScheme(name: string): Scheme {
  return {
    name,
    inAuthorization: true,
    read: ({ header }) => bearerToken(header('authorization')),
    place: 'the header "Authorization: Bearer <API_KEY>"',
    // A bare challenge when no token was sent, with `error` when a wrong one was sent (RFC 6750, section 3).
    challenge: (realm, key, fault = 'The API key is not valid') =>
      key === 'missing'
        ? `Bearer ${realm}`
        : `Bearer ${realm}, error="invalid_token", error_description="${fault}"`,
  }
}

/** A security scheme of a document. None for a client certificate: the sandbox cannot see it, so it counts as sent. */
export function createScheme(scheme: SecurityScheme): readonly Scheme[] {
  const { name, type } = scheme
  switch (type) {
    case 'bearer':
      return [bearerScheme(name)]
    case 'basic':
      return [basicScheme(name)]
    case 'http':
      return [httpScheme(name, scheme.scheme)]
    case 'mutual-tls':
      return []
    default:
      return [apiKeyScheme(name, type, scheme.parameter)]
  }
}

/** The account of basic credentials is the user name (RFC 7617). A key of the sandbox may also be the password. */
function basicScheme(name: string): Scheme {
  return {
    name,
    inAuthorization: true,
    read: (request) => {
      const [user, password] = basicParts(request)
      return user || password || undefined
    },
    readSecond: (request) => basicParts(request)[1],
    place: 'the header "Authorization: Basic <USER:PASSWORD in base64>"',
    challenge: (realm) => `Basic ${realm}, charset="UTF-8"`,
  }
}

/** The registered schemes besides basic and bearer (IANA, HTTP Authentication Scheme Registry). */
const REGISTERED: ReadonlySet<string> = new Set([
  ...['concealed', 'digest', 'dpop', 'gnap', 'hoba', 'mutual', 'negotiate', 'oauth'],
  ...['privatetoken', 'scram-sha-1', 'scram-sha-256', 'vapid'],
])

/** Another scheme of the `Authorization` header. A credential of any scheme is accepted for one that is not registered. */
function httpScheme(name: string, scheme: string): Scheme {
  const shown = scheme.replace(/^\w/, (first) => first.toUpperCase()).replace(/[^\w.-]/g, '')
  // Clients can only answer a digest challenge that has a nonce (RFC 7616, section 3.3).
  const nonce = scheme === 'digest' ? ', qop="auth", nonce="sandbox"' : ''

  // Clients of a scheme that nobody has registered send it in their own ways.
  const accepted = REGISTERED.has(scheme) ? scheme : ''

  return {
    name,
    inAuthorization: true,
    read: ({ header }) => digestUser(credentialsAfter(accepted, header('authorization'))),
    place: `the header "Authorization: ${shown === '' ? '' : `${shown} `}<CREDENTIAL>"`,
    challenge: (realm) => `${shown || 'Bearer'} ${realm}${nonce}`,
  }
}

/** API keys have no registered challenge. Theirs is `ApiKey`, with the location and the name of the key. */
function apiKeyScheme(
  name: string,
  type: 'header' | 'query' | 'cookie',
  parameter: string,
): Scheme {
  const quotedName = JSON.stringify(parameter)
  const header = parameter.toLowerCase()
  const places = {
    header: `the header "${parameter}: <API_KEY>"`,
    query: `the query parameter ${quotedName}`,
    cookie: `the cookie ${quotedName}`,
  }
  const readers: Record<typeof type, Scheme['read']> = {
    header: (request) => headerKey(header, request),
    query: ({ query }) => new URLSearchParams(`?${query}`).get(parameter) || undefined,
    cookie: (request) => cookie(parameter, request.header('cookie')),
  }
  return {
    name,
    read: readers[type],
    place: places[type],
    challenge: (realm) => `ApiKey ${realm}, in="${type}", name=${quotedName}`,
    ...(type === 'header' && header !== 'authorization' && { header }),
    ...(type === 'query' && { parameter }),
    ...(type === 'cookie' && { cookie: parameter }),
  }
}

/** The credentials of a scheme in lower case; those of any scheme, or without a scheme, when it is empty. */
function credentialsAfter(scheme: string, authorization = ''): string | undefined {
  const [, name = '', credentials] = /^([^\s,=]+) +(\S.*)$/s.exec(authorization) ?? []
  if (scheme !== '') return name.toLowerCase() === scheme ? credentials?.trim() : undefined

  return credentials?.trim() || authorization.trim() || undefined
}

/** The user name and the password; empty for invalid credentials. */
function basicParts({ header }: Pick<CoreRequest, 'header'>): readonly string[] {
  const credentials = credentialsAfter('basic', header('authorization'))
  if (credentials === undefined) return []
  try {
    const bytes = Uint8Array.from(atob(credentials), (character) => character.charCodeAt(0))
    const [name = '', ...password] = new TextDecoder().decode(bytes).split(':')

    return [name, password.join(':')]
  } catch {
    return []
  }
}

/** The user name of digest credentials, whose other parts change with each request; other credentials as they are. */
function digestUser(credentials: string | undefined): string | undefined {
  if (credentials === undefined) return undefined
  return /\busername="([^"]+)"/.exec(credentials)?.[1] ?? credentials
}

/** An API key in `Authorization` may follow the name of a scheme, as in `Token abc`. */
function headerKey(name: string, { header }: Pick<CoreRequest, 'header'>): string | undefined {
  const value = header(name)
  return name === 'authorization' ? credentialsAfter('', value) : value?.trim() || undefined
}

function cookie(name: string, header = ''): string | undefined {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || undefined
  }
  return undefined
}
