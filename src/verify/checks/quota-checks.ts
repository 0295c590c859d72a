import type { Contract } from '../../contract/contract.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { integerIn } from '../requests/response-headers.ts'
import type { Check, CheckDefinition, Evaluation } from './check.ts'
import { everyResponse, failure, isSuccess } from './evaluate.ts'

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
