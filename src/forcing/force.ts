import { type AccessRules, unauthorized } from '../access/authorize.ts'
import { firstBanEnd, tooManyRequests } from '../access/ban.ts'
import type { Caller } from '../access/callers.ts'
import { DAY, MINUTE, type QuotaRefusal, windowEnd } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import { operationRemoved } from '../contract/deprecation.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import type { Validation } from '../contract/input.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { type Problem, problems, REASON_HEADER, reasonPhrase } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import {
  hasRetryAfter,
  isOutcome,
  isResponseFault,
  type Outcome,
  type RefusalOutcome,
} from './outcomes.ts'
import { decideForced, type ForcedEffect, type Rules } from './rules.ts'

/** What is forced on a request, by the request itself or by a rule. */
export interface Forced {
  readonly effect?: ForcedEffect
  /** Present when the outcome refuses the request. */
  readonly problem?: Problem
  /** Adds the forced fault to the response of a request that is served. */
  readonly withFault?: (response: CoreResponse) => CoreResponse
  /** What happens if the request is not valid; absent when the request says nothing about it. */
  readonly validation?: Validation
  /** The preferences of the request that are ignored. */
  readonly notes: readonly Note[]
}

/** The outcome of each status in `Prefer: code=`, which Prism uses, too. */
const BY_CODE: Readonly<Record<number, Outcome>> = {
  400: 'bad-request',
  401: 'unauthorized',
  404: 'not-found',
  429: 'rate-limited',
  500: 'server-error',
  503: 'unavailable',
}

const NOTHING: Forced = { notes: [] }

/** Decides what is forced on a request. The request's own preference precedes the rules. */
export function force(forced: ForcedRequest, rules: Rules): Forced {
  if (rules.isEmpty && forced.request.header('prefer') === undefined) return NOTHING
  const decided = decide(forced, rules)
  const handling = preferencesOf(forced.request).get('handling')
  const isKnown = handling === 'lenient' || handling === 'strict'

  return isKnown && !decided.problem ? withHandling(decided, handling) : decided
}

/** Adds `Prefer: handling=lenient` or `strict` (RFC 7240, section 4.4). */
function withHandling(forced: Forced, handling: 'lenient' | 'strict'): Forced {
  return {
    ...forced,
    validation: handling === 'lenient' ? 'warn' : 'error',
    withFault: (response) => {
      const { headers, ...rest } = forced.withFault?.(response) ?? response
      const applied = [headers['Preference-Applied'], `handling=${handling}`]
      const text = applied.filter((one) => one !== undefined).join(', ')

      return { ...rest, headers: { ...headers, 'Preference-Applied': text } }
    },
  }
}

function decide(forced: ForcedRequest, rules: Rules): Forced {
  const { request } = forced
  const { effect: preferred, notes } = preferenceOf(request, forced.operation)
  const effect = preferred ?? decideByRules(forced, rules)
  if (!effect) return notes.length === 0 ? NOTHING : { notes }
  const { applied } = effect
  const problem = problemOf(effect, forced)
  if (!problem) {
    return { effect, withFault: (response) => applyResponseFault(response, request, effect), notes }
  }

  return {
    effect,
    problem: applied === undefined ? problem : problem.with({ 'Preference-Applied': applied }),
    notes,
  }
}

function decideByRules(
  { request, operation, caller }: ForcedRequest,
  rules: Rules,
): ForcedEffect | undefined {
  if (rules.isEmpty) return undefined
  const { path } = request

  return rules.decide((states) =>
    decideForced(states, { path, operation, account: caller.account }),
  )
}

/** The effect of the request's own preference. An unknown outcome, and a code that nothing can give, is ignored and noted. */
function preferenceOf(request: CoreRequest, operation: Operation): Forced {
  const preference = readPreference(request)
  if (!preference) return NOTHING
  const { outcome = '', code = 0, retryAfter } = preference
  if (isOutcome(outcome))
    return { effect: effectOf(outcome, `outcome=${outcome}`, retryAfter), notes: [] }
  const byCode = BY_CODE[code]
  const effect = byCode
    ? { effect: effectOf(byCode, `code=${code}`, retryAfter) }
    : documentedStatus(code, operation)
  if (outcome !== '') return { ...effect, notes: [ignored(`outcome=${outcome}`)] }

  return effect ? { ...effect, notes: [] } : { notes: [ignored(`code=${code}`)] }
}

/** The effect of a code that has no outcome, but a response in the document. */
function documentedStatus(code: number, operation: Operation): Pick<Forced, 'effect'> | undefined {
  const { responses, otherResponses } = operation
  // A contract without contents has only the statuses of what the sandbox answers anyway.
  const isDescribed = otherResponses !== undefined || responses.some(({ content }) => content)
  if (!isDescribed || code < 200 || code > 599) return undefined
  return (
    documentedResponse(operation, code) && { effect: { status: code, applied: `code=${code}` } }
  )
}

function effectOf(outcome: Outcome, applied: string, retryAfter: number | undefined): ForcedEffect {
  if (retryAfter === undefined || !hasRetryAfter(outcome)) return { outcome, applied }
  return { outcome, applied: `${applied}, retry-after=${retryAfter}`, retryAfter }
}

function ignored(preference: string): Note {
  return { kind: 'ignored-preference', place: `prefer.${preference}` }
}

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
function problemOf(effect: ForcedEffect, forced: ForcedRequest): Problem | undefined {
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
function applyResponseFault(
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

/** The preferences in the `Prefer` header of a request (RFC 7240). */
export interface Preference {
  /** The preferred status, such as 429. */
  readonly code?: number
  /** The preferred outcome, such as `banned`. */
  readonly outcome?: string
  /** The seconds for `Retry-After`, ≥ 1. */
  readonly retryAfter?: number
}

const NAMES: ReadonlySet<string> = new Set(['code', 'outcome', 'retry-after', 'handling'])

/** Text up to a comma outside quotes. An unclosed quote extends to the end of the text, so that no text is read twice. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const NAME_AND_VALUE = /^\s*([\w-]+)\s*=\s*(?:"([\w-]+)"|([\w-]+))\s*$/

/** The preferences of a request that the sandbox supports. The first one of a repeated preference applies (RFC 7240, section 2). */
export function readPreference(request: CoreRequest): Preference | undefined {
  const preferences = preferencesOf(request)
  const outcome = preferences.get('outcome')
  const code = parseInteger(preferences.get('code'))
  const retryAfter = parseInteger(preferences.get('retry-after'))
  if (outcome === undefined && code === undefined) return undefined

  return {
    ...(code !== undefined && { code }),
    ...(outcome !== undefined && { outcome }),
    ...(retryAfter !== undefined && { retryAfter }),
  }
}

function preferencesOf(request: CoreRequest): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  for (const [element] of (request.header('prefer') ?? '').matchAll(ELEMENT)) {
    for (const [name, value] of parseElement(element)) {
      if (!preferences.has(name)) preferences.set(name, value)
    }
  }
  return preferences
}

/**
 * The names and values in one element of the header. A parameter counts as a preference of its own, as in
 * `code=429; retry-after=1`. An unknown preference has none.
 */
function parseElement(element: string): [name: string, value: string][] {
  const parts = element.split(';').map((part) => NAME_AND_VALUE.exec(part) ?? [])
  const pairs = parts.map(([, name = '', quoted, bare = '']): [string, string] => [
    name.toLowerCase(),
    quoted ?? bare,
  ])
  return NAMES.has(pairs[0]?.[0] ?? '') ? pairs.filter(([name]) => NAMES.has(name)) : []
}

function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}
