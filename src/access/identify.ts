import type { Ask } from '../message.ts'
import type { Caller } from './caller.ts'
import type { Keys } from './keys.ts'

/** SERVICE.md, Authentication: the key is the bearer token of the `Authorization` header (RFC 6750, section 2.1). */
export function identify(ask: Ask, keys: Keys): Caller {
  return keys.caller(bearerToken(ask.header('authorization')))
}

/** Blanks are spaces and tabs (RFC 9110, section 5.6.3); `trim` takes off more, and a key must not be let in by that. */
const BEARER = /^bearer [ \t]*([^ \t](?:.*[^ \t])?)[ \t]*$/is

/** The token of an `Authorization` header; `undefined` when it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
}
