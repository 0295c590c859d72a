import type { MediaType, RequestBody, Schema } from '../../contract/contract.ts'
import { isJson } from '../../contract/json.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { groupBy, isObject } from '../../validation/objects.ts'
import { INTEGER_LIMITS, isDate, keyword, requiredOf, typeOf, withoutNull } from './values.ts'

/** A longer `maxLength` is not tested. */
const MAX_TESTED_LENGTH = 10_000

/** The number of properties of a body, of values of an enum, and of items of a list that are tested. */
const MAX_TESTED = 100

/** The number of properties of an object in a record that are tested. */
const MAX_PARTS = 10

/** The name of a property that no schema has. */
export const UNKNOWN = 'unknown_to_all'

/** What a change may not be that must have a property at least. */
const EMPTY = 'an empty object'

/** A request body that is sent for a certain check. */
export interface BodyVariant {
  /** What is special about it, for instance `a missing name`. */
  readonly what: string
  readonly text: string
  /** The property whose value is invalid; absent when the body as a whole is. */
  readonly property?: string
}

/** An invalid body before it is written. */
interface InvalidBody extends Omit<BodyVariant, 'text'> {
  readonly value: unknown
}

/**
 * Invalid bodies, made from a valid one, whose record is at a place. The most important ones come first. None has an id that another
 * record may have. `isWanted` chooses by what is special about a body: the others are not validated.
 */
export function invalidBodies(
  { schema, validate }: Pick<RequestBody, 'schema' | 'validate'>,
  body: JsonObject,
  id?: string,
  place = '',
  isWanted: (what: string) => boolean = () => true,
): BodyVariant[] {
  const keys = parsePointer(place)
  const recordSchema = schemaAt(schema, place) ?? {}
  const found = keys.reduce<unknown>((value, key) => (isObject(value) ? value[key] : {}), body)
  const valid = isObject(found) ? found : {}
  const inBody = (record: unknown): unknown => withValueAt(body, keys, record)
  const all = new Map([...propertiesOf(recordSchema)].filter(([name]) => name !== id))
  const properties = [...all].slice(0, MAX_TESTED)
  const wrong = properties.flatMap(([name, property]) => [
    ...invalidValues(property).map((value) => ({
      what: `${name}=${describe(value)}`,
      value: { ...valid, [name]: value },
      property: name,
    })),
    ...[...invalidParts(property, valid[name]), ...invalidForms(property, valid[name])].map(
      ({ what, value }) => ({
        what: what(name),
        value: { ...valid, [name]: value },
        property: name,
      }),
    ),
  ])
  const [key] = keys
  const candidates: readonly InvalidBody[] = [
    ...missingProperties(recordSchema, all).map((name) => ({
      what: `a missing ${name}`,
      value: inBody(without(valid, name)),
    })),
    ...wrong.map(({ value, ...about }) => ({ ...about, value: inBody(value) })),
    {
      what: 'an unknown property',
      value: inBody({ ...valid, [UNKNOWN]: 'verify' }),
      property: UNKNOWN,
    },
    ...valuesAsTexts(properties, valid).map(({ value, ...about }) => ({
      ...about,
      value: inBody(value),
    })),
    // A service that reads the record without its envelope takes the wrong one, too.
    ...(key === undefined ? [] : [{ what: `a record that is not in ${key}`, value: valid }]),
    ...(keyword(recordSchema, 'minProperties') ? [{ what: EMPTY, value: inBody({}) }] : []),
    { what: 'an array', value: [body] },
  ]
  const invalid = candidates
    .filter(({ what, value }) => isWanted(what) && !validate(value))
    .map(({ value, ...about }) => ({ ...about, text: JSON.stringify(value) }))
  const [long] = properties.find(([, one]) => keyword(one, 'format') === 'int64') ?? []
  const beyond = (name: string): string =>
    withDigits((one) => inBody({ ...valid, [name]: one }), INTEGER_LIMITS.beyond)

  const texts: readonly BodyVariant[] = [
    ...(long === undefined ? [] : [{ what: `${long} beyond int64`, text: beyond(long) }]),
    { what: 'no body', text: '' },
    { what: 'half a JSON text', text: JSON.stringify(body).slice(0, -1) },
  ]
  return [...invalid, ...texts.filter(({ what }) => isWanted(what))]
}

