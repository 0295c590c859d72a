import type { Contract, Operation } from '../../contract/contract.ts'
import { groupBy } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluate,
  type Evaluation,
  everyResponse,
  failure,
  firstProblem,
  type LeftOut,
  NO_RESPONSE,
  passIf,
  succeeds,
} from '../checks/check.ts'
import { integerIn, isSuccess, NotSent, type ProbeResponse, retryAfter } from '../messages.ts'
import type { Session } from '../session/session.ts'
import { ORDER, type Probe, requestTo } from './probe.ts'

const LIMIT = 'X-RateLimit-Limit'
const REMAINING = 'X-RateLimit-Remaining'
const RESET = 'X-RateLimit-Reset'

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
  const request = requestTo(operation)
  let last = await session.send(request)
  const responses = [last]
  const quota = session.remainingQuota
  if (quota === undefined) throw new NotSent('the server does not state its quota')
  if (quota + REQUESTS_AFTER_QUOTA > session.remainingBudget) {
    throw new NotSent(
      `the quota has ${quota} requests left, but the budget only ${session.remainingBudget}`,
    )
  }
  while (last.status !== 429 && session.remainingBudget > 1 && isWithinQuota(responses, quota)) {
    const before = last
    last = await session.sendNow(request)
    responses.push(last)
    const needed = (session.remainingQuota ?? 0) + REQUESTS_AFTER_QUOTA
    if (isNewWindow(before, last) && needed > session.remainingBudget) {
      throw new NotSent('a new window began, and the budget is too small for it')
    }
  }
  const wait = last.status === 429 ? retryAfter(last) : undefined
  if (wait !== undefined && wait <= session.remainingWait) {
    await session.waitFor(wait, 'the quota was used up on purpose')
    responses.push(await session.sendNow(request))
  }
  return responses
}

/** A server that accepts more requests than the quota within one window fails the check; more requests are pointless. */
function isWithinQuota(responses: readonly ProbeResponse[], quota: number): boolean {
  if (responses.length <= quota + EXTRA_REQUESTS) return true
  return new Set(responses.map(({ headers }) => headers.get(RESET))).size > 1
}

/** Whether the window changed between two responses. */
function isNewWindow(before: ProbeResponse, after: ProbeResponse): boolean {
  return before.headers.get(RESET) !== after.headers.get(RESET)
}

/** The length of a day, which is the longest window, plus a tolerance, in milliseconds. */
const MAX_UNTIL_RESET = 86_400_000 + 60_000

/** The accepted difference between clocks, in milliseconds. */
const TOLERANCE = 2000

const HEADERS_CLAUSE = 'OpenAPI, X-RateLimit headers'

/** Checks of the quota headers of all responses; none when the document does not require these headers. */
export function quotaChecks({ operations }: Contract): CheckDefinition[] {
  const headers = operations.flatMap(({ responses }) =>
    responses.flatMap((one) => one.headers ?? []),
  )
  const required = new Set(headers.filter((one) => one.required).map(({ name }) => name))
  if (![LIMIT, REMAINING, RESET].every((name) => required.has(name))) return []
  const check = (id: string, name: string, evaluate: Evaluate): CheckDefinition => ({
    id: `quota/${id}`,
    name,
    clause: HEADERS_CLAUSE,
    evaluate,
  })

  return [
    ...[LIMIT, REMAINING, RESET].map((name) =>
      check(name, `Every response has ${name}, an integer`, hasInteger(name)),
    ),
    check('range', `${REMAINING} is not greater than ${LIMIT}`, perResponse(isWithinLimit)),
    check(
      'future',
      `${RESET} is a Unix time in seconds, at most one day ahead`,
      perResponse(isTimeOfReset),
    ),
    check(
      'constant',
      `${LIMIT} stays the same within a window`,
      perPair(LIMIT, (from, to, after) =>
        passIf(from === to, after, `${from}, as before`, `${LIMIT}: ${to}`),
      ),
    ),
    check(
      'rises',
      `${REMAINING} does not increase within a window`,
      perPair(REMAINING, (from, to, after) =>
        passIf(to <= from, after, `at most ${from}`, `${REMAINING}: ${to}`),
      ),
    ),
    check(
      'falls',
      `${REMAINING} decreases with each successful request`,
      perPair(REMAINING, (from, to, after) =>
        passIf(!isSuccess(after) || to < from, after, `less than ${from}`, `${REMAINING}: ${to}`),
      ),
    ),
    check('by-one', `${REMAINING} decreases by one per request, not by more`, decreasesByOne),
  ]
}

