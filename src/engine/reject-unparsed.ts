import { withCommonHeaders } from '../http/common-headers.ts'
import type { CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import { problemResponse } from './problem-response.ts'
import type { WorldState } from './world-state.ts'

/**
 * The response to a request that a transport could not read, or that failed: the problem, with the quota headers of a caller
 * without a key. `origin` is the request's `Origin`, where that could be read.
 */
export async function rejectUnparsed(
  problem: Problem,
  { clock, keys, limits, service }: WorldState,
  origin?: string,
): Promise<CoreResponse> {
  const now = clock.now()
  const rateLimit =
    limits.count(keys.callers.by(undefined), now) ?? service.access.declaredRate?.(now)
  const crossOrigin = service.crossOrigin.headers(origin)
  const response = await problemResponse(problem, { now }, service)

  return withCommonHeaders(response, rateLimit, now, crossOrigin, service.access.writeQuota)
}
