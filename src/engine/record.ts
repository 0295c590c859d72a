import type { Caller } from '../access/callers.ts'
import type { Operation } from '../contract/contract.ts'
import { nameOfEffect } from '../forcing/force.ts'
import type { Problem } from '../http/problem.ts'
import type { Note, Refusal } from '../journal/exchange.ts'
import { type ExchangeQuota, type Recorder, recordExchange } from '../journal/recorded-exchange.ts'
import type { Arrival, Served } from './served.ts'
import type { WorldState } from './world-state.ts'

/** Records the exchange in the journal. */
export function record(
  { request, now, started, follows }: Arrival,
  caller: Caller,
  quota: ExchangeQuota,
  served: Served,
  recorder: Recorder & Pick<WorldState, 'service'>,
): void {
  const { problem, operation, effect, body, notes, recorded } = served
  const answered = {
    request: recorded?.request ?? request,
    response: recorded?.response ?? served.response,
    caller: callerKind(caller, served),
    key: caller.credential,
    plan: caller.plan?.name,
    secretParameters: recorder.service.access.namesOf('parameter'),
    operation: operation?.id,
    refusal: problem && toRefusal(problem),
    forced: effect && nameOfEffect(effect),
    body,
    notes: operation?.deprecation ? [deprecatedNote(operation), ...notes] : notes,
  }
  const milliseconds = Math.round((performance.now() - started) * 1000) / 1000
  recordExchange(
    recorder,
    answered,
    { time: now, follows, milliseconds, delivery: request.delivery },
    quota,
  )
}

/** A caller with a credential of another operation has none for the operation that refuses it. */
function callerKind({ key }: Caller, { problem, effect }: Served): Caller['key'] {
  const isRefused = problem?.code === 'unauthorized' && !effect
  return isRefused && key === 'valid' ? 'missing' : key
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
