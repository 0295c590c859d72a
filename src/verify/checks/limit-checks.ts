import type { Operation } from '../../contract/contract.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { integerIn, retryAfter } from '../requests/response-headers.ts'
import type { CheckDefinition, Evaluation } from './check.ts'
import { failure, NO_RESPONSE, succeeds } from './evaluate.ts'

/** Clocks can differ, and headers have whole seconds. In milliseconds. */
const TOLERANCE = 2000

/** `Retry-After` may be longer than the time until the reset by so many milliseconds. */
const MAX_EXTRA_WAIT = 60_000

const RETRY_AFTER = 'RFC 9110, section 10.2.3'
const TOO_MANY_REQUESTS = 'RFC 6585, section 4'

/** Checks of the responses when the quota is used up: requests until a 429, then one after `Retry-After`. */
export function limitChecks(operation: Operation): CheckDefinition[] {
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
export function isNewWindow(before: ProbeResponse, after: ProbeResponse): boolean {
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
