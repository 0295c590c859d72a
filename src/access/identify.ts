import type { CoreRequest } from '../http/message.ts'
import type { Caller } from './caller.ts'
import type { Keys } from './keys.ts'

/**
 * Who sends a request, by the bearer token of its `Authorization` header (SERVICE.md, Authentication; RFC 6750, section
 * 2.1).
 */
export function identify(request: CoreRequest, keys: Keys): Caller {
  return keys.callerByToken(bearerToken(request.header('authorization')))
}

/**
 * White space is spaces and tabs (RFC 9110, section 5.6.3). `trim` takes off more, which must not make a wrong key valid.
 */
const BEARER = /^bearer [ \t]*([^ \t](?:.*[^ \t])?)[ \t]*$/is

/** The token of an `Authorization` header; `undefined` when it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
}
