import type { Quota } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import { deprecationHeaders } from '../contract/deprecation.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { httpDate } from '../time/clock.ts'

/**
 * A reply with the headers of every answer: quota (SERVICE.md, Rate limit response headers), date, and `crossOrigin`, which
 * are those of CORS. `now` is in epoch milliseconds.
 */
export function withCommonHeaders(
  response: CoreResponse,
  { limit, remaining, reset }: Pick<Quota, 'limit' | 'remaining' | 'reset'>,
  now: number,
  crossOrigin: CoreResponse['headers'],
): CoreResponse {
  return {
    ...response,
    headers: {
      Date: httpDate(now),
      ...response.headers,
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
  response: CoreResponse,
  { request, operation }: { readonly request: CoreRequest; readonly operation?: Operation },
): CoreResponse {
  if (!operation?.deprecation) return response
  const headers = {
    ...response.headers,
    ...deprecationHeaders(operation.deprecation, request.base),
  }
  if (response.headers.Link) headers.Link = [response.headers.Link, headers.Link].join(', ')

  return { ...response, headers }
}
