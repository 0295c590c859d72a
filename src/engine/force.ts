import type { Gate } from '../access/admit.ts'
import type { Caller } from '../access/caller.ts'
import type { Operation } from '../contract/contract.ts'
import { hasWait, isOutcome, type Outcome, problemOf } from '../forcing/outcomes.ts'
import { readPreference } from '../forcing/preference.ts'
import type { ForcedEffect, Rules } from '../forcing/rules.ts'
import type { OpenExchange } from './open-exchange.ts'

/** What each status of `Prefer: code=` forces. Prism's users know the spelling. */
const BY_CODE: Readonly<Record<number, Outcome>> = {
  400: 'bad-request',
  401: 'unauthorized',
  404: 'not-found',
  429: 'rate-limited',
  500: 'server-error',
  503: 'unavailable',
}

/**
 * Throws the problem that is forced on a request, or notes what is to happen to its answer. What the request itself prefers
 * comes before the rules.
 */
export function force(
  exchange: OpenExchange,
  operation: Operation,
  caller: Caller,
  { rules, gate }: { readonly rules: Rules; readonly gate: Gate },
): void {
  const { request, time: now } = exchange
  const effect = preferred(exchange) ?? rules.take(request, operation, caller.account)
  if (!effect) return
  exchange.effect = effect
  const problem = problemOf(
    effect.outcome,
    { request, operation, caller, gate, now },
    effect.retryAfter,
  )
  if (problem)
    throw effect.applied ? problem.with({ 'Preference-Applied': effect.applied }) : problem
}

/** What the request prefers. An unknown outcome, or a code that no outcome has, is ignored and noted. */
function preferred({ request, note }: OpenExchange): ForcedEffect | undefined {
  const preference = readPreference(request)
  if (!preference) return undefined
  const { outcome = '', code = 0, retryAfter } = preference
  const byCode = BY_CODE[code]
  if (outcome !== '' && !isOutcome(outcome)) note('ignored-preference', `prefer.outcome=${outcome}`)
  else if (outcome === '' && !byCode) note('ignored-preference', `prefer.code=${code}`)
  const wished = isOutcome(outcome) ? outcome : byCode
  if (!wished) return undefined
  const applied = isOutcome(outcome) ? `outcome=${outcome}` : `code=${code}`
  if (retryAfter === undefined || !hasWait(wished)) return { outcome: wished, applied }

  return { outcome: wished, applied: `${applied}, retry-after=${retryAfter}`, retryAfter }
}
