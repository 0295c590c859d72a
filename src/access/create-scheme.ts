import type { CoreRequest } from '../http/message.ts'
import { bearerScheme } from './bearer.ts'
import type { Scheme } from './scheme.ts'
import type { SecurityScheme } from './security-scheme.ts'

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
