import type { Scheme } from './scheme.ts'

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
    challenge: (realm, key) => `Bearer ${realm}${key === 'missing' ? '' : INVALID}`,
  }
}

const INVALID = ', error="invalid_token", error_description="The API key is not valid"'
