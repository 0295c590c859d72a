import { MAX_TIME } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'

/** Checks a value; returns an error, for instance `log.entries[0].request must be an object`, or `undefined`. */
export type ShapeCheck = (value: unknown, place: string) => string | undefined

/** A value that passes the test; `what` completes the sentence "must be …". */
function is(what: string, test: (value: unknown) => boolean): ShapeCheck {
  return (value, place) => (test(value) ? undefined : `${place || 'it'} must be ${what}`)
}

export const text: ShapeCheck = is('text', (value) => typeof value === 'string')

export const boolean: ShapeCheck = is('true or false', (value) => typeof value === 'boolean')

/** A finite number. */
export const number: ShapeCheck = is('a number', Number.isFinite)

/** Epoch milliseconds in the range of HTTP dates. */
export const timestamp: ShapeCheck = is('a time between 1970 and 9999', isTimestamp)

/** A date as a string, in the range of HTTP dates. */
export const date: ShapeCheck = is(
  'a date between 1970 and 9999',
  (value) => typeof value === 'string' && isTimestamp(Date.parse(value)),
)

export function isTimestamp(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= MAX_TIME
}

/** An integer from `least` to `most`. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): ShapeCheck {
  const upTo = most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `from ${least} to ${most}`
  return is(
    `an integer ${upTo}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  )
}

export function oneOf(...words: readonly string[]): ShapeCheck {
  return is(`one of ${words.join(', ')}`, (value) => words.some((word) => word === value))
}

/** An optional value. */
export function optional(check: ShapeCheck): ShapeCheck {
  return (value, place) => (value === undefined ? undefined : check(value, place))
}

/** An optional value; some programs write null instead. */
export function nullable(check: ShapeCheck): ShapeCheck {
  return (value, place) => (value === null ? undefined : optional(check)(value, place))
}

export function arrayOf(check: ShapeCheck): ShapeCheck {
  return (value, place) => {
    if (!Array.isArray(value)) return `${place || 'it'} must be an array`
    for (const [at, member] of value.entries()) {
      const fault = check(member, `${place}[${at}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** An object whose members pass the check with their name. Other members are ignored. */
export function object(checks: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  const members = Object.entries(checks)
  return (value, place) => {
    if (!isObject(value)) {
      return `${place || 'it'} must be an object`
    }
    for (const [name, check] of members) {
      const own = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
      const fault = check(own, place === '' ? name : `${place}.${name}`)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** The notes of a sandbox about a request. */
export const NOTES: ShapeCheck = arrayOf(
  object({
    kind: oneOf(
      'unknown-parameter',
      'dropped-property',
      'invalid-input',
      'deprecated-operation',
      'ignored-preference',
    ),
    place: text,
  }),
)

/** The errors of a request. */
export const ERRORS: ShapeCheck = arrayOf(object({ location: text, keyword: optional(text) }))

/** The result of the authentication. */
export const CALLER: ShapeCheck = oneOf('valid', 'missing', 'invalid')

const pair: ShapeCheck = (value, place) =>
  arrayOf(text)(value, place) ?? integer(2, 2)(Object(value).length, `${place}.length`)

const MESSAGE = object({ headers: arrayOf(pair), body: optional(text) })

const EXCHANGES = arrayOf(
  object({
    id: integer(1),
    follows: optional(integer(0)),
    time: timestamp,
    method: text,
    target: text,
    operation: optional(text),
    caller: CALLER,
    key: optional(text),
    client: optional(text),
    plan: optional(text),
    status: integer(0, 999),
    reason: optional(text),
    refusal: optional(object({ code: text, message: text, errors: optional(ERRORS) })),
    forced: optional(text),
    notes: NOTES,
    milliseconds: number,
    request: MESSAGE,
    response: MESSAGE,
  }),
)

/** Why the exchanges of another sandbox are not valid; `undefined` when they are. */
export function describeExchangesError(exchanges: unknown): string | undefined {
  return EXCHANGES(exchanges, 'exchanges')
}
