import type { SecurityScheme } from '../access/security-scheme.ts'
import { getOwn } from '../validation/objects.ts'
import type { Contract, Operation } from './contract.ts'

type TextPair = readonly [name: string, value: string]

/**
 * The credentials to send. `invalid-key` is longer than the valid one, `cut-key` its beginning, `empty-key` has no letter, `other-case` is a
 * valid key with capitals for small letters and the other way round, `other-scheme` one in another scheme of `Authorization`, `no-scheme` one
 * without its scheme, `other-key` the valid one of somebody else.
 */
export type Credentials =
  | 'key'
  | 'none'
  | 'invalid-key'
  | 'cut-key'
  | 'empty-key'
  | 'other-case'
  | 'other-scheme'
  | 'no-scheme'
  | 'other-key'

/** A key for all security schemes, or one for each by its name. That of the name `''` is for the schemes without one. */
export type Keys = string | Readonly<Record<string, string>>

function keyFor(keys: Keys, { name }: SecurityScheme): string {
  return typeof keys === 'string' ? keys : (getOwn(keys, name) ?? getOwn(keys, '') ?? '')
}

/** Whose credentials a request has. */
interface CredentialsRequest {
  readonly operation?: Operation | undefined
  readonly credentials: Credentials
}

/** The credentials of a request, by where they are sent. */
export interface SentCredentials {
  readonly headers: readonly TextPair[]
  readonly query: readonly TextPair[]
  readonly cookies: readonly TextPair[]
  /** User name and password of basic authentication. */
  readonly user?: string
}

export const NO_CREDENTIALS: SentCredentials = { headers: [], query: [], cookies: [] }

const BEARER: readonly SecurityScheme[] = [{ name: 'bearer', type: 'bearer' }]

/** The schemes that each alternative of an operation needs together; none when it needs no credentials. */
export function alternativesOf(
  { secured, security }: Pick<Operation, 'secured' | 'security'>,
  { securitySchemes = BEARER }: Pick<Contract, 'securitySchemes'>,
): readonly (readonly SecurityScheme[])[] {
  if (!secured) return []
  return security
    ? security.map((names) => securitySchemes.filter(({ name }) => names.includes(name)))
    : securitySchemes.map((scheme) => [scheme])
}

/** Whether every request without credentials can be refused: a client certificate is not part of a request. */
export function isCheckable(operation: Operation, contract: Contract): boolean {
  const alternatives = alternativesOf(operation, contract)
  const isVisible = ({ type }: SecurityScheme): boolean => type !== 'mutual-tls'

  return alternatives.length > 0 && alternatives.every((schemes) => schemes.some(isVisible))
}

/** The credentials of a request: the key in each form that its operation needs. An unknown route gets those of the first operation. */
export function credentialsOf(
  { credentials, operation }: CredentialsRequest,
  contract: Contract,
  key: Keys,
): SentCredentials {
  if (credentials === 'none') return NO_CREDENTIALS
  const secured = operation ?? contract.operations.find((one) => one.secured)
  const alternatives = secured ? alternativesOf(secured, contract) : []

  return sentIn(alternatives, (scheme) => credentialOf(scheme, credentials, key))
}

/**
 * The key in the form that the document puts first for an operation, also where credentials are optional. Without credentials where
 * their absence is first.
 */
export function preferredCredentialOf(
  operation: Operation,
  contract: Contract,
  key: string,
): SentCredentials {
  const isOptional = operation.security?.some(({ length }) => length > 0) === true
  const alternatives = alternativesOf(
    { ...operation, secured: operation.secured || isOptional },
    contract,
  )
  return sentIn(alternatives, (scheme) => credentialOf(scheme, 'key', key))
}

/** The credentials of the first alternative that a request can send. */
function sentIn(
  alternatives: readonly (readonly SecurityScheme[])[],
  credentialIn: (scheme: SecurityScheme) => SentCredentials,
): SentCredentials {
  const chosen = alternatives.find(isSendable) ?? alternatives[0] ?? []
  return chosen.map(credentialIn).reduce(joined, NO_CREDENTIALS)
}

