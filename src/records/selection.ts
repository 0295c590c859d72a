import { getOwn, isObject } from '../validation/objects.ts'

/** The properties of a record by their names. */
type Properties = Readonly<Record<string, unknown>>

/** Which records are selected: those for which everything holds. Default: all. */
export interface RecordSelection {
  /** The value that each of these properties must have, or a list of values of which it must have one. */
  readonly where?: Properties
  /** What must hold besides. No index finds it, so the records are looked at one by one. */
  readonly tests?: readonly RecordCheck[]
}

/** What must hold for a record: a test, or all tests of one of several lists. It is plain data. */
export type RecordCheck = RecordTest | { readonly either: readonly (readonly RecordCheck[])[] }

/**
 * The place that stands for what is above a record: a test of it holds for the records of the collections whose paths have one of the wanted
 * texts, such as `acme/api`. Within one collection, it holds.
 */
export const ABOVE = '$above'

/** What must hold for one of the values in some places of a record. */
export interface RecordTest {
  /** The names that lead to each place. A list on the way has each of its items as a value. */
  readonly places: readonly (readonly string[])[]
  readonly is: Comparison
  /** The values of which one must match. */
  readonly wanted: readonly unknown[]
}

/**
 * How a value is compared. `not` holds when no value is equal, `on` when both are the same moment or one is the day of the other, and
 * `exists` when the wanted flag says whether there is a value.
 */
export type Comparison =
  | ('equal' | 'not' | 'exists')
  | ('on' | 'after' | 'from' | 'before' | 'to')
  | ('contains' | 'starts' | 'ends')

/** Whether a name is that of a comparison. */
export function isComparison(name: string | undefined): name is Comparison {
  return (
    name === 'not' || name === 'exists' || (name !== undefined && Object.hasOwn(COMPARED, name))
  )
}

/** A property, with the value that it must have or a list of values of which it must have one. */
export type Condition = readonly [name: string, wanted: unknown]

/** The conditions of a selection, and whether a record is selected. */
export interface RecordMatcher {
  readonly conditions: readonly Condition[]
  /** Whether there are no tests besides the conditions. */
  readonly isPlain: boolean
  readonly matches: (record: Properties) => boolean
}

export function matcherOf({ where = {}, tests = [] }: RecordSelection): RecordMatcher {
  const conditions = Object.entries(where)
  const isPlain = tests.length === 0
  const meets = (record: Properties): boolean => hasValues(record, conditions)
  if (isPlain) return { conditions, isPlain, matches: meets }
  const checks = tests.map(checkOf)

  return {
    conditions,
    isPlain,
    matches: (record) => meets(record) && checks.every((check) => check(record)),
  }
}

function hasValues(record: Properties, conditions: readonly Condition[]): boolean {
  for (const [name, wanted] of conditions) {
    if (!hasValue(getOwn(record, name), wanted)) return false
  }
  return true
}

/** Whether a property has the wanted value, or one of several. A property that is a list has each of its items as a value. */
function hasValue(property: unknown, wanted: unknown): boolean {
  const values = [property].flat()
  return [wanted].flat().some((value) => values.includes(value))
}

function checkOf(check: RecordCheck): (record: Properties) => boolean {
  if (!('either' in check)) return testOf(check)
  const lists = check.either.map((list) => list.map(checkOf))
  return (record) => lists.some((list) => list.every((holds) => holds(record)))
}

function testOf({ places, is, wanted }: RecordTest): (record: Properties) => boolean {
  if (places[0]?.[0] === ABOVE) return () => true
  if (is === 'exists') return existenceOf(places, wanted)
  const isMet = is === 'not' ? undefined : COMPARED[is]
  const bounds = wanted.map(toBound)
  return (record) => {
    const values = places.flatMap((place) => valuesAt(record, place))
    if (!isMet) return !values.some((value) => bounds.some((bound) => isEqual(value, bound)))
    return values.some((value) => bounds.some((bound) => isMet(value, bound)))
  }
}

