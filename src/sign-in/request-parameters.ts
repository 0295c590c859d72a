import type { CoreRequest } from '../http/message.ts'
import { OAuthError } from './oauth-error.ts'

/** The parameters of a request to an endpoint: each occurs once (RFC 6749, section 3.1). */
export type RequestParameters = ReadonlyMap<string, string>

/** The size limit of a body, in bytes. */
export const MAX_BODY: number = 64 * 1024

/** The size limit of a parameter, in characters. */
const MAX_PARAMETER = 8192
const MAX_PARAMETERS = 100

/** The parameters of the query. Throws an OAuthError for repeated and oversized ones. */
export function queryParameters({ query }: Pick<CoreRequest, 'query'>): RequestParameters {
  return distinct([...new URLSearchParams(`?${query}`)])
}

/** The parameters of a body: a form, or a JSON object, which some services take. Throws an OAuthError for anything else. */
export async function bodyParameters(
  request: Pick<CoreRequest, 'header' | 'body'>,
): Promise<RequestParameters> {
  const bytes = await request.body(MAX_BODY)
  if (!bytes) throw new OAuthError('invalid_request', `The body is larger than ${MAX_BODY} bytes.`)
  const text = new TextDecoder().decode(bytes)
  const type = (request.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (text === '') return new Map()
  if (type === 'application/json' || type.endsWith('+json')) return distinct(jsonMembers(text))
  if (type === 'application/x-www-form-urlencoded' || type === '') {
    return distinct([...new URLSearchParams(text)])
  }
  throw new OAuthError(
    'invalid_request',
    'The body must have the content type application/x-www-form-urlencoded.',
  )
}

function jsonMembers(text: string): [name: string, value: string][] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.entries(value).flatMap(([name, member]): [string, string][] => {
        if (Array.isArray(member)) return [[name, member.map(String).join(' ')]]
        return member === null || typeof member === 'object' ? [] : [[name, String(member)]]
      })
    }
  } catch {
    // It is refused as any other body.
  }
  throw new OAuthError('invalid_request', 'The body is no JSON object.')
}

/** A parameter without a value counts as left out (RFC 6749, section 3.1). */
function distinct(pairs: readonly (readonly [string, string])[]): RequestParameters {
  if (pairs.length > MAX_PARAMETERS) {
    throw new OAuthError(
      'invalid_request',
      `The request has more than ${MAX_PARAMETERS} parameters.`,
    )
  }
  const found = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (value.length > MAX_PARAMETER) {
      throw new OAuthError(
        'invalid_request',
        `The parameter ${name.slice(0, 50)} has more than ${MAX_PARAMETER} characters.`,
      )
    }
    if (found.has(name)) {
      throw new OAuthError('invalid_request', `The parameter ${name.slice(0, 50)} is repeated.`)
    }
    if (value !== '') found.set(name, value)
  }
  return found
}

/** A parameter that must be there. Throws an OAuthError without it. */
export function required(parameters: RequestParameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined)
    throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
  return value
}

/** The scopes in a list (RFC 6749, section 3.3). Throws an OAuthError for characters that a scope cannot have. */
export function scopesIn(text: string | undefined): readonly string[] {
  const scopes = [...new Set((text ?? '').split(' ').filter((one) => one !== ''))]
  const invalid = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  if (invalid !== undefined)
    throw new OAuthError('invalid_scope', 'A scope has characters that no scope can have.')
  return scopes
}