/** The key in every form that some alternative of an operation has. */
export function everyCredentialOf(
  { operation }: Pick<CredentialsRequest, 'operation'>,
  contract: Contract,
  key: Keys,
): SentCredentials {
  const schemes = operation ? alternativesOf(operation, contract).flat() : []
  return schemes.map((scheme) => credentialOf(scheme, 'key', key)).reduce(joined, NO_CREDENTIALS)
}

/** A request has one `Authorization` header. Several schemes can share it when they have the same form. */
function isSendable(schemes: readonly SecurityScheme[]): boolean {
  const forms = new Set(schemes.map(authorizationForm).filter((form) => form !== undefined))
  return forms.size <= 1 && schemes.every(({ type }) => type !== 'mutual-tls')
}

/** What a scheme writes into the `Authorization` header; `undefined` when it does not use it. */
function authorizationForm(scheme: SecurityScheme): string | undefined {
  switch (scheme.type) {
    case 'bearer':
    case 'basic':
      return scheme.type
    case 'http':
      return scheme.scheme
    case 'header':
      return scheme.parameter.toLowerCase() === 'authorization' ? '' : undefined
    default:
      return undefined
  }
}

function credentialOf(
  scheme: SecurityScheme,
  credentials: Credentials,
  keys: Keys,
): SentCredentials {
  const key = keyFor(keys, scheme)
  const sent = sentKey(key, credentials)
  switch (scheme.type) {
    case 'bearer':
      if (credentials === 'no-scheme') return authorization(sent)
      return authorization(`${credentials === 'other-scheme' ? 'Basic' : 'Bearer'} ${sent}`)
    case 'basic':
      return { ...NO_CREDENTIALS, user: basicUser(credentials, key) }
    case 'http':
      return authorization(httpCredentials(scheme.scheme, sent))
    case 'header':
      return { ...NO_CREDENTIALS, headers: [[scheme.parameter, sent]] }
    case 'query':
      return { ...NO_CREDENTIALS, query: [[scheme.parameter, sent]] }
    case 'cookie':
      return { ...NO_CREDENTIALS, cookies: [[scheme.parameter, sent]] }
    default:
      return NO_CREDENTIALS
  }
}

/** The key, or one that is not valid: without any letter or the last one, in other capitals where these matter, else with a letter more. */
function sentKey(key: string, credentials: Credentials): string {
  if (credentials === 'empty-key') return ''
  if (!/^(invalid-key|cut-key|other-case)$/.test(credentials)) return key
  if (credentials === 'cut-key' && key.length > 1) return key.slice(0, -1)
  const other = credentials === 'other-case' && !HEXADECIMAL.test(key) ? inOtherCase(key) : key
  return other === key ? `${key}x` : other
}

/** The letters of such a key may have any case. */
const HEXADECIMAL = /^[\da-f-]*$/i

function inOtherCase(text: string): string {
  return [...text]
    .map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()))
    .join('')
}

function authorization(value: string): SentCredentials {
  return { ...NO_CREDENTIALS, headers: [['Authorization', value]] }
}

/** A key with a colon is a user name with its password. Without one, the key is the user name. */
function basicUser(credentials: Credentials, key: string): string {
  const [name = '', ...rest] = key.split(':')
  const password = rest.join(':')
  // Names of users may have any case.
  return credentials === 'other-case'
    ? `${name}:${sentKey(password, credentials)}`
    : `${sentKey(name, credentials)}:${credentials === 'empty-key' ? '' : password}`
}

function httpCredentials(scheme: string, key: string): string {
  if (scheme === '') return key
  return scheme === 'digest' ? `Digest username="${key}"` : `${scheme} ${key}`
}

function joined(one: SentCredentials, other: SentCredentials): SentCredentials {
  return {
    ...one,
    ...other,
    headers: distinct([...one.headers, ...other.headers]),
    cookies: distinct([...one.cookies, ...other.cookies]),
    query: distinct([...one.query, ...other.query]),
  }
}

/** Schemes with the same form send one credential. */
function distinct(pairs: readonly TextPair[]): readonly TextPair[] {
  return [...new Map(pairs.map((pair) => [pair.join('\n'), pair])).values()]
}
