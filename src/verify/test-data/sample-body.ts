import type { RequestBody, Schema } from '../../contract/contract.ts'
import { isJson } from '../../contract/json.ts'
import { plainName, propertiesOf } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { matches, surelyMatches } from '../../generate/matches.ts'
import { normalizeName } from '../../generate/words.ts'
import { ENDS, STARTS } from '../../requests/operation-input.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { unguessableWord } from './unguessable.ts'
import { isDate, keyword, requiredOf, typeOf, withoutNull } from './values.ts'

/** Free text that no record contains yet. A person who finds such a record knows where it comes from. */
export function freeText(text = 'pet-sandbox'): string {
  return `${unguessableWord()} ${text}`
}

/**
 * The one reference of a record to another record, because a service may refuse one to no record. None of several: together they can
 * be the key of the record, which a new one would replace.
 */
export function referenceIn(record: JsonObject | undefined, id: string): JsonObject | undefined {
  const references = Object.entries(record ?? {}).filter(
    ([name]) => name !== id && /(^|[^a-z])id$|[a-z]I[dD]$/.test(name),
  )
  return references.length === 1 ? Object.fromEntries(references) : undefined
}

/** The names of dates that are in the future when a record is new, such as `endsAt` and `expires_on`. */
const FUTURE =
  /(^|[-_ .])(expir\w*|ends?|until|deadline|due|valid[-_]?(to|until|thru)|scheduled?)([-_ .]|$)/i

/** Names of the days on which people were born, without capitals and separators. */
export const BIRTH: RegExp = /^(birth(day|date)?|dateofbirth|born(on|at)?|dob)$/

/** A day on which an adult was born. */
const BORN = '1990-05-17'

/** The age of an adult, in milliseconds. */
const ADULT = 21 * 366 * 24 * 3_600_000

/** In milliseconds: the time until the dates that a record has in the future. */
const AHEAD = 30 * 24 * 3_600_000

/**
 * A body as services take it: with dates in the future, where their names say so, and with positive numbers, because there may not be enough to
 * take away. `now` is the time of the service.
 */
export function withUsualValues(body: RequestBody, value: unknown, now: number): unknown {
  const changed = datesMoved(body, withPositiveNumbers(body, value), now)
  return body.validate(changed) ? changed : value
}

/** What the document shows of a body. */
type Shown = Pick<RequestBody, 'schema' | 'example'>

/** Dates and times as services take them. A range that the document shows is one that they allow. */
function datesMoved(shown: Shown, value: unknown, now: number): unknown {
  if (!isObject(value)) return value
  const properties = propertiesOf(shown.schema)
  const moved = withOrderedClocks(futureDates(properties, withAdults(value, shown, now), now))
  return withShortRanges(properties, moved, { given: value, example: shown.example })
}

/** Whether the document shows a value for a property, in the example of a body or in the schema of the property. */
function isShown({ example }: Shown, name: string, value: unknown, property: Schema): boolean {
  const inExample = isObject(example) && example[name] === value
  return (
    inExample ||
    ['example', 'examples', 'default'].some((one) => keyword(property, one) !== undefined)
  )
}

/** A person who is a child, or is not born yet, is made an adult, unless the document shows one. */
function withAdults(value: JsonObject, shown: Shown, now: number): JsonObject {
  const properties = propertiesOf(shown.schema)
  const entries = Object.entries(value).map(([name, inner]) => {
    const property = properties.get(name) ?? {}
    const isYoung =
      BIRTH.test(plainName(name)) &&
      keyword(property, 'format') === 'date' &&
      Date.parse(String(inner)) > now - ADULT
    const isOpen = isYoung && !isShown(shown, name, inner, property)
    return [name, isOpen && matches(property, BORN) ? BORN : inner]
  })
  return Object.fromEntries(entries)
}

/** A body with positive numbers in the place of negative ones that no example shows. */
function withPositiveNumbers(body: RequestBody, value: unknown): unknown {
  if (!isObject(value)) return value
  const properties = propertiesOf(body.schema)
  const entries = Object.entries(value).map(([name, inner]) => {
    const property = properties.get(name) ?? {}
    const isTaken = typeof inner === 'number' && inner < 0 && !isShown(body, name, inner, property)
    return [name, isTaken && matches(property, -inner) ? -inner : inner]
  })
  return Object.fromEntries(entries)
}

