import type { SecurityScheme } from '../access/security-scheme.ts'
import type { Contract, Operation } from './contract.ts'

type TextPair = readonly [name: string, value: string]

/** The credentials to send. `other-scheme` is a valid key in another scheme of `Authorization`. */
export type Credentials = 'key' | 'none' | 'invalid-key' | 'other-scheme'

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

const NONE: SentCredentials = { headers: [], query: [], cookies: [] }

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
  key: string,
): SentCredentials {
  if (credentials === 'none') return NONE
  const secured = operation ?? contract.operations.find((one) => one.secured)
  const alternatives = secured ? alternativesOf(secured, contract) : []
  const chosen = alternatives.find(isSendable) ?? alternatives[0] ?? []

  return chosen.map((scheme) => credentialOf(scheme, credentials, key)).reduce(joined, NONE)
}

/** The key in every form that some alternative of an operation has. */
export function everyCredentialOf(
  { operation }: Pick<CredentialsRequest, 'operation'>,
  contract: Contract,
  key: string,
): SentCredentials {
  const schemes = operation ? alternativesOf(operation, contract).flat() : []
  return schemes.map((scheme) => credentialOf(scheme, 'key', key)).reduce(joined, NONE)
}

/** A request has one `Authorization` header. */
function isSendable(schemes: readonly SecurityScheme[]): boolean {
  const shared = schemes.filter(({ type }) => ['bearer', 'basic', 'http'].includes(type))
  return shared.length <= 1 && schemes.every(({ type }) => type !== 'mutual-tls')
}

function credentialOf(
  scheme: SecurityScheme,
  credentials: Credentials,
  key: string,
): SentCredentials {
  const sent = credentials === 'invalid-key' ? `${key}x` : key
  switch (scheme.type) {
    case 'bearer':
      return authorization(`${credentials === 'other-scheme' ? 'Basic' : 'Bearer'} ${sent}`)
    case 'basic':
      return { ...NONE, user: basicUser(credentials, key) }
    case 'http':
      return authorization(httpCredentials(scheme.scheme, sent))
    case 'header':
      return { ...NONE, headers: [[scheme.parameter, sent]] }
    case 'query':
      return { ...NONE, query: [[scheme.parameter, sent]] }
    case 'cookie':
      return { ...NONE, cookies: [[scheme.parameter, sent]] }
    default:
      return NONE
  }
}

function authorization(value: string): SentCredentials {
  return { ...NONE, headers: [['Authorization', value]] }
}

/** A key with a colon is a user name with its password. Without one, the key is the user name. */
function basicUser(credentials: Credentials, key: string): string {
  const user = key.includes(':') ? key : `${key}:`
  return credentials === 'invalid-key' ? user.replace(':', 'x:') : user
}

function httpCredentials(scheme: string, key: string): string {
  if (scheme === '') return key
  return scheme === 'digest' ? `Digest username="${key}"` : `${scheme} ${key}`
}

function joined(one: SentCredentials, other: SentCredentials): SentCredentials {
  return {
    ...one,
    ...other,
    headers: [...one.headers, ...other.headers],
    cookies: [...one.cookies, ...other.cookies],
    query: [...one.query, ...other.query],
  }
}
