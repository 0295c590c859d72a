import { UsageError, unknownName } from '../validation/usage-error.ts'

/** The outcomes that refuse a request, with its status. */
const REFUSALS = [
  // 401: the key is missing or not valid.
  'unauthorized',
  // 404: the resource does not exist.
  'not-found',
  // 400: the input is not valid.
  'bad-request',
  // 429: the minute's quota is spent.
  'rate-limited',
  // 429: the day's quota is spent.
  'day-exhausted',
  // 429: the key is banned.
  'banned',
  // 404: the operation is past its sunset.
  'removed',
  // 500.
  'server-error',
  // 503, with a `Retry-After`.
  'unavailable',
  // The connection stays open without a response.
  'timeout',
  // The connection is closed without a response.
  'reset',
] as const

/** The outcomes that change the response of a request, which is served. */
const RESPONSE_FAULTS = [
  // The body is not valid JSON.
  'malformed',
  // The connection is closed after half of the body.
  'truncated',
  // The response is delayed.
  'slow',
] as const

export type RefusalOutcome = (typeof REFUSALS)[number]
type ResponseFault = (typeof RESPONSE_FAULTS)[number]

/** An outcome that can be forced on a request. */
export type Outcome = RefusalOutcome | ResponseFault

/** The names of all outcomes. */
export const OUTCOMES: readonly string[] = [...REFUSALS, ...RESPONSE_FAULTS]

/** The outcome of each status of a real refusal, which Prism's `Prefer: code=` takes, too. */
const BY_STATUS: Readonly<Record<number, RefusalOutcome>> = {
  400: 'bad-request',
  401: 'unauthorized',
  404: 'not-found',
  429: 'rate-limited',
  500: 'server-error',
  503: 'unavailable',
}

/** The outcome that an answer names, or that has its status. */
export function outcomeOf({
  outcome,
  status = 0,
}: {
  readonly outcome?: Outcome | undefined
  readonly status?: number | undefined
}): Outcome | undefined {
  return outcome ?? BY_STATUS[status]
}

/** What can happen to a response on its way to the client. */
export type Fault = (typeof FAULTS)[number]

export const FAULTS: readonly [
  'reset',
  'empty',
  'timeout',
  'truncated',
  'slow-bytes',
  'malformed',
] = ['reset', 'empty', 'timeout', 'truncated', 'slow-bytes', 'malformed']

/** The outcomes whose response has a `Retry-After`. */
const WITH_RETRY_AFTER: ReadonlySet<string> = new Set([
  'rate-limited',
  'day-exhausted',
  'banned',
  'unavailable',
])

export function isOutcome(name: string): name is Outcome {
  return OUTCOMES.includes(name)
}

/** Whether the outcome's response has a `Retry-After`. */
export function hasRetryAfter(outcome: Outcome): boolean {
  return WITH_RETRY_AFTER.has(outcome)
}

/** The outcome with this name. Throws a UsageError for an unknown name. */
export function toOutcome(name: string): Outcome {
  if (isOutcome(name)) return name
  throw new UsageError({
    code: 'unknown_outcome',
    task: 'force the outcome',
    ...unknownName('outcome', name, OUTCOMES),
  })
}

/** Whether a request with this outcome is served. */
export function isResponseFault(outcome: Outcome): outcome is ResponseFault {
  return RESPONSE_FAULTS.some((one) => one === outcome)
}