/** Evaluates each response to a documented operation. */
function perResponse(evaluate: (response: ProbeResponse) => Evaluation): Evaluate {
  return everyResponse(({ request }) => request.operation !== undefined, evaluate)
}

function hasInteger(name: string): Evaluate {
  return perResponse((response) => {
    const isKept = (integerIn(response.headers, name) ?? -1) >= 0
    const received = response.headers.get(name) ?? 'the header is missing'
    return passIf(isKept, response, `${name}: an integer ≥ 0`, received)
  })
}

function isWithinLimit(response: ProbeResponse): Evaluation {
  const limit = integerIn(response.headers, LIMIT)
  const remaining = integerIn(response.headers, REMAINING)
  if (limit === undefined || remaining === undefined) return 'passed'
  return passIf(remaining <= limit, response, `at most ${limit}`, `${remaining}`)
}

function isTimeOfReset(response: ProbeResponse): Evaluation {
  const reset = integerIn(response.headers, RESET)
  if (reset === undefined) return 'passed'
  const untilReset = reset * 1000 - response.time
  const isNear = untilReset >= -TOLERANCE && untilReset <= MAX_UNTIL_RESET
  const now = Math.floor(response.time / 1000)

  return passIf(isNear, response, `from ${now} to ${now + 86_400}`, `${RESET}: ${reset}`)
}

/** Evaluates a header of each two consecutive responses to the key within one window. */
function perPair(
  name: string,
  evaluate: (from: number, to: number, after: ProbeResponse) => Evaluation,
): Evaluate {
  return (responses) => {
    const pairs = pairsInWindow(responses)
    if (pairs.length === 0) return { leftOut: 'no two responses in the same window' }
    return firstProblem(stepsOf(name, pairs).map(([from, to, after]) => evaluate(from, to, after)))
  }
}

type Pair = readonly [before: ProbeResponse, after: ProbeResponse]

function pairsInWindow(responses: readonly ProbeResponse[]): readonly Pair[] {
  const withKey = responses.filter(({ request }) => request.credentials === 'key')

  return withKey.slice(1).flatMap((after, at): readonly Pair[] => {
    const before = withKey[at]
    const reset = before && integerIn(before.headers, RESET)
    const isSameWindow = reset !== undefined && reset === integerIn(after.headers, RESET)
    return before && isSameWindow ? [[before, after]] : []
  })
}

/** The values of a header in pairs of responses that both have it. */
function stepsOf(
  name: string,
  pairs: readonly Pair[],
): readonly (readonly [from: number, to: number, after: ProbeResponse])[] {
  return pairs.flatMap(([before, after]) => {
    const [from, to] = [integerIn(before.headers, name), integerIn(after.headers, name)]
    return from === undefined || to === undefined ? [] : [[from, to, after] as const]
  })
}

/** Another client may use the key at the same time. So it fails only when every request of an operation took more than one. */
function decreasesByOne(responses: readonly ProbeResponse[]): Evaluation {
  const steps = stepsOf(REMAINING, pairsInWindow(responses)).filter(([, , after]) =>
    isSuccess(after),
  )
  const groups = groupBy(steps, ([, , after]) => after.request.operation)
  const measured = [...groups.values()].filter((group) => group.length >= 2)
  if (measured.length === 0) return { leftOut: 'too few successful requests in one window' }
  for (const group of measured) {
    const least = Math.min(...group.map(([from, to]) => from - to))
    const [, , last] = group.at(-1) ?? []
    if (last && least > 1) return failure(last, '1 less per request', `at least ${least} less`)
  }
  return 'passed'
}

