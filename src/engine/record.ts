import type { Caller } from '../access/caller.ts'
import { bearerToken } from '../access/identify.ts'
import type { Quota } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import type { CoreRequest } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import type { Note, Refusal } from '../journal/exchange.ts'
import { type Recorder, recordExchange } from '../journal/record-exchange.ts'
import type { Arrival } from './arrival.ts'
import type { Served } from './served.ts'

/** Records the exchange in the journal. */
export function record(
  { request, now, started, follows }: Arrival,
  caller: Caller,
  quota: Quota,
  served: Served,
  recorder: Recorder,
): void {
  const { response, problem, operation, effect, body, notes } = served
  const answered = {
    request,
    response,
    caller: caller.key,
    key: keyOf(request, caller),
    plan: caller.plan.name,
    operation: operation?.id,
    refusal: problem && toRefusal(problem),
    forced: effect?.outcome,
    body,
    notes: operation?.deprecation ? [deprecatedNote(operation), ...notes] : notes,
  }
  const milliseconds = Math.round((performance.now() - started) * 1000) / 1000
  recordExchange(recorder, answered, { time: now, follows, milliseconds }, quota)
}

function keyOf(request: CoreRequest, caller: Caller): string | undefined {
  if (caller.key === 'missing') return undefined
  return caller.key === 'valid' ? caller.account : bearerToken(request.header('authorization'))
}

function deprecatedNote({ id }: Pick<Operation, 'id'>): Note {
  return { kind: 'deprecated-operation', place: id }
}

/** An exchange keeps so many errors of its request, with so many characters of each location. */
const MAX_ERRORS = 20
const MAX_LOCATION_LENGTH = 200

function toRefusal({ code, message, errors }: Problem): Refusal {
  const kept = errors.slice(0, MAX_ERRORS).map(({ location, keyword }) => ({
    location: location.slice(0, MAX_LOCATION_LENGTH),
    ...(keyword !== undefined && keyword !== '' && { keyword }),
  }))
  return { code, message, ...(kept.length > 0 && { errors: kept }) }
}
