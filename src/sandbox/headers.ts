import type { Quota } from '../access/quota.ts'
import { httpDate } from '../clock.ts'
import type { Operation } from '../contract/contract.ts'
import { deprecationHeaders } from '../contract/deprecation.ts'
import type { Ask, Reply } from '../message.ts'

/**
 * A reply with the headers of every answer: quota (SERVICE.md, Rate limit response headers), date, and `crossOrigin`, which
 * are those of CORS. `now` is in epoch milliseconds.
 */
export function withCommonHeaders(
  reply: Reply,
  { limit, remaining, reset }: Pick<Quota, 'limit' | 'remaining' | 'reset'>,
  now: number,
  crossOrigin: Reply['headers'],
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
      ...crossOrigin,
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
