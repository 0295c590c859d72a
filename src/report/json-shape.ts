import { LATEST } from '../time/clock.ts'

/** What is wrong with a value that was read, as `log.entries[0].request must be an object`. */
export type ShapeCheck = (value: unknown, place: string) => string | undefined

/** A value that passes the test; `what` is the rest of the sentence, as `must be a list`. */
function is(what: string, test: (value: unknown) => boolean): ShapeCheck {
  return (value, place) => (test(value) ? undefined : `${place || 'it'} must be ${what}`)
}

export const text: ShapeCheck = is('text', (value) => typeof value === 'string')

export const flag: ShapeCheck = is('true or false', (value) => typeof value === 'boolean')

/** A number that is finite. */
export const number: ShapeCheck = is('a number', Number.isFinite)

/** Epoch milliseconds of a moment that HTTP dates can tell. */
export const moment: ShapeCheck = is('a time between 1970 and 9999', isMoment)

/** A date as text, of a moment that HTTP dates can tell. */
export const date: ShapeCheck = is(
  'a date between 1970 and 9999',
  (value) => typeof value === 'string' && isMoment(Date.parse(value)),
)

export function isMoment(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= LATEST
}

/** A whole number from `least` to `most`. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): ShapeCheck {
  const upTo = most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `from ${least} to ${most}`
  return is(
    `an integer ${upTo}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  )
}

export function oneOf(...words: readonly string[]): ShapeCheck {
  return is(`one of ${words.join(', ')}`, (value) => words.some((word) => word === value))
}

/** A value that may be left out. */
export function optional(check: ShapeCheck): ShapeCheck {
  return (value, place) => (value === undefined ? undefined : check(value, place))
}

/** A value that may be left out, or be null, as some programs write it. */
export function nullable(check: ShapeCheck): ShapeCheck {
  return (value, place) => (value === null ? undefined : optional(check)(value, place))
}

export function listOf(check: ShapeCheck): ShapeCheck {
  return (value, place) => {
    if (!Array.isArray(value)) return `${place || 'it'} must be an array`
    for (const [at, member] of value.entries()) {
      const fault = check(member, `${place}[${at}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** An object whose members pass the check of their name; other members do not matter. */
export function object(checks: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  const members = Object.entries(checks)
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
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
