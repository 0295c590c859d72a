import type { CoreRequest } from '../http/message.ts'
import type { Caller } from './caller.ts'
import type { Keys } from './keys.ts'

/** The sender of a request, by the bearer token of its `Authorization` header (RFC 6750, section 2.1). */
export function identify(request: CoreRequest, keys: Keys): Caller {
  return keys.callerByToken(bearerToken(request.header('authorization')))
}

/**
 * White space is spaces and tabs (RFC 9110, section 5.6.3). `trim` removes other characters as well, which could make an
 * invalid key valid.
 */
const BEARER = /^bearer [ \t]*([^ \t](?:.*[^ \t])?)[ \t]*$/is

/** The token of an `Authorization` header; `undefined` when there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
}