function futureDates(
  properties: ReadonlyMap<string, Schema>,
  value: JsonObject,
  now: number,
): JsonObject {
  const entries = Object.entries(value).map(([name, inner]) => {
    const property = properties.get(name) ?? {}
    const moved = isPastDate(name, property, inner, now)
      ? new Date(now + AHEAD).toISOString()
      : datesMoved({ schema: property }, inner, now)
    return [
      name,
      keyword(property, 'format') === 'date' && moved !== inner
        ? String(moved).slice(0, 10)
        : moved,
    ]
  })
  return Object.fromEntries(entries)
}

const DAY = 24 * 3_600_000
/** A longer time between a start and an end is made a day: services allow short ones, and have many of them. */
const LONGEST_RANGE = 14 * DAY
/**
 * A record with a start and an end: it ends as long after it starts as in the example of the document, else soon after it. `given` are the
 * dates before they were moved.
 */
function withShortRanges(
  properties: ReadonlyMap<string, Schema>,
  value: JsonObject,
  { given, example }: { readonly given: JsonObject; readonly example: unknown },
): JsonObject {
  const isOfDates = (name: string): boolean => isDate(properties.get(name) ?? {})
  const { start, end } = rangeIn(value, isOfDates) ?? {}
  if (start === undefined || end === undefined) return value
  const lengthOf = (of: JsonObject): number =>
    Date.parse(String(of[end])) - Date.parse(String(of[start]))
  const shown = isObject(example) ? lengthOf(example) : Number.NaN
  const isUsual = (length: number): boolean =>
    length > 0 && (length <= LONGEST_RANGE || length === shown)
  const [length, before, to] = [lengthOf(value), lengthOf(given), Date.parse(String(value[end]))]
  if (Number.isNaN(length) || isUsual(length)) return value
  // The end is in the future where that is wanted.
  const moved = new Date(to - (isUsual(before) ? before : DAY)).toISOString()
  const isDay = keyword(properties.get(start) ?? {}, 'format') === 'date'

  return { ...value, [start]: isDay ? moved.slice(0, 10) : moved }
}

/** A record with a start and an end on one day: it ends after it starts. */
function withOrderedClocks(value: JsonObject): JsonObject {
  const { start, end } = rangeIn(value, (name) => /^\d\d:\d\d/.test(String(value[name]))) ?? {}
  if (start === undefined || end === undefined) return value
  const [first, last] = [value[start], value[end]].toSorted()
  return { ...value, [start]: first, [end]: last }
}

/** The properties that say from when until when, such as `startsOn` and `endsOn`, or `planned_start` and `planned_end`. */
function rangeIn(
  value: JsonObject,
  isWanted: (name: string) => boolean,
): { readonly start: string; readonly end: string } | undefined {
  const names = Object.keys(value).filter(isWanted)
  const kinds = [...new Set(names.map((name) => normalizeName(name).split('_')[0] ?? ''))]
  for (const kind of ['', ...kinds]) {
    const named = (ends: RegExp): string | undefined =>
      names.find((name) => {
        const words = normalizeName(name)
        return kind === ''
          ? ends.test(words)
          : words.startsWith(`${kind}_`) && ends.test(words.slice(kind.length + 1))
      })
    const [start, end] = [named(STARTS), named(ENDS)]
    if (start !== undefined && end !== undefined) return { start, end }
  }
  return undefined
}

/** Whether a value is a date before `now` that should be after it. */
export function isPastDate(name: string, schema: Schema, value: unknown, now: number): boolean {
  if (typeof value !== 'string' || !isDate(schema)) return false
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
  return FUTURE.test(words) && Date.parse(value) <= now
}

/** Whether the first media type of a body is JSON. JSON comes first if there is any. */
export function takesJson({ mediaTypes: [first = 'application/json'] }: RequestBody): boolean {
  return isJson(first)
}

/** How a body is generated. */
interface SampleOptions {
  /** A record of the server. The body gets its references to other records, because these exist. */
  readonly model: JsonObject | undefined
  /** The value of free-text properties. */
  readonly text: string
  /** Whether the body has the optional properties, too. */
  readonly isComplete: boolean
  /** The time of the service, in epoch milliseconds. Default: that of this machine. */
  readonly now?: number
}

/** Where a value is generated. */
interface Place extends SampleOptions {
  /** The schemas that the value is inside, because a schema may contain itself. */
  readonly open: readonly Schema[]
  /** How many values may be generated until required ones are left out, too. */
  readonly left: { values: number }
}

/** The number of schemas inside each other. */
const MAX_DEPTH = 12