/** `Retry-After` may be longer than the time until the reset by so many milliseconds. */
const MAX_EXTRA_WAIT = 60_000

const RETRY_AFTER = 'RFC 9110, section 10.2.3'
const TOO_MANY_REQUESTS = 'RFC 6585, section 4'

const NO_429: LeftOut = { leftOut: 'no request got a 429' }

/** Checks of the responses when the quota is used up: requests until a 429, then one after `Retry-After`. */
function limitChecks(operation: Operation): CheckDefinition[] {
  const check = (
    id: string,
    name: string,
    clause: string,
    evaluate: Evaluate,
  ): CheckDefinition => ({ id: `limits/${id}`, name, clause, evaluate })

  return [
    check('refused', 'A request over the limit gets a 429', TOO_MANY_REQUESTS, (responses) => {
      const response = first429(responses) ?? responses.at(-1)
      return response ? passIf(response.status === 429, response, '429') : NO_RESPONSE
    }),
    check(
      'exact',
      'The first 429 follows the response with X-RateLimit-Remaining: 0',
      HEADERS_CLAUSE,
      isRefusedAtZero,
    ),
    check('retry-after', 'A 429 has a valid Retry-After', RETRY_AFTER, of429(hasValidRetryAfter)),
    check('agrees', 'Retry-After matches X-RateLimit-Reset', RETRY_AFTER, of429(matchesReset)),
    check('over', 'After Retry-After, a request succeeds', RETRY_AFTER, (responses, records) => {
      const at = responses.findIndex(({ status }) => status === 429)
      const after = responses[at + 1]
      if (at < 0 || !after) return { leftOut: 'no request got a 429, or the wait was too long' }
      return succeeds(operation)([after], records)
    }),
  ]
}

function first429(responses: readonly ProbeResponse[]): ProbeResponse | undefined {
  return responses.find(({ status }) => status === 429)
}

function of429(evaluate: (response: ProbeResponse) => Evaluation): Evaluate {
  return (responses) => {
    const response = first429(responses)
    return response ? evaluate(response) : NO_429
  }
}

function hasValidRetryAfter(response: ProbeResponse): Evaluation {
  const text = response.headers.get('Retry-After') ?? 'no Retry-After'
  const isSeconds = /^\d+$/.test(text)
  const isDate = !/^\d+\.\d+$/.test(text) && !Number.isNaN(Date.parse(text))
  return passIf(isSeconds || isDate, response, 'Retry-After: whole seconds, or a date', text)
}

function matchesReset(response: ProbeResponse): Evaluation {
  const reset = integerIn(response.headers, RESET)
  const wait = retryAfter(response)
  if (reset === undefined || wait === undefined) {
    return { leftOut: 'one of the two headers is missing' }
  }
  const untilReset = reset * 1000 - response.time
  const isNear = wait >= untilReset - TOLERANCE && wait <= untilReset + MAX_EXTRA_WAIT
  const expected = `about ${Math.round(untilReset / 1000)} s`

  return passIf(isNear, response, expected, `${wait / 1000} s`)
}

function isRefusedAtZero(responses: readonly ProbeResponse[]): Evaluation {
  const at = responses.findIndex(({ status }) => status === 429)
  const before = responses[at - 1]
  const refused = responses[at]
  if (!before || !refused) return NO_429
  if (isNewWindow(before, refused)) return { leftOut: 'a new window began' }
  const remaining = responses.slice(0, at).map(({ headers }) => integerIn(headers, REMAINING) ?? 0)
  if (remaining.some((one, index) => index > 0 && one < (remaining[index - 1] ?? 0) - 1)) {
    return { leftOut: 'another client used the key' }
  }
  const zeros = remaining.filter((one) => one === 0).length
  const expected = 'one response with X-RateLimit-Remaining: 0 before the 429'
  const received = zeros > 1 ? `${zeros} such responses` : `${REMAINING}: ${remaining.at(-1)}`

  return passIf(zeros === 1, refused, expected, received)
}
