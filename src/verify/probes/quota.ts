import type { Operation } from '../../contract/contract.ts'
import { isNewWindow, limitChecks } from '../checks/limit-checks.ts'
import { NotSent, type ProbeResponse } from '../requests/probe-messages.ts'
import { retryAfter } from '../requests/response-headers.ts'
import type { Session } from '../requests/session.ts'
import { listRequest } from './build-request.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

/** So many requests more than the remaining quota are sent, to find a server that refuses too late. */
const EXTRA_REQUESTS = 5

/** The 429, and the request after the wait. */
const REQUESTS_AFTER_QUOTA = 2

/** Uses up the quota, waits for `Retry-After`, and sends one more request. */
export function quotaProbe(operation: Operation): Probe {
  return {
    order: ORDER.quota,
    maxRequests: 3,
    requires: 'exhaust',
    checks: limitChecks(operation),
    send: (session) => useUpQuota(session, operation),
  }
}

async function useUpQuota(session: Session, operation: Operation): Promise<ProbeResponse[]> {
  const request = listRequest(operation, [])
  const responses = [await session.send(request)]
  const quota = session.remainingQuota
  if (quota === undefined) throw new NotSent('the server does not state its quota')
  if (quota + REQUESTS_AFTER_QUOTA > session.remainingBudget) {
    throw new NotSent(
      `the quota has ${quota} requests left, but the budget only ${session.remainingBudget}`,
    )
  }
  while (
    responses.at(-1)?.status !== 429 &&
    session.remainingBudget > 1 &&
    isWithinQuota(responses, quota)
  ) {
    const response = await session.sendNow(request)
    const before = responses.at(-1)
    responses.push(response)
    const needed = (session.remainingQuota ?? 0) + REQUESTS_AFTER_QUOTA
    if (before && isNewWindow(before, response) && needed > session.remainingBudget) {
      throw new NotSent('a new window began, and the budget is too small for it')
    }
  }
  const last = responses.at(-1)
  const wait = last?.status === 429 ? retryAfter(last) : undefined
  if (wait !== undefined && wait <= session.remainingWait) {
    await session.waitFor(wait, 'the quota was used up on purpose')
    responses.push(await session.sendNow(request))
  }
  return responses
}

/** A server that accepts more requests than the quota within one window fails the check; more requests are pointless. */
function isWithinQuota(responses: readonly ProbeResponse[], quota: number): boolean {
  if (responses.length <= quota + EXTRA_REQUESTS) return true
  const windows = new Set(responses.map(({ headers }) => headers.get('X-RateLimit-Reset')))
  return windows.size > 1
}
