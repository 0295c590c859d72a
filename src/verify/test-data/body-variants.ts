import type { MediaType, RequestBody, Schema } from '../../contract/contract.ts'
import { isJson } from '../../contract/json.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { INTEGER_LIMITS, keyword, requiredOf, typeOf } from './values.ts'

/** A longer `maxLength` is not tested. */
const MAX_TESTED_LENGTH = 10_000

/** The number of properties of a body, and of values of an enum, that are tested. */
const MAX_TESTED = 100

/** A request body that is sent for a certain check. */
export interface BodyVariant {
  /** What is special about it, for instance `a missing name`. */
  readonly what: string
  readonly text: string
}

/** Invalid bodies, made from a valid one. The most important ones come first. None has an id that another record may have. */
export function invalidBodies(
  { schema, validate }: RequestBody,
  valid: JsonObject,
  id?: string,
): BodyVariant[] {
  const all = new Map([...propertiesOf(schema)].filter(([name]) => name !== id))
  const properties = [...all].slice(0, MAX_TESTED)
  // A service may take the default of a property instead, although the schema requires it.
  const required = requiredOf(schema)
    .filter((name) => all.get(name)?.default === undefined)
    .slice(0, MAX_TESTED)
  const missing = required.map((name) => ({
    what: `a missing ${name}`,
    value: without(valid, name),
  }))
  const wrong = properties.flatMap(([name, property]) =>
    invalidValues(property).map((value) => ({
      what: `${name}=${describe(value)}`,
      value: { ...valid, [name]: value },
    })),
  )
  const invalid = [...missing, ...wrong, { what: 'an array', value: [valid] }]
    .filter(({ value }) => !validate(value))
    .map(({ what, value }) => ({ what, text: JSON.stringify(value) }))
  const [long] = properties.find(([, { format }]) => format === 'int64') ?? []
  const tooLarge =
    long === undefined
      ? []
      : [{ what: `${long} beyond int64`, text: withDigits(valid, long, INTEGER_LIMITS.beyond) }]

  return [
    ...invalid,
    ...tooLarge,
    { what: 'no body', text: '' },
    { what: 'half a JSON text', text: JSON.stringify(valid).slice(0, -1) },
  ]
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
    validBoundaries(property)
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
      ([name, { format, writeOnly }]) => format === 'int64' && !writeOnly && name !== id,
    ) ?? []
  if (long === undefined) return []
  return [INTEGER_LIMITS.int64, INTEGER_LIMITS.exact].map((digits) => ({
    what: `${long}=${digits}`,
    text: withDigits(valid, long, digits),
    digits,
  }))
}

function invalidValues(schema: Schema): unknown[] {
  const type = typeOf(schema)
  const minimum = keyword(schema, 'minimum')
  const maximum = keyword(schema, 'maximum')
  const { minLength, maxLength } = schema

  return [
    ...(keyword(schema, 'enum') ? ['no-such-value'] : []),
    ...(type === undefined ? [] : [type === 'string' ? 12 : 'abc']),
    ...(type === 'integer' ? [1.5] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minLength ? ['x'.repeat(minLength - 1)] : []),
    ...(isTestedLength(maxLength) ? ['x'.repeat(maxLength + 1)] : []),
    ...(keyword(schema, 'pattern') === undefined ? [] : ['!', 'no match']),
    ...(type === undefined ? [] : [null]),
  ]
}

function validBoundaries(schema: Schema): unknown[] {
  const { minLength, maxLength } = schema
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
function withDigits(value: JsonObject, name: string, digits: string): string {
  const placeholder = '\u0001digits'
  return JSON.stringify({ ...value, [name]: placeholder }).replace(
    JSON.stringify(placeholder),
    digits,
  )
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
