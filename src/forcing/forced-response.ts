import { tooManyRequests } from '../access/admission.ts'
import { type AccessRules, unauthorized } from '../access/authorize.ts'
import { firstBanEnd } from '../access/ban.ts'
import type { Caller } from '../access/caller.ts'
import { DAY, MINUTE, type QuotaRefusal, windowEnd } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import { operationRemoved } from '../contract/deprecation.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { type Problem, problems, REASON_HEADER, reasonPhrase } from '../http/problem.ts'
import type { ForcedEffect } from './decide-forced.ts'
import { isResponseFault, type RefusalOutcome } from './outcomes.ts'

/** The request that an outcome is forced on. */
export interface ForcedRequest {
  readonly request: CoreRequest
  readonly operation: Operation
  readonly caller: Caller
  readonly access: AccessRules
  /** Epoch milliseconds. */
  readonly now: number
}

/** The `Retry-After` of an unavailable service. */
const OUTAGE_SECONDS = 30

/** The problem of each outcome, created by the function that creates it for a real refusal. */
const PROBLEMS: Readonly<
  Record<RefusalOutcome, (forced: ForcedRequest, retryAfter?: number) => Problem>
> = {
  unauthorized: ({ caller, operation, access }) =>
    unauthorized(caller.key === 'missing' ? 'missing' : 'invalid', operation, access),
  'not-found': ({ request }) => problems.notFound(`No resource was found at ${request.path}.`),
  'bad-request': () =>
    problems.invalidRequest('The request is not valid. This is a forced outcome.'),
  'rate-limited': refusal('minute', ({ now }) => windowEnd(now, MINUTE)),
  'day-exhausted': refusal('day', ({ now }) => windowEnd(now, DAY)),
  banned: refusal('ban', ({ now, access }) => firstBanEnd(access.ban, now)),
  removed: ({ operation, now }) => operationRemoved(operation, now),
  'server-error': () => problems.internalError('The service failed. This is a forced outcome.'),
  unavailable: (_forced, retryAfter = OUTAGE_SECONDS) =>
    problems.unavailable('The service is not available. This is a forced outcome.', retryAfter),
  timeout: () => problems.noAnswer(),
  reset: () => problems.connectionReset(),
}

/** The problem that a request is refused with; `undefined` for an effect with which the request is served. */
export function problemOf(effect: ForcedEffect, forced: ForcedRequest): Problem | undefined {
  const { outcome, status = 0, retryAfter } = effect
  const reason = { [REASON_HEADER]: reasonOf(effect) }
  if (outcome === undefined) {
    if (status < 400) return undefined
    const message = `${status} ${reasonPhrase(status)}. This is a forced status.`
    return problems.forcedStatus(status, message).with(reason)
  }
  if (isResponseFault(outcome)) return undefined

  return PROBLEMS[outcome](forced, retryAfter).with(reason)
}

/** The response with the forced fault, if there is one. A body that is empty, or is not sent, cannot be truncated. */
export function applyResponseFault(
  response: CoreResponse,
  request: Pick<CoreRequest, 'method'>,
  effect: ForcedEffect | undefined,
): CoreResponse {
  if (!effect) return response
  const { outcome, applied } = effect
  if (outcome !== undefined && !isResponseFault(outcome)) return response
  const preference = applied === undefined ? {} : { 'Preference-Applied': applied }
  const marked = {
    ...response,
    headers: { [REASON_HEADER]: reasonOf(effect), ...preference, ...response.headers },
  }
  const { body } = response
  if (outcome === undefined || outcome === 'slow' || body.length === 0) return marked
  // A comma is added, because a number without its last digit is still JSON.
  if (outcome === 'malformed') {
    return {
      ...marked,
      body: typeof body === 'string' ? `${body.slice(0, -1)},` : body.slice(0, -1),
    }
  }

  return request.method === 'HEAD' ? marked : { ...marked, fault: 'truncated' }
}

function reasonOf({ outcome, status }: ForcedEffect): string {
  return `forced:${outcome ?? status}`
}

function refusal(by: QuotaRefusal['by'], untilOf: (forced: ForcedRequest) => number) {
  return (forced: ForcedRequest, retryAfter?: number): Problem => {
    const { caller, now } = forced
    const until = retryAfter === undefined ? untilOf(forced) : now + retryAfter * 1000
    return tooManyRequests(caller, { by, until }, now)
  }
}
