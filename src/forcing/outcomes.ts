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

/** An outcome that only endpoints of sign-in have. */
type SignInOutcome =
  | 'access-denied'
  | 'invalid-grant'
  | 'temporarily-unavailable'
  | 'expired-token'
  | 'wrong-state'
  | 'rotated-keys'
  | 'clock-skew'

/** The endpoints that have these outcomes, separated by spaces. */
const SIGN_IN_OUTCOMES: Readonly<Record<SignInOutcome, string>> = {
  // The user denies what the client asks for.
  'access-denied': 'authorize',
  // The code or the refresh token is refused.
  'invalid-grant': 'token',
  // The service is overloaded.
  'temporarily-unavailable': 'authorize token',
  // The access token ends at once.
  'expired-token': 'token',
  // The browser comes back with another state.
  'wrong-state': 'authorize',
  // Another key signs, and the old one is not in the key set any more.
  'rotated-keys': 'token jwks',
  // The issuer's clock is ten minutes ahead.
  'clock-skew': 'authorize token',
}

export type RefusalOutcome = (typeof REFUSALS)[number]
type ResponseFault = (typeof RESPONSE_FAULTS)[number]

/** An outcome that can be forced on a request. */
export type Outcome = RefusalOutcome | ResponseFault | SignInOutcome

/** The names of all outcomes. */
export const OUTCOMES: readonly string[] = [
  ...REFUSALS,
  ...RESPONSE_FAULTS,
  ...Object.keys(SIGN_IN_OUTCOMES),
]

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

/** What can happen to the delivery of an event to its receiver. */
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number]

export const DELIVERY_FAULTS: readonly [
  'twice',
  'burst',
  'late',
  'out-of-order',
  'never',
  'wrong-signature',
  'old-timestamp',
  'replay',
  'wrong-content-type',
  'cut-body',
] = [
  'twice',
  'burst',
  'late',
  'out-of-order',
  'never',
  'wrong-signature',
  'old-timestamp',
  'replay',
  'wrong-content-type',
  'cut-body',
]

/** The delivery fault with a name. Throws a UsageError for an unknown one. */
export function toDeliveryFault(name: string): DeliveryFault {
  const fault = DELIVERY_FAULTS.find((one) => one === name)
  if (fault) return fault
  throw new UsageError({
    code: 'unknown_outcome',
    task: 'force a fault of deliveries',
    ...unknownName('delivery fault', name, DELIVERY_FAULTS),
  })
}

/** The faults that one delivery can have by itself, so that it can be sent again with them. */
export type ResendFault = (typeof RESEND_FAULTS)[number]

export const RESEND_FAULTS: readonly [
  'wrong-signature',
  'old-timestamp',
  'wrong-content-type',
  'cut-body',
] = ['wrong-signature', 'old-timestamp', 'wrong-content-type', 'cut-body']

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
export function isResponseFault(outcome: Outcome): outcome is ResponseFault | SignInOutcome {
  return RESPONSE_FAULTS.some((one) => one === outcome) || isSignInOutcome(outcome)
}

/** Whether only endpoints of sign-in have an outcome. */
export function isSignInOutcome(outcome: Outcome): outcome is SignInOutcome {
  return Object.hasOwn(SIGN_IN_OUTCOMES, outcome)
}

/** Whether an endpoint of sign-in has an outcome. */
export function isOutcomeOf(endpoint: string, outcome: SignInOutcome): boolean {
  return SIGN_IN_OUTCOMES[outcome].split(' ').includes(endpoint)
}
