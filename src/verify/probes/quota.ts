import type { Contract, Operation } from '../../contract/contract.ts'
import {
  type Check,
  type CheckDefinition,
  type Evaluation,
  everyResponse,
  failure,
  NO_RESPONSE,
  succeeds,
} from '../checks/check.ts'
import {
  integerIn,
  isSuccess,
  NotSent,
  type ProbeResponse,
  retryAfter,
} from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { listRequest, ORDER, type Probe } from './probe.ts'

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

const LIMIT = 'X-RateLimit-Limit'
const REMAINING = 'X-RateLimit-Remaining'
const RESET = 'X-RateLimit-Reset'

/** The length of a day, which is the longest window, plus a tolerance, in milliseconds. */
const MAX_UNTIL_RESET = 86_400_000 + 60_000

/** The accepted difference between clocks, in milliseconds. */
const TOLERANCE = 2000

/** Checks of the quota headers of all responses; none when the document does not require these headers. */
export function quotaChecks({ operations }: Contract): CheckDefinition[] {
  const headers = operations.flatMap(({ responses }) =>
    responses.flatMap((one) => one.headers ?? []),
  )
  const required = new Set(headers.filter((one) => one.required).map(({ name }) => name))
  if (![LIMIT, REMAINING, RESET].every((name) => required.has(name))) return []

  return [
    ...[LIMIT, REMAINING, RESET].map(presenceCheck),
    perResponse('range', `${REMAINING} is not greater than ${LIMIT}`, isWithinLimit),
    perResponse(
      'future',
      `${RESET} is a Unix time in seconds, at most one day ahead`,
      isTimeOfReset,
    ),
    perPair('constant', `${LIMIT} stays the same within a window`, (before, after) =>
      compare(
        LIMIT,
        before,
        after,
        (from, to) => from === to,
        (from) => `${from}, as before`,
      ),
    ),
    perPair('rises', `${REMAINING} does not increase within a window`, (before, after) =>
      compare(
        REMAINING,
        before,
        after,
        (from, to) => to <= from,
        (from) => `at most ${from}`,
      ),
    ),
    perPair('falls', `${REMAINING} decreases with each successful request`, (before, after) =>
      isSuccess(after)
        ? compare(
            REMAINING,
            before,
            after,
            (from, to) => to < from,
            (from) => `less than ${from}`,
          )
        : 'passed',
    ),
    decreasesByOne(),
  ]
}

function quotaCheck(id: string, name: string): Check {
  return { id: `quota/${id}`, name, clause: 'OpenAPI, X-RateLimit headers' }
}

/** A check of each response to a documented operation. */
function perResponse(
  id: string,
  name: string,
  evaluate: (response: ProbeResponse) => Evaluation,
): CheckDefinition {
  return {
    ...quotaCheck(id, name),
    evaluate: everyResponse(({ request }) => request.operation !== undefined, evaluate),
  }
}

function presenceCheck(name: string): CheckDefinition {
  return perResponse(name, `Every response has ${name}, an integer`, (response) =>
    (integerIn(response.headers, name) ?? -1) >= 0
      ? 'passed'
      : failure(
          response,
          `${name}: an integer ≥ 0`,
          response.headers.get(name) ?? 'the header is missing',
        ),
  )
}

function isWithinLimit(response: ProbeResponse): Evaluation {
  const limit = integerIn(response.headers, LIMIT)
  const remaining = integerIn(response.headers, REMAINING)
  if (limit === undefined || remaining === undefined) return 'passed'
  return remaining <= limit ? 'passed' : failure(response, `at most ${limit}`, `${remaining}`)
}

function isTimeOfReset(response: ProbeResponse): Evaluation {
  const reset = integerIn(response.headers, RESET)
  if (reset === undefined) return 'passed'
  const untilReset = reset * 1000 - response.time
  if (untilReset >= -TOLERANCE && untilReset <= MAX_UNTIL_RESET) return 'passed'
  const now = Math.floor(response.time / 1000)

  return failure(response, `from ${now} to ${now + 86_400}`, `${RESET}: ${reset}`)
}

/** A check of each two consecutive responses to the key within one window. */
function perPair(
  id: string,
  name: string,
  evaluate: (before: ProbeResponse, after: ProbeResponse) => Evaluation,
): CheckDefinition {
  return {
    ...quotaCheck(id, name),
    evaluate: (responses) => {
      const pairs = pairsInWindow(responses)
      if (pairs.length === 0) return { leftOut: 'no two responses in the same window' }
      return (
        pairs.map(([before, after]) => evaluate(before, after)).find((one) => one !== 'passed') ??
        'passed'
      )
    },
  }
}

function pairsInWindow(
  responses: readonly ProbeResponse[],
): [before: ProbeResponse, after: ProbeResponse][] {
  const withKey = responses.filter(({ request }) => request.credentials === 'key')
  const resetOf = ({ headers }: ProbeResponse): number | undefined => integerIn(headers, RESET)

  return withKey.slice(1).flatMap((after, at): [ProbeResponse, ProbeResponse][] => {
    const before = withKey[at]
    const isSameWindow =
      before && resetOf(before) !== undefined && resetOf(before) === resetOf(after)
    return isSameWindow ? [[before, after]] : []
  })
}

function compare(
  name: string,
  before: ProbeResponse,
  after: ProbeResponse,
  isExpected: (from: number, to: number) => boolean,
  expected: (from: number) => string,
): Evaluation {
  const [from, to] = [integerIn(before.headers, name), integerIn(after.headers, name)]
  if (from === undefined || to === undefined) return 'passed'
  return isExpected(from, to) ? 'passed' : failure(after, expected(from), `${name}: ${to}`)
}