/** The number of invalid bodies that are sent to an operation that changes a record. */
const MAX_OF_CHANGE = 20

/** The number of properties without which a replacement is sent. */
const MAX_MISSING = 4

/** The number of invalid values of each property that are sent to an operation on no record. */
const MAX_OF_PROPERTY = 4

/** The invalid bodies that are sent to an operation on no record, such as one that creates several: some for each property. */
export function variantsOfOther(variants: readonly BodyVariant[]): readonly BodyVariant[] {
  const [wrong, whole] = [
    variants.filter(isOfProperty),
    variants.filter((one) => !isOfProperty(one)),
  ]
  const ofProperties = [...groupBy(wrong, ({ property = '' }) => property).values()].flatMap(
    (same) => same.filter(({ what }) => !what.endsWith('=null')).slice(-MAX_OF_PROPERTY),
  )
  return [...whole.slice(0, 1), ...ofProperties, ...whole.slice(-1)].slice(0, MAX_OF_CHANGE)
}

/**
 * The invalid bodies that are sent to a change: a creation has shown what is checked as a whole, but not which of the properties a change
 * checks. The most special value of each property, one of another type, one without a property, and one that is no JSON.
 */
export function variantsOfChange(variants: readonly BodyVariant[]): readonly BodyVariant[] {
  const [wrong, whole] = [
    variants.filter(isOfProperty),
    variants.filter((one) => !isOfProperty(one)),
  ]
  const special = [...groupBy(wrong, ({ property = '' }) => property).values()].flatMap((same) => [
    ...same.filter(({ what }) => !what.endsWith('=null')).slice(-1),
    // Both ends of a range have checks of their own in most services, and so has the length of a list.
    ...same.filter(({ what }) => /=-?[\d.]+$/.test(what)).slice(-3, -1),
    ...same.filter(({ what }) => /^\d+ /.test(what)).slice(-1),
    // A form sends an empty text for what nobody has filled in.
    ...same.filter(({ what }) => what.endsWith('=""')),
  ])
  const texts = whole.filter(isAsText)
  const first = [
    ...whole.filter((one) => !isAsText(one)).slice(0, 1),
    // A replacement has to check each of them, while a change has none that is required.
    ...whole.filter(({ what }) => what.startsWith('a missing')).slice(0, MAX_MISSING),
    ...whole.filter(({ what, property }) => what === EMPTY || property === UNKNOWN),
    ...wrong.slice(0, 1),
    ...wrong.filter(({ what }) => what.endsWith('=null')).slice(0, 1),
    ...texts.slice(0, 1),
    ...texts.slice(-1),
    ...whole.slice(-1),
  ]

  return [...new Set([...first, ...special])].slice(0, MAX_OF_CHANGE)
}

/** The number of properties whose number is sent as a text. */
const MAX_NUMBERS = 4

/** The number that is sent as a text, where a property allows it. */
const SHORT = 12

/** Numbers that are sent as texts of their digits, and a boolean as a word, as forms send them. */
function valuesAsTexts(
  properties: readonly (readonly [string, Schema])[],
  valid: JsonObject,
): readonly InvalidBody[] {
  const ofType = (types: RegExp): readonly (readonly [string, Schema])[] =>
    properties.filter(([, one]) => types.test(typeOf(one) ?? ''))
  const numbers = ofType(/^(integer|number)$/).slice(0, MAX_NUMBERS)
  return [...numbers, ...ofType(/^boolean$/).slice(0, 1)].flatMap(([name, property]) => {
    const usual = valid[name] ?? generatedValue(property)
    // A short number is most likely to be taken for a number.
    const value = typeof usual === 'number' && surelyMatches(property, SHORT) ? SHORT : usual
    if (typeof value !== 'number' && typeof value !== 'boolean') return []
    const text = { ...valid, [name]: String(value) }
    return [{ what: `${name} as a text`, value: text, property: name }]
  })
}

function isAsText({ what }: BodyVariant): boolean {
  return what.endsWith(' as a text')
}

/** Whether a body is about the values of one property, and not about bodies as a whole or all properties of a type. */
function isOfProperty(variant: BodyVariant): boolean {
  const { property } = variant
  return property !== undefined && property !== UNKNOWN && !isAsText(variant)
}

