import type { Schema } from '../contract/contract.ts'
import { type OperationHints, SERVICE_VALUES } from '../contract/hints.ts'
import { isNumeric, propertiesOf, typesIn, withBranches } from '../contract/schema.ts'
import { uuid } from '../generate/named-values.ts'
import { RandomSource } from '../generate/random.ts'
import { milliseconds } from '../time/duration.ts'
import { isObject } from '../validation/objects.ts'
import { DUE, PENDING } from './hidden-properties.ts'

type Values = Readonly<Record<string, unknown>>

/** A change of a record that is still to come. */
interface PendingChange {
  /** Epoch milliseconds. */
  readonly at: number
  readonly set: Values
  readonly from?: Values
}

/** The record after an operation at a time: with the values of `set`, and with the changes of `after` still to come. */
export function applyEffect(
  record: Values,
  { set = {}, after = [] }: Pick<OperationHints, 'set' | 'after'>,
  now: number,
  schema?: Schema,
): Values {
  const changed = mergeValues(record, set, now, schema)
  if (after.length === 0) return changed
  const added = after.map(({ delay, ...change }) => ({ ...change, at: now + milliseconds(delay) }))

  return withPending(changed, [...pendingOf(record), ...added])
}

/** Whether a record has the values of `set`, so that the time of the change has passed. Times alone do not tell. */
export function hasEffect(record: Values, set: Values): boolean {
  const values = Object.entries(set).filter(([, value]) => value !== SERVICE_VALUES.now)

  return values.length > 0 && values.every(([name, value]) => hasValue(record[name], value))
}

function hasValue(present: unknown, value: unknown): boolean {
  if (isObject(value)) return isObject(present) && hasEffect(present, value)
  return isSame(value === SERVICE_VALUES.absent ? null : value, present)
}

/** The record with its next change, and those that are still to come. */
export function withPending(record: Values, pending: readonly PendingChange[]): Values {
  const { [DUE]: _due, [PENDING]: _pending, ...values } = record
  // A stable sort: of two changes at one time, the one that was announced first happens first.
  const sorted = [...pending].sort((one, other) => one.at - other.at)
  const [next] = sorted

  return next ? { ...values, [DUE]: next.at, [PENDING]: sorted } : values
}

/** The changes that are still to come. */
export function pendingOf(record: Values): readonly PendingChange[] {
  const pending = record[PENDING]
  return Array.isArray(pending) ? pending : []
}

/** Why a record does not have the values that an action needs. */
interface RefusedTransition {
  readonly property: string
  readonly value: unknown
  /** The values that the action needs: one of them. */
  readonly allowed: readonly unknown[]
}

/** The first property of a record that has not one of the values in `from`; `undefined` when the action is allowed. */
export function refusedTransition(
  record: Values,
  from: Values = {},
): RefusedTransition | undefined {
  for (const [property, needed] of Object.entries(from)) {
    const value = record[property]
    const allowed: readonly unknown[] = Array.isArray(needed) ? needed : [needed]
    if (!allowed.some((one) => isSame(one, value))) return { property, value, allowed }
  }
  return undefined
}

/** The sentence of the 409, such as `status is "cancelled", and must be "pending" or "confirmed".` */
export function describeTransition({ property, value, allowed }: RefusedTransition): string {
  const needed = allowed.map((one) => JSON.stringify(one)).join(' or ')
  return `${property} is ${JSON.stringify(value) ?? 'absent'}, and must be ${needed}.`
}

