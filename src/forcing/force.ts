import { type AccessRules, unauthorized } from '../access/authorize.ts'
import { firstBanEnd, tooManyRequests } from '../access/ban.ts'
import type { Caller } from '../access/callers.ts'
import { DAY, MINUTE, type QuotaRefusal, windowEnd } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import { operationRemoved } from '../contract/deprecation.ts'
import { documentedResponse, invalidInputStatus } from '../contract/documented-response.ts'
import type { Validation } from '../contract/input.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { FORCED_CODE, Problem, problems, REASON_HEADER, reasonPhrase } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { locationOfField, statusOfAnswer } from './answer-check.ts'
import type { ForcedAnswer } from './force-rule.ts'
import {
  type Fault,
  hasRetryAfter,
  isOutcome,
  isResponseFault,
  type Outcome,
  outcomeOf,
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
  const { request, operation } = forced
  const { effect: preferred, notes } = preferenceOf(request, operation)
  const byRule = preferred ?? decideByRules(forced, rules)
  if (!byRule) return notes.length === 0 ? NOTHING : { notes }
  const effect = settledEffect(byRule, operation)
  const { applied, answer } = effect
  const problem = problemOf(effect, forced)
  if (!problem) {
    return { effect, withFault: (response) => applyResponseFault(response, request, effect), notes }
  }

  return {
    effect,
    problem: applied === undefined ? problem : problem.with({ 'Preference-Applied': applied }),
    ...(answer && { withFault: (response) => applyAnswer(response, request, answer) }),
    notes,
  }
}

/**
 * The effect of an answer with the status that the document has for it. A status of real refusals is their outcome, so that a forced
 * refusal is the real one.
 */
function settledEffect(effect: ForcedEffect, operation: Operation): ForcedEffect {
  const { answer, outcome } = effect
  if (!answer || outcome !== undefined) return effect
  const status = statusOfAnswer(answer, operation)
  if (status === undefined) return effect
  const known = answer.fields ? undefined : outcomeOf({ status })

  return { ...effect, ...(known ? { outcome: known } : { status }) }
}

/** Whether what the rules force on a request may depend on its body. */
export function dependsOnBody(
  { request: { path, query }, operation, caller }: ForcedRequest,
  rules: Rules,
): boolean {
  if (rules.isEmpty) return false
  return rules.readsBody({ path, query, operation, account: caller.account })
}

function decideByRules(
  { request, operation, caller, body }: ForcedRequest,
  rules: Rules,
): ForcedEffect | undefined {
  if (rules.isEmpty) return undefined
  const { path, query } = request

  return rules.decide((states) =>
    decideForced(states, { path, query, operation, account: caller.account, body }),
  )
}

/** The effect of the request's own preference. An unknown outcome, and a code that nothing can give, is ignored and noted. */
function preferenceOf(request: CoreRequest, operation: Operation): Forced {
  const preference = readPreference(request)
  if (!preference) return NOTHING
  const { outcome = '', code = 0, retryAfter } = preference
  if (isOutcome(outcome))
    return { effect: effectOf(outcome, `outcome=${outcome}`, retryAfter), notes: [] }
  const byCode = outcomeOf({ status: code })
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
  /** The value of the body, where a rule depends on it. */
  readonly body?: unknown
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
  const { outcome, status = 0, retryAfter, answer } = effect
  const reason = { [REASON_HEADER]: reasonOf(effect) }
  if (answer?.fields) return invalidFields(status, answer.fields, forced.operation).with(reason)
  if (outcome === undefined) {
    if (status < 400) return undefined
    const message = `${status} ${reasonPhrase(status)}. This is a forced status.`
    return problems.forcedStatus(status, message).with(reason)
  }
  if (isResponseFault(outcome)) return undefined

  return PROBLEMS[outcome](forced, retryAfter).with(reason)
}

/** The problem of invalid input, as the checks of the input create it. */
function invalidFields(
  status: number,
  fields: Readonly<Record<string, string>>,
  operation: Operation,
): Problem {
  const errors = Object.entries(fields).map(([field, message]) => ({
    location: locationOfField(field, operation),
    message,
  }))
  const { code, message, headers } = problems.invalidInput(errors)
  // Of a conflict or another status, the document knows better what its code is.
  const isInvalid = status === invalidInputStatus(operation) || status === 400 || status === 422
  return new Problem(status, isInvalid ? code : FORCED_CODE, message, headers, { errors })
}

/** The response with the forced fault, if there is one. A body that is empty, or is not sent, cannot be truncated. */
function applyResponseFault(
  response: CoreResponse,
  request: Pick<CoreRequest, 'method'>,
  effect: ForcedEffect,
): CoreResponse {
  const { outcome, applied, answer } = effect
  const preference = applied === undefined ? {} : { 'Preference-Applied': applied }
  const marked = {
    ...response,
    headers: { [REASON_HEADER]: reasonOf(effect), ...preference, ...response.headers },
  }
  const complete = answer ? applyAnswer(marked, request, answer) : marked

  return outcome === 'malformed' || outcome === 'truncated'
    ? applyFault(complete, request, outcome)
    : complete
}

/** The response with the headers and the fault of an answer. */
function applyAnswer(
  response: CoreResponse,
  request: Pick<CoreRequest, 'method'>,
  { headers = {}, fault }: ForcedAnswer,
): CoreResponse {
  const complete = { ...response, headers: withOwnHeaders(response.headers, headers) }
  return fault ? applyFault(complete, request, fault) : complete
}

/** Headers with others, which replace those of the same name in any spelling. */
function withOwnHeaders(
  headers: CoreResponse['headers'],
  own: CoreResponse['headers'],
): CoreResponse['headers'] {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))

  return { ...Object.fromEntries(kept), ...own }
}

function applyFault(
  response: CoreResponse,
  request: Pick<CoreRequest, 'method'>,
  fault: Fault,
): CoreResponse {
  const { body, headers, stream } = response
  if (fault === 'reset' || fault === 'empty' || fault === 'timeout')
    return { status: 0, headers, body: '', fault }
  // A stream has no length that pieces of it could be measured by.
  if (stream) return fault === 'truncated' ? { ...response, fault } : response
  if (body.length === 0) return response
  // A comma is added, because a number without its last digit is still JSON.
  if (fault === 'malformed') {
    const broken = typeof body === 'string' ? `${body.slice(0, -1)},` : body.slice(0, -1)
    return { ...response, body: broken }
  }

  return request.method === 'HEAD' ? response : { ...response, fault }
}

/** Whether an effect is another answer of a request that is served, so that it has no meaning for one that is refused. */
export function isSuccessAnswer({ outcome, status = 200, answer }: ForcedEffect): boolean {
  if (!answer || answer.fields || (outcome !== undefined && !isResponseFault(outcome))) return false
  const { example, body } = answer
  return status < 400 && (answer.status ?? example ?? body) !== undefined
}

/** What is forced, in one word: an outcome, a status, a fault, or `answer` for a response in the usual status. */
export function nameOfEffect({ outcome, status, answer }: ForcedEffect): string {
  return outcome ?? String(status ?? answer?.fault ?? 'answer')
}

function reasonOf(effect: ForcedEffect): string {
  return `forced:${nameOfEffect(effect)}`
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