/** The properties without which a record is invalid. A service may take the default of a property instead. */
function missingProperties(schema: Schema, all: ReadonlyMap<string, Schema>): readonly string[] {
  return requiredOf(schema)
    .filter((name) => all.has(name) && all.get(name)?.default === undefined)
    .slice(0, MAX_TESTED)
}

/** A value of a property with an invalid part, and what is special about it. */
interface InvalidPart {
  readonly what: (name: string) => string
  readonly value: unknown
}

/** Texts that are like one of the form that a schema has, and have another one; and a word of an enum in other capitals. */
export function invalidForms(property: Schema, known: unknown): InvalidPart[] {
  const word = keyword(property, 'enum')?.find((one) => /^[a-z]+$/i.test(String(one)))
  if (typeof word === 'string')
    return [{ what: (name) => `${name} in the other case`, value: inOtherCase(word) }]
  if (keyword(property, 'pattern') === undefined) return []
  const valid = known ?? generatedValue(property)
  if (typeof valid !== 'string') return []
  const hasCase = inOtherCase(valid) !== valid || !/A-Z/.test(String(keyword(property, 'pattern')))
  const other = hasCase ? inOtherCase(valid) : valid.replace(/[\w-]/, 'a')
  return [
    { what: (name) => `${name} in the other case`, value: other },
    { what: (name) => `${name} with more at its end`, value: `${valid}!` },
  ]
}

function generatedValue(schema: Schema): unknown {
  const generated = generateValue({ schema, seed: 'verify', now: 0 })
  return generated.isValid ? generated.value : undefined
}

function inOtherCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
}

/** Objects and lists with an invalid part: one of each kind for each property of an object, and for the items and the length of a list. */
function invalidParts(property: Schema, known: unknown): InvalidPart[] {
  const valid = known ?? generatedValue(property)
  if (isObject(valid)) return invalidObjects(property, valid)
  const items = itemsOf(property)
  return items === undefined ? [] : invalidLists(property, items)
}

function invalidObjects(schema: Schema, valid: JsonObject): InvalidPart[] {
  const properties = propertiesOf(schema)
  const missing = missingProperties(schema, properties).map((inner) => ({
    what: (name: string) => `a missing ${name}.${inner}`,
    value: without(valid, inner),
  }))
  const wrong = [...properties].slice(0, MAX_PARTS).flatMap(([inner, property]) =>
    mostUseful(invalidValues(property), 2).map((value) => ({
      what: (name: string) => `${name}.${inner}=${describe(value)}`,
      value: { ...valid, [inner]: value },
    })),
  )
  const unknown = {
    what: (name: string) => `an unknown property of ${name}`,
    value: { ...valid, [UNKNOWN]: 'verify' },
  }
  return [...missing.slice(0, MAX_PARTS), unknown, ...wrong, ...wrongMembers(schema, valid)]
}

/** The number of invalid records that are sent in a list. */
const MAX_ITEMS = 6

/** Records of a list that are not valid, each for another reason. */
export function invalidItems(items: Schema, valid: unknown): readonly InvalidPart[] {
  if (!isObject(valid)) return []
  const all = invalidObjects(items, valid)
  const missing = all.filter(
    ({ value }) => isObject(value) && Object.keys(value).length < Object.keys(valid).length,
  )
  const wrong = groupBy(
    all.filter((one) => !missing.includes(one)),
    ({ what }) => what('').split('=')[0] ?? '',
  )
  return [...missing.slice(0, 1), ...[...wrong.values()].flatMap((same) => same.slice(-1))].slice(
    0,
    MAX_ITEMS,
  )
}

/** An object with free names, and a value of another type or one that is too long under one of them. */
function wrongMembers(schema: Schema, valid: JsonObject): InvalidPart[] {
  const { additionalProperties } = schema
  if (!isObject(additionalProperties)) return []
  return mostUseful(invalidValues(additionalProperties)).map((value) => ({
    what: (name) => `${name}.verify=${describe(value)}`,
    value: { ...valid, verify: value },
  }))
}

