import type { Quota } from '../access/quota.ts'
import { httpDate } from '../clock.ts'
import type { Operation } from '../contract/contract.ts'
import { deprecationHeaders } from '../contract/deprecation.ts'
import type { Routes } from '../contract/match.ts'
import type { Ask, Reply } from '../message.ts'
import { REASON } from '../problem.ts'

type Headers = Readonly<Record<string, string>>

const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Link',
  'Location',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
  'Preference-Applied',
  REASON,
].join(', ')

/** Pages of any origin may read every answer. */
export const CORS: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
}

/**
 * The answer to OPTIONS: the methods of the path, and permission for pages of other origins to use them with these headers
 * (Fetch, CORS-preflight). Throws the 404 of a path that there is not.
 */
export function options(
  ask: Ask,
  routes: Routes,
  headers = 'Authorization, Content-Type, Prefer',
): Reply {
  const methods = routes.methods(ask.path)
  const isFromPublicPage = ask.header('access-control-request-private-network') === 'true'

  return {
    status: 204,
    headers: {
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': headers,
      'Access-Control-Max-Age': '600',
      ...(isFromPublicPage && { 'Access-Control-Allow-Private-Network': 'true' }),
    },
    body: '',
  }
}

/**
 * A reply with the headers of every answer: quota (SERVICE.md, Rate limit response headers), CORS and date. `now` is in
 * epoch milliseconds.
 */
export function withCommonHeaders(
  reply: Reply,
  { limit, remaining, reset }: Pick<Quota, 'limit' | 'remaining' | 'reset'>,
  now: number,
): Reply {
  return {
    ...reply,
    headers: {
      Date: httpDate(now),
      ...reply.headers,
      'X-RateLimit-Limit': String(limit),
      // `String` has engines keep its text of a number, which is wasted on a count that seldom comes again.
      'X-RateLimit-Remaining': remaining.toFixed(),
      'X-RateLimit-Reset': String(reset / 1000),
      ...CORS,
    },
  }
}

/** A reply with the headers of a deprecated operation, if it is one. Their link joins one that is there already. */
export function withDeprecation(
  reply: Reply,
  { ask, operation }: { readonly ask: Ask; readonly operation?: Operation },
): Reply {
  if (!operation?.deprecation) return reply
  const headers = { ...reply.headers, ...deprecationHeaders(operation.deprecation, ask.base) }
  if (reply.headers.Link) headers.Link = [reply.headers.Link, headers.Link].join(', ')

  return { ...reply, headers }
}
