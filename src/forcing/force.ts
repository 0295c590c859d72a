import type { Operation } from '../contract/contract.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import type { Validation } from '../contract/input.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { decideForced, type ForcedEffect } from './decide-forced.ts'
import { applyResponseFault, type ForcedRequest, problemOf } from './forced-response.ts'
import { hasRetryAfter, isOutcome, type Outcome } from './outcomes.ts'
import { type Handling, readHandling, readPreference } from './preference.ts'
import type { Rules } from './rules.ts'

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
  const decided = decide(forced, rules)
  const handling = readHandling(forced.request)

  return handling && !decided.problem ? withHandling(decided, handling) : decided
}

/** Adds `Prefer: handling=lenient` or `strict` (RFC 7240, section 4.4). */
function withHandling(forced: Forced, handling: Handling): Forced {
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