function invalidLists(list: Schema, items: Schema): InvalidPart[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = withoutNull(list)
  const generated = generateValue({ schema: items, seed: 'verify', now: 0 })
  const of = (count: number): readonly unknown[] =>
    Array.from({ length: count }, () => generated.value)
  // A service has one reason only to refuse a list that is too long.
  const different = (count: number): readonly unknown[] =>
    keyword(list, 'uniqueItems')
      ? Array.from({ length: count }, (_, at) => itemOf(items, `verify-${at}`))
      : of(count)
  const withWrong = (value: unknown): readonly unknown[] => [
    ...of(Math.max(0, minItems - 1)),
    value,
  ]

  const wrongItems = isObject(generated.value) ? invalidObjects(items, generated.value) : []

  return [
    ...mostUseful(invalidValues(items)).map((value) => ({
      what: (name: string) => `${name}=[${describe(value)}]`,
      value: withWrong(value),
    })),
    ...(generated.isValid && minItems > 0
      ? [{ what: (name: string) => `${minItems - 1} ${name}`, value: of(minItems - 1) }]
      : []),
    ...(generated.isValid && maxItems <= MAX_TESTED
      ? [{ what: (name: string) => `${maxItems + 1} ${name}`, value: different(maxItems + 1) }]
      : []),
    ...(generated.isValid && keyword(list, 'uniqueItems') === true && maxItems > 1
      ? [{ what: (name: string) => `the same ${name} twice`, value: of(Math.max(2, minItems)) }]
      : []),
    ...[...wrongItems.slice(0, 1), ...wrongItems.slice(-1)].map(({ what, value }) => ({
      what: (name: string) => what(`${name}[]`),
      value: withWrong(value),
    })),
  ]
}

function itemOf(items: Schema, seed: string): unknown {
  return generateValue({ schema: items, seed, now: 0 }, { hasExamples: false }).value
}

/** A value of another type, and those that are most special. */
function mostUseful(values: readonly unknown[], special = 1): readonly unknown[] {
  const plain = values.filter((one) => one !== null)
  return [...new Set([...plain.slice(0, 1), ...plain.slice(-special)])]
}

/** A valid value of a property that is at a limit of its schema. */
export interface BoundaryValue {
  /** For instance `status="sold"`. */
  readonly what: string
  readonly name: string
  readonly value: unknown
}

/** The boundary values of all properties but the id. */
export function boundaryValues(
  { schema, validate }: RequestBody,
  valid: JsonObject,
  id?: string,
): BoundaryValue[] {
  const properties = [...propertiesOf(schema)].filter(([name]) => name !== id).slice(0, MAX_TESTED)
  return properties.flatMap(([name, property]) =>
    boundariesOf(property)
      .filter((value) => validate({ ...valid, [name]: value }))
      .map((value) => ({ what: `${name}=${describe(value)}`, name, value })),
  )
}

/** A body with an integer that programs can round by mistake. */
export interface LargeIntegerBody extends BodyVariant {
  readonly digits: string
}

/**
 * Bodies with integers at the limits of exactness. A server must store them exactly or reject them, except the id, which it may
 * assign.
 */
export function largeIntegerBodies(
  { schema }: RequestBody,
  valid: JsonObject,
  id: string,
): LargeIntegerBody[] {
  const [long] =
    [...propertiesOf(schema)].find(
      ([name, one]) => keyword(one, 'format') === 'int64' && !one.writeOnly && name !== id,
    ) ?? []
  if (long === undefined) return []
  return [INTEGER_LIMITS.int64, INTEGER_LIMITS.exact].map((digits) => ({
    what: `${long}=${digits}`,
    text: withDigits((one) => ({ ...valid, [long]: one }), digits),
    digits,
  }))
}

function invalidValues(schema: Schema): unknown[] {
  const type = typeOf(schema)
  const minimum = keyword(schema, 'minimum')
  const maximum = keyword(schema, 'maximum')
  const { minLength, maxLength } = withoutNull(schema)
  const format = keyword(schema, 'format') ?? ''

  return [
    ...(type === undefined ? [] : [type === 'string' ? 12 : 'abc']),
    ...(type === 'integer' ? [1.5] : []),
    ...(minimum === undefined ? [] : [Math.ceil(minimum) - 1]),
    ...(maximum === undefined ? [] : [Math.floor(maximum) + 1]),
    ...exclusiveLimits(schema),
    ...(minLength ? ['x'.repeat(minLength - 1)] : []),
    ...(isTestedLength(maxLength) ? ['x'.repeat(maxLength + 1)] : []),
    ...(keyword(schema, 'pattern') === undefined ? [] : ['!', 'no match']),
    // Both are refused where dates are texts that only have to be in order.
    ...(isDate(schema) ? ['no date', '1 no date', noDayOf(format)] : []),
    ...invalidOfFormat(format),
    ...(keyword(schema, 'enum') || schema.const !== undefined ? ['no-such-value'] : []),
    ...noMultipleOf(schema),
    ...(type === undefined ? [] : [null]),
  ]
}