/** Another client may use the key at the same time. So it fails only when every request of an operation took more than one. */
function decreasesByOne(): CheckDefinition {
  return {
    ...quotaCheck('by-one', `${REMAINING} decreases by one per request, not by more`),
    evaluate: (responses) => {
      const groups = new Map<unknown, { steps: number[]; last: ProbeResponse }>()
      for (const [before, after] of pairsInWindow(responses)) {
        const from = integerIn(before.headers, REMAINING)
        const to = integerIn(after.headers, REMAINING)
        if (from === undefined || to === undefined || !isSuccess(after)) continue
        const { operation } = after.request
        const steps = [...(groups.get(operation)?.steps ?? []), from - to]
        groups.set(operation, { steps, last: after })
      }
      const measured = [...groups.values()].filter(({ steps }) => steps.length >= 2)
      if (measured.length === 0) return { leftOut: 'too few successful requests in one window' }
      const wrong = measured.find(({ steps }) => Math.min(...steps) > 1)
      if (!wrong) return 'passed'
      return failure(wrong.last, '1 less per request', `at least ${Math.min(...wrong.steps)} less`)
    },
  }
}

/** `Retry-After` may be longer than the time until the reset by so many milliseconds. */
const MAX_EXTRA_WAIT = 60_000

const RETRY_AFTER = 'RFC 9110, section 10.2.3'
const TOO_MANY_REQUESTS = 'RFC 6585, section 4'

/** Checks of the responses when the quota is used up: requests until a 429, then one after `Retry-After`. */
function limitChecks(operation: Operation): CheckDefinition[] {
  return [
    {
      id: 'limits/refused',
      name: 'A request over the limit gets a 429',
      clause: TOO_MANY_REQUESTS,
      evaluate: (responses) => {
        const response = first429(responses) ?? responses.at(-1)
        if (!response) return NO_RESPONSE
        return response.status === 429 ? 'passed' : failure(response, '429')
      },
    },
    exactLimitCheck(),
    checkOf429('retry-after', 'A 429 has a valid Retry-After', hasValidRetryAfter),
    checkOf429('agrees', 'Retry-After matches X-RateLimit-Reset', matchesReset),
    {
      id: 'limits/over',
      name: 'After Retry-After, a request succeeds',
      clause: RETRY_AFTER,
      evaluate: (responses, records) => {
        const at = responses.findIndex(({ status }) => status === 429)
        const after = responses[at + 1]
        if (at < 0 || !after) {
          return { leftOut: 'no request got a 429, or the wait was too long' }
        }
        return succeeds(operation)([after], records)
      },
    },
  ]
}

/** Whether the window changed between two responses. */
function isNewWindow(before: ProbeResponse, after: ProbeResponse): boolean {
  return before.headers.get('X-RateLimit-Reset') !== after.headers.get('X-RateLimit-Reset')
}

function first429(responses: readonly ProbeResponse[]): ProbeResponse | undefined {
  return responses.find(({ status }) => status === 429)
}

function checkOf429(
  id: string,
  name: string,
  evaluate: (response: ProbeResponse) => Evaluation,
): CheckDefinition {
  return {
    id: `limits/${id}`,
    name,
    clause: RETRY_AFTER,
    evaluate: (responses) => {
      const response = first429(responses)
      return response ? evaluate(response) : { leftOut: 'no request got a 429' }
    },
  }
}

function hasValidRetryAfter(response: ProbeResponse): Evaluation {
  const text = response.headers.get('Retry-After')
  const isSeconds = text !== null && /^\d+$/.test(text)
  const isDate = text !== null && !/^\d+\.\d+$/.test(text) && !Number.isNaN(Date.parse(text))
  return isSeconds || isDate
    ? 'passed'
    : failure(response, 'Retry-After: whole seconds, or a date', text ?? 'no Retry-After')
}

function matchesReset(response: ProbeResponse): Evaluation {
  const reset = integerIn(response.headers, 'X-RateLimit-Reset')
  const wait = retryAfter(response)
  if (reset === undefined || wait === undefined) {
    return { leftOut: 'one of the two headers is missing' }
  }
  const untilReset = reset * 1000 - response.time
  const isNear = wait >= untilReset - TOLERANCE && wait <= untilReset + MAX_EXTRA_WAIT

  return isNear
    ? 'passed'
    : failure(response, `about ${Math.round(untilReset / 1000)} s`, `${wait / 1000} s`)
}

function exactLimitCheck(): CheckDefinition {
  return {
    id: 'limits/exact',
    name: 'The first 429 follows the response with X-RateLimit-Remaining: 0',
    clause: 'OpenAPI, X-RateLimit headers',
    evaluate: (responses) => {
      const at = responses.findIndex(({ status }) => status === 429)
      const before = responses[at - 1]
      const refused = responses[at]
      if (at < 1 || !before || !refused) return { leftOut: 'no request got a 429' }
      if (isNewWindow(before, refused)) return { leftOut: 'a new window began' }
      const remaining = responses.slice(0, at).map(remainingOf)
      if (remaining.some((one, index) => index > 0 && one < (remaining[index - 1] ?? 0) - 1)) {
        return { leftOut: 'another client used the key' }
      }
      const zeros = remaining.filter((one) => one === 0).length
      if (zeros === 1) return 'passed'
      return failure(
        refused,
        'one response with X-RateLimit-Remaining: 0 before the 429',
        zeros > 1 ? `${zeros} such responses` : `X-RateLimit-Remaining: ${remaining.at(-1)}`,
      )
    },
  }
}

function remainingOf({ headers }: ProbeResponse): number {
  return integerIn(headers, 'X-RateLimit-Remaining') ?? 0
}
