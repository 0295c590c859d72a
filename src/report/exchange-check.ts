import { SOURCES } from '../http/message.ts'
import { MAX_TIME } from '../time/clock.ts'
import {
  integerFrom,
  is,
  listOf,
  mistakesIn,
  oneOf,
  text,
  type ValueCheck,
  withFields,
} from '../validation/value-check.ts'

/** Why the exchanges of another sandbox are not valid; `undefined` when they are. */
export function describeExchangesError(exchanges: unknown): string | undefined {
  return firstMistake({ exchanges }, withFields({ exchanges: listOf(EXCHANGE) }))
}

/** Why a value is not valid, for instance `log.entries[0].time must be a number (got "1")`; `undefined` when it is. */
export function firstMistake(value: unknown, check: ValueCheck): string | undefined {
  return mistakesIn(value, check)[0]?.reason
}

export const number: ValueCheck = is('a number', Number.isFinite)

/** Epoch milliseconds in the range of HTTP dates. */
export const timestamp: ValueCheck = is('a time between 1970 and 9999', isTimestamp)

export function isTimestamp(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= MAX_TIME
}

/** The result of the authentication. */
export const CALLER: ValueCheck = oneOf('caller', ['valid', 'missing', 'invalid'])

const NOTE_KINDS = [
  'unknown-parameter',
  'dropped-property',
  'overruled-property',
  'unkept-property',
  'unread-filter',
  'unmade-records',
  'undocumented-conflict',
  'invalid-input',
  'deprecated-operation',
  'ignored-preference',
  'invalid-answer',
  'sign-in',
  'granted-scopes',
]

/** How a request came over a network. */
export const DELIVERY: ValueCheck = withFields(
  { received: timestamp },
  { connection: integerFrom(0), opened: timestamp },
)

/** The notes of a sandbox about a request. */
export const NOTES: ValueCheck = listOf(
  withFields({ kind: oneOf('kind of note', NOTE_KINDS), place: text }),
)

/** The errors of a request. */
export const ERRORS: ValueCheck = listOf(withFields({ location: text }, { keyword: text }))

const HEADER = is(
  'a name with its value',
  (value) =>
    Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string'),
)

const MESSAGE = withFields({ headers: listOf(HEADER) }, { body: text })

const EXCHANGE = withFields(
  {
    id: integerFrom(1),
    time: timestamp,
    method: text,
    target: text,
    caller: CALLER,
    status: integerFrom(0, 999),
    notes: NOTES,
    milliseconds: number,
    request: MESSAGE,
    response: MESSAGE,
  },
  {
    follows: integerFrom(0),
    delivery: DELIVERY,
    operation: text,
    endpoint: text,
    key: text,
    client: text,
    plan: text,
    reason: text,
    refusal: withFields({ code: text, message: text }, { errors: ERRORS }),
    forced: text,
    source: oneOf('source', SOURCES),
    sourceReason: text,
  },
)