/** A number between the limits of a schema that is half a step from one that it allows: with one digit more than a price. */
function noMultipleOf(schema: Schema): readonly number[] {
  const step = keyword(schema, 'multipleOf')
  if (typeof step !== 'number') return []
  const half = typeOf(schema) === 'integer' ? 1 : step / 2
  const least = Math.ceil((keyword(schema, 'minimum') ?? 0) / step) * step
  return [Number((least + step + half).toPrecision(12))]
}

function invalidOfFormat(format: string): readonly string[] {
  if (format === 'email') return ['no email', 'verify@']
  return /^(uuid|uri|ipv[46])$/.test(format) ? [`no ${format}`] : []
}

/** A date of the documented form that no calendar has: many programs take it for another day. */
function noDayOf(format: string): string {
  return format === 'date' ? '2026-02-30' : '2026-02-30T12:00:00Z'
}

/** The limits that a number must not reach. */
function exclusiveLimits(schema: Schema): unknown[] {
  return (['exclusiveMinimum', 'exclusiveMaximum'] as const)
    .map((name) => keyword(schema, name))
    .filter((limit) => typeof limit === 'number')
}

/** The values at the limits of a schema, and those of an enum. */
export function boundariesOf(schema: Schema): unknown[] {
  const { minLength, maxLength } = withoutNull(schema)
  return [
    ...(keyword(schema, 'enum') ?? []).slice(0, MAX_TESTED),
    ...[keyword(schema, 'minimum'), keyword(schema, 'maximum')].filter((end) => end !== undefined),
    ...(minLength ? ['x'.repeat(minLength)] : []),
    ...(isTestedLength(maxLength) ? ['x'.repeat(maxLength)] : []),
  ]
}

function isTestedLength(length: number | undefined): length is number {
  return length !== undefined && length < MAX_TESTED_LENGTH
}

function describe(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.length - 2} letters` : text
}

function without(value: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}

/** JSON text with an integer that JavaScript would round. */
function withDigits(bodyWith: (value: unknown) => unknown, digits: string): string {
  const placeholder = '\u0001digits'
  return JSON.stringify(bodyWith(placeholder)).replace(JSON.stringify(placeholder), digits)
}

/**
 * An invalid value that is like a valid one: without a required property, else with a property of another type, else of another
 * type as a whole. `undefined` when the schema accepts all of them.
 */
export function brokenValue(
  { mediaType, schema = {}, validate }: MediaType,
  valid: unknown,
): unknown {
  if (!validate) return undefined
  const isTyped = isJson(mediaType)
  const candidates = isObject(valid) ? brokenObjects(schema, valid, isTyped) : []
  const others = isTyped ? [[valid], 'verify', 12, true, null] : []

  return [...candidates, ...others].find((value) => !validate(value))
}

/** In a form, every value is a text, so that only some types can be broken. */
function brokenObjects(schema: Schema, valid: JsonObject, isTyped: boolean): unknown[] {
  const properties = propertiesOf(schema)
  const missing = requiredOf(schema)
    .slice(0, MAX_TESTED)
    // The server may set the default.
    .filter((name) => name in valid && properties.get(name)?.default === undefined)
    .map((name) => without(valid, name))
  const wrong = [...properties]
    .slice(0, MAX_TESTED)
    .filter(([, property]) => isTyped || isNumeric(property))
    .map(([name, property]) => ({ ...valid, [name]: valueOfOtherType(property) }))

  return [...missing, ...wrong]
}

function isNumeric(schema: Schema): boolean {
  return ['integer', 'number', 'boolean'].includes(typeOf(schema) ?? '')
}

function valueOfOtherType(schema: Schema): unknown {
  return typeOf(schema) === 'string' ? { verify: true } : 'verify'
}