/** Equal as JSON. What a record does not have is `null`. */
function isSame(one: unknown, other: unknown = null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/**
 * The values with others merged into them: objects property by property, other values as a whole. `{now}` is the time, in the
 * form that the schema of the property has; `{revision}` is another
 * value than before, and `{absent}` is `null` where the schema allows it, else no value.
 */
export function mergeValues(
  values: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
  time: number,
  schema: Schema = {},
): Readonly<Record<string, unknown>> {
  const properties = propertiesOf(schema)
  const merged = Object.entries(changes).map(([name, change]) => {
    const before = values[name]
    const value = isObject(change)
      ? mergeValues(isObject(before) ? before : {}, change, time, properties.get(name))
      : serviceValue(change, { time, before }, properties.get(name))
    return [name, value] as const
  })
  const all = Object.entries({ ...values, ...Object.fromEntries(merged) })

  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

function serviceValue(
  value: unknown,
  { time, before }: { readonly time: number; readonly before: unknown },
  schema: Schema = {},
): unknown {
  if (value === SERVICE_VALUES.now) return momentFor(schema, time)
  if (value === SERVICE_VALUES.revision) return revisionAfter(before, schema, time)
  if (value !== SERVICE_VALUES.absent) return value
  return typesIn(schema).has('null') ? null : undefined
}

/** A moment in the form that a schema has: by its format, else by its example, else a date and time (RFC 3339) or Unix time. */
export function momentFor(schema: Schema, time: number): unknown {
  const branches = withBranches(schema)
  const types = typesIn(schema)
  const example = exampleOf(schema)
  if (!types.has('string') && (types.has('integer') || types.has('number')))
    return countsMilliseconds(branches, example) ? time : Math.floor(time / 1000)

  return momentText(branches, example, time)
}

/** A moment as a text. */
function momentText(branches: readonly Schema[], example: unknown, time: number): string {
  const date = new Date(time)
  const text = date.toISOString()
  const unit = branches.find(({ describedTime }) => describedTime)?.describedTime
  if (unit === 'mail') return date.toUTCString().replace('GMT', '+0000')
  if (unit) return String(unit === 'milliseconds' ? time : Math.floor(time / 1000))
  const formats = branches.map(({ format }) => format)
  if (formats.includes('date-time')) return text
  if (formats.includes('date')) return text.slice(0, 10)
  if (typeof example !== 'string') return text
  const [mailDate, zone = 'GMT'] =
    /^\w{3}, \d\d \w{3} \d{4}(?:.* (UTC|[+-]0000)$)?/.exec(example) ?? []
  if (mailDate !== undefined) return date.toUTCString().replace('GMT', zone)
  if (/^\d{4}-\d\d-\d\d$/.test(example)) return text.slice(0, 10)
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(example)) return text.slice(0, 19).replace('T', ' ')
  if (/^\d{10}$/.test(example)) return String(Math.floor(time / 1000))

  return /^\d{13}$/.test(example) ? String(time) : text
}

const MILLISECONDS_FROM = 1e11

function countsMilliseconds(branches: readonly Schema[], example: unknown): boolean {
  if (typeof example === 'number') return example >= MILLISECONDS_FROM
  return branches.some(
    ({ describedTime, minimum = 0 }) =>
      minimum >= MILLISECONDS_FROM || describedTime === 'milliseconds',
  )
}

function exampleOf(schema: Schema): unknown {
  for (const { example, examples } of withBranches(schema)) {
    if (example !== undefined) return example
    if (Array.isArray(examples) && examples.length > 0) return examples[0]
  }
  return undefined
}

/** The digits of a text that differs after each change. */
const REVISION_DIGITS = 12

/** A text of random characters, as secrets and hashes are, perhaps after words such as `whsec_`. */
const LONG_TEXT = /^(?=.{12,}$)(?:[a-z]{1,12}[_-])*[\da-z_-]+$/i

/** A text of other characters, but for the words that it begins with. */
function textLike(text: string, random: RandomSource): string {
  const start = /^(?:[a-z]{1,12}[_-])*/i.exec(text)?.[0].length ?? 0
  const rest = text.slice(start)
  const isHex = /^[\da-f-]*$/.test(rest)
  const isUuid = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(rest)
  if (isUuid) return text.slice(0, start) + uuid(random)
  const other = rest.replaceAll(/[\da-z]/gi, (one) => {
    if (isHex) return random.integer(0, 15).toString(16)
    if (/\d/.test(one)) return String(random.integer(0, 9))
    const letter = String.fromCodePoint(A + random.integer(0, LETTERS - 1))
    return one === one.toUpperCase() ? letter.toUpperCase() : letter
  })
  return text.slice(0, start) + other
}

const A = 97
const LETTERS = 26

/** A number or a text that is another one than before a change. */
export function revisionAfter(before: unknown, schema: Schema, now: number): unknown {
  if (typeof before === 'number') return before + 1
  if (typeof before === 'string' && /^\d+$/.test(before)) return String(Number(before) + 1)
  if (isNumeric(schema)) return schema.default ?? Math.max(1, Number(schema.minimum ?? 1))
  const random = RandomSource.from([now, String(before)])
  const shape = before ?? exampleOf(schema)
  if (typeof shape === 'string' && LONG_TEXT.test(shape)) return textLike(shape, random)

  return Array.from({ length: REVISION_DIGITS }, () => random.integer(0, 15).toString(16)).join('')
}