/** The number of items of a list. Bodies with longer lists are not sent. */
const MAX_ITEMS = 100

/** The number of values of a body. */
const MAX_VALUES = 10_000

/** A valid body; `undefined` when none can be generated. */
export function sampleBody(body: RequestBody, options: SampleOptions): unknown {
  const { schema, validate } = body
  for (const model of [options.model, undefined]) {
    const value = sample(schema, { ...options, model, open: [], left: { values: MAX_VALUES } })
    if (validate(value)) return withUsualValues(body, value, options.now ?? Date.now())
  }
  return undefined
}

function sample(schema: Schema, place: Place): unknown {
  place.left.values -= 1
  if (schema.const !== undefined) return schema.const
  const [first] = keyword(schema, 'enum') ?? []
  if (first !== undefined) return first
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, place)
    case 'array':
      return sampleItems(schema, place)
    case 'integer':
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return true
    case 'string':
      return sampleText(schema, place.text)
    default:
      return schema.default ?? null
  }
}

/** No value is valid by a schema that requires itself. Documents have such schemas all the same. */
function isCut(schema: Schema, { open, left }: Place): boolean {
  return open.includes(schema) || left.values <= 0
}

function sampleItems(schema: Schema, place: Place): unknown[] {
  const count = isCut(schema, place) ? 0 : Math.min(keyword(schema, 'minItems') ?? 0, MAX_ITEMS)
  const inner = { ...place, open: [...place.open, schema] }

  return Array.from({ length: count }, () => sample(keyword(schema, 'items') ?? {}, inner))
}

function sampleObject(schema: Schema, place: Place): JsonObject {
  const { model, isComplete, open } = place
  const required = isCut(schema, place) ? [] : requiredOf(schema)
  const wanted = [...propertiesOf(schema)].filter(
    ([name, property]) =>
      required.includes(name) ||
      (isComplete && !open.includes(property) && open.length < MAX_DEPTH),
  )
  return Object.fromEntries(
    wanted.map(([name, property]) => {
      const known = model?.[name]
      const isGenerated = isFreeText(property) || known === undefined || known === null
      const inner = {
        ...place,
        model: isObject(known) ? known : undefined,
        open: [...open, schema],
      }
      return [name, isGenerated || isObject(known) ? sample(property, inner) : known]
    }),
  )
}

/** Whether a property accepts any text. */
function isFreeText(schema: Schema): boolean {
  const isRestricted = ['enum', 'const', 'format', 'pattern'].some((name) => keyword(schema, name))
  return typeOf(schema) === 'string' && !isRestricted
}

function sampleNumber(given: Schema): number {
  const schema = withoutNull(given)
  const step = typeOf(schema) === 'integer' ? 1 : 0.5
  const least = schema.minimum ?? (schema.exclusiveMinimum ?? 0) + step
  const value = Math.min(Math.max(1, least), schema.maximum ?? Number.POSITIVE_INFINITY)
  const { multipleOf = 0 } = schema

  return multipleOf > 0 ? Math.ceil(value / multipleOf) * multipleOf : value
}

const VALUES_BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'verify@example.com',
  uri: 'https://example.com/verify',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

/** Values that no record has. A service may replace the record with the same address. */
const OWN_VALUES_BY_FORMAT: Readonly<Record<string, () => string>> = {
  uuid: () => crypto.randomUUID(),
  email: () => `${unguessableWord()}@example.com`,
  uri: () => `https://example.com/${unguessableWord()}`,
  hostname: () => `${unguessableWord()}.example.com`,
}

function sampleText(schema: Schema, text: string): string {
  const format = keyword(schema, 'format')
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = withoutNull(schema)
  const own = getOwn(OWN_VALUES_BY_FORMAT, format ?? '')?.()
  if (own !== undefined && own.length <= maxLength) return own

  const known = getOwn(VALUES_BY_FORMAT, format ?? '')
  const plain = text.padEnd(minLength, '-').slice(0, maxLength)
  if (known !== undefined || keyword(schema, 'pattern') === undefined) return known ?? plain
  // A form that is not that of free texts may be one of plain words.
  const word = unguessableWord()
  const words = [plain, word, word.replace('-', '')]
  const usual = words.find((one) => surelyMatches(schema, one))
  if (usual !== undefined) return usual
  // The default of a text that may be null is null in most documents.
  const { default: _default, ...form } = withoutNull(schema)
  const { value, isValid } = generateValue({ schema: form, seed: word, now: 0 })
  return isValid && typeof value === 'string' ? value : plain
}
