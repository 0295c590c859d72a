import type { SecurityScheme } from '../../access/security-scheme.ts'
import type { Contract, Operation } from '../../contract/contract.ts'
import type { SampleRequest } from './sample-request.ts'

/** The credentials of a request, by where they are sent. */
export interface SampleCredentials extends Pick<SampleRequest, 'headers' | 'cookies' | 'user'> {
  readonly query: SampleRequest['headers']
}

/** The credentials of a request that needs none. */
export const NO_CREDENTIALS: SampleCredentials = { headers: [], cookies: [], query: [] }

const BEARER: readonly SecurityScheme[] = [{ name: 'bearer', type: 'bearer' }]

/** The credentials that an operation requires, with `key` as each of them. */
export function credentialsFor(
  operation: Operation,
  { securitySchemes = BEARER }: Pick<Contract, 'securitySchemes'>,
  key: string,
): SampleCredentials {
  if (!operation.secured) return NO_CREDENTIALS
  const alternatives = operation.security
    ? operation.security.map((names) => securitySchemes.filter(({ name }) => names.includes(name)))
    : securitySchemes.map((scheme) => [scheme])
  const chosen = alternatives.find(isSendable) ?? alternatives[0] ?? []

  return chosen.map((scheme) => credentialOf(scheme, key)).reduce(joined, NO_CREDENTIALS)
}

/** A request has one `Authorization` header. */
function isSendable(schemes: readonly SecurityScheme[]): boolean {
  return schemes.filter(({ type }) => ['bearer', 'basic', 'http'].includes(type)).length <= 1
}

function credentialOf(scheme: SecurityScheme, key: string): SampleCredentials {
  switch (scheme.type) {
    case 'bearer':
      return { ...NO_CREDENTIALS, headers: [['Authorization', `Bearer ${key}`]] }
    case 'basic':
      return { ...NO_CREDENTIALS, user: `${key}:password` }
    case 'http':
      return {
        ...NO_CREDENTIALS,
        headers: [['Authorization', httpCredentials(scheme.scheme, key)]],
      }
    case 'header':
      return { ...NO_CREDENTIALS, headers: [[scheme.parameter, key]] }
    case 'query':
      return { ...NO_CREDENTIALS, query: [[scheme.parameter, key]] }
    case 'cookie':
      return { ...NO_CREDENTIALS, cookies: [[scheme.parameter, key]] }
    default:
      return NO_CREDENTIALS
  }
}

function httpCredentials(scheme: string, key: string): string {
  if (scheme === '') return key
  return scheme === 'digest' ? `Digest username="${key}"` : `${scheme} ${key}`
}

function joined(one: SampleCredentials, other: SampleCredentials): SampleCredentials {
  return {
    ...one,
    ...other,
    headers: [...one.headers, ...other.headers],
    cookies: [...one.cookies, ...other.cookies],
    query: [...one.query, ...other.query],
  }
}