function existenceOf(
  places: RecordTest['places'],
  wanted: readonly unknown[],
): (record: Properties) => boolean {
  return (record) => {
    const values = places.flatMap((place) => valuesAt(record, place))
    const exists = values.some((value) => value !== undefined && value !== null && value !== '')
    return wanted.includes(exists)
  }
}

/** The values in a place. Of each list on the way to it, and in it, those are of its items. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (Array.isArray(value))
    return value.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...rest]))
  if (name === undefined) return [value]
  if (isObject(value)) return valuesAt(getOwn(value, name), rest)
  // A reference may be an id instead of an object with the id.
  return rest.length === 0 && (typeof value === 'string' || typeof value === 'number')
    ? [value]
    : []
}

/** A value with which others are compared. */
interface Bound {
  readonly value: unknown
  readonly text: string
  /** In milliseconds; `undefined` when the value is no moment. */
  readonly moment: number | undefined
  /** Whether it is a date without a time. */
  readonly isDay: boolean
}

function toBound(value: unknown): Bound {
  const isDay = isDayText(value)
  return { value, text: String(value).toLowerCase(), moment: momentOf(value), isDay }
}

function isDayText(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
}

type IsMet = (value: unknown, bound: Bound) => boolean

const COMPARED: Readonly<Record<Exclude<Comparison, 'not' | 'exists'>, IsMet>> = {
  equal: isEqual,
  on: (value, bound) => {
    const after = difference(value, bound)
    if (bound.isDay) return after >= 0 && after < DAY
    return after === 0 || (isDayText(value) && after < 0 && after > -DAY)
  },
  after: (value, bound) => difference(value, bound) > 0,
  from: (value, bound) => difference(value, bound) >= 0,
  before: (value, bound) => difference(value, bound) < 0,
  // The day of a date belongs to what lasts until that date.
  to: (value, bound) => difference(value, bound) <= (bound.isDay ? DAY - 1 : 0),
  contains: (value, { text }) => textOf(value).includes(text),
  starts: (value, { text }) => textOf(value).startsWith(text),
  ends: (value, { text }) => textOf(value).endsWith(text),
}

const DAY = 86_400_000

/** Whether values are equal. A number in a query may be declared as a text. */
function isEqual(value: unknown, { value: wanted }: Bound): boolean {
  const isOther = typeof value === 'object' || typeof wanted === 'object'
  return value === wanted || (!isOther && value !== undefined && String(value) === String(wanted))
}

/** A text in lower case; empty for what is no text and no number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : ''
}

/** How far a value is from a bound: of moments in milliseconds, of numbers, else by the code units of texts. NaN: incomparable. */
function difference(value: unknown, bound: Bound): number {
  if (value === null || value === undefined || typeof value === 'object') return Number.NaN
  if (isMomentText(value) || isMomentText(bound.value))
    return (momentOf(value) ?? Number.NaN) - (bound.moment ?? Number.NaN)
  const numbers = [value, bound.value].map((one) => (one === '' ? Number.NaN : Number(one)))
  const [own = Number.NaN, other = Number.NaN] = numbers
  if (!(Number.isNaN(own) || Number.isNaN(other))) return own - other
  if (typeof value !== 'string' || typeof bound.value !== 'string') return Number.NaN
  if (value === bound.value) return 0
  return value < bound.value ? -1 : 1
}

/** Whether a value is a date, or a date with a time (RFC 3339). */
function isMomentText(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d(-\d\d|$)/.test(value)
}

/** Numbers below this one are seconds since 1970, others milliseconds. */
const MAX_SECONDS = 1e11

/** The milliseconds since 1970 of a date, or of a Unix time; `undefined` for other values. */
function momentOf(value: unknown): number | undefined {
  if (isMomentText(value)) {
    const parsed = Date.parse(String(value))
    return Number.isNaN(parsed) ? undefined : parsed
  }
  const isNumber = typeof value === 'number' || (typeof value === 'string' && value !== '')
  const number = isNumber ? Number(value) : Number.NaN
  if (Number.isNaN(number)) return undefined
  return Math.abs(number) < MAX_SECONDS ? number * 1000 : number
}
