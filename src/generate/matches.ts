import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { Schema } from '../contract/contract.ts'
import { URL_FORMAT } from '../contract/schema.ts'
import { areEqual, getOwn, isObject, once } from '../validation/objects.ts'
import {
  listOf,
  numberOf,
  propertyOf,
  schemaMapOf,
  schemaOf,
  schemasOf,
  textOf,
  textsOf,
  typesOf,
} from './keywords.ts'
import { isTestable, matchesPattern } from './pattern.ts'

/** How many schemas a check may apply. A value that needs more is assumed to match, and the validator decides. */
const MAX_STEPS = 30_000

/**
 * Whether a value matches a schema. It needs no compiled validator, so every part of a schema can be checked while a value is
 * generated. It assumes that texts match which would take too long to test.
 */
export function matches(schema: Schema, value: unknown): boolean {
  return run(schema, value, true)
}

/** Whether a value matches a schema, and all its texts are short enough to be tested. */
export function surelyMatches(schema: Schema, value: unknown): boolean {
  return run(schema, value, false)
}

/** `isAssumed` tells whether texts match that would take too long to test. */
function run(schema: Schema, value: unknown, isAssumed: boolean): boolean {
  let left = MAX_STEPS
  const check: Matches = (inner, part) => {
    left -= 1
    if (left < 0) return true
    if (!isAssumed && typeof part === 'string' && !isTestable(inner.pattern ?? '', part))
      return false
    for (const isMet of checksOf(inner)) if (!isMet(part, inner, check)) return false
    return true
  }
  return check(schema, value)
}

/** The checks of the keywords of a schema. */
const checksOf = once((schema: Schema): readonly Check[] =>
  Object.keys(schema).flatMap((keyword) => getOwn(CHECKS, keyword) ?? []),
)

/** Whether a value matches a schema. */
type Matches = (schema: Schema, value: unknown) => boolean
type Check = (value: unknown, schema: Schema, matches: Matches) => boolean

/** A check of a number by the number that the keyword holds. Other values match. */
function numeric(keyword: string, isMet: (value: number, limit: number) => boolean): Check {
  return (value, schema) => {
    if (typeof value !== 'number') return true
    const limit = numberOf(schema, keyword)
    return limit === undefined || isMet(value, limit)
  }
}

/** A check of a size by the number that the keyword holds. Values without that size match. */
function sized(
  keyword: string,
  sizeOf: (value: unknown) => number | undefined,
  isMet: (size: number, limit: number) => boolean,
): Check {
  return (value, schema) => {
    const limit = numberOf(schema, keyword)
    const size = sizeOf(value)
    return size === undefined || limit === undefined || isMet(size, limit)
  }
}

const atLeast = (value: number, limit: number): boolean => value >= limit
const atMost = (value: number, limit: number): boolean => value <= limit

function textSize(value: unknown): number | undefined {
  return typeof value === 'string' ? codePoints(value) : undefined
}

function listSize(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function objectSize(value: unknown): number | undefined {
  return isObject(value) ? Object.keys(value).length : undefined
}

function ofList(
  isMet: (list: readonly unknown[], schema: Schema, matches: Matches) => boolean,
): Check {
  return (value, schema, matches) => !Array.isArray(value) || isMet(value, schema, matches)
}

function ofObject(
  isMet: (object: Readonly<Record<string, unknown>>, schema: Schema, matches: Matches) => boolean,
): Check {
  return (value, schema, matches) => !isObject(value) || isMet(value, schema, matches)
}

/** The checks of the keywords. */
export const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, schema) =>
    typeof schema.type === 'string'
      ? isOfType(value, schema.type)
      : (typesOf(schema)?.some((type) => isOfType(value, type)) ?? true),
  enum: (value, { enum: values = [] }) => values.some((one) => areEqual(one, value)),
  const: (value, schema) => areEqual(schema.const, value),
  multipleOf: numeric('multipleOf', isMultiple),
  minimum: numeric('minimum', atLeast),
  maximum: numeric('maximum', atMost),
  exclusiveMinimum: numeric('exclusiveMinimum', (value, limit) => value > limit),
  exclusiveMaximum: numeric('exclusiveMaximum', (value, limit) => value < limit),
  minLength: sized('minLength', textSize, atLeast),
  maxLength: sized('maxLength', textSize, atMost),
  minItems: sized('minItems', listSize, atLeast),
  maxItems: sized('maxItems', listSize, atMost),
  minProperties: sized('minProperties', objectSize, atLeast),
  maxProperties: sized('maxProperties', objectSize, atMost),
  pattern: (value, schema) =>
    typeof value !== 'string' || matchesPattern(textOf(schema, 'pattern') ?? '', value),
  format: (value, { format = '' }) => hasFormat(value, format),
  uniqueItems: ofList((list, schema) => schema.uniqueItems !== true || isDistinct(list)),
  prefixItems: ofList((list, schema, matches) =>
    schemasOf(schema, 'prefixItems').every(
      (one, at) => at >= list.length || matches(one, list[at]),
    ),
  ),
  items: ofList((list, schema, matches) => {
    const items = schemaOf(schema, 'items')
    const rest = list.slice(schemasOf(schema, 'prefixItems').length)
    return items === undefined || rest.every((item) => matches(items, item))
  }),
  contains: ofList((list, schema, matches) => {
    const contains = schemaOf(schema, 'contains')
    if (!contains) return true
    const [min, max] = containsLimits(schema)
    const count = list.filter((item) => matches(contains, item)).length
    return min <= count && count <= max
  }),
  required: ofObject((object, schema) =>
    textsOf(schema, 'required').every((name) => Object.hasOwn(object, name)),
  ),
  properties: ofObject((object, schema, matches) => {
    for (const name of Object.keys(object)) {
      const inner = propertyOf(schema, name)
      if (inner !== undefined && !matches(inner, object[name])) return false
    }
    return true
  }),
  patternProperties: ofObject((object, schema, matches) =>
    schemaMapOf(schema, 'patternProperties').every(([pattern, inner]) =>
      Object.entries(object).every(
        ([name, value]) => !matchesPattern(pattern, name) || matches(inner, value),
      ),
    ),
  ),
  additionalProperties: ofObject((object, schema, matches) => {
    const others = schemaOf(schema, 'additionalProperties')
    return (
      others === undefined ||
      Object.keys(object).every((name) => isNamed(schema, name) || matches(others, object[name]))
    )
  }),
  propertyNames: ofObject((object, schema, matches) => {
    const names = schemaOf(schema, 'propertyNames')
    return names === undefined || Object.keys(object).every((name) => matches(names, name))
  }),
  dependentRequired: ofObject((object, schema) =>
    Object.entries(Object(schema.dependentRequired)).every(
      ([name, names]) =>
        !Object.hasOwn(object, name) ||
        [names].flat().every((other) => Object.hasOwn(object, String(other))),
    ),
  ),
  dependentSchemas: ofObject((object, schema, matches) =>
    schemaMapOf(schema, 'dependentSchemas').every(
      ([name, inner]) => !Object.hasOwn(object, name) || matches(inner, object),
    ),
  ),
  allOf: (value, schema, matches) => schemasOf(schema, 'allOf').every((one) => matches(one, value)),
  anyOf: (value, schema, matches) => schemasOf(schema, 'anyOf').some((one) => matches(one, value)),
  oneOf: (value, schema, matches) => {
    const branches = schemasOf(schema, 'oneOf')
    const first = branches.findIndex((one) => matches(one, value))
    return first !== -1 && !branches.slice(first + 1).some((one) => matches(one, value))
  },
  not: (value, schema, matches) => {
    const excluded = schemaOf(schema, 'not')
    return excluded === undefined || !matches(excluded, value)
  },
  if: (value, schema, matches) => {
    const condition = schemaOf(schema, 'if')
    const branch = condition && schemaOf(schema, matches(condition, value) ? 'then' : 'else')
    return branch === undefined || matches(branch, value)
  },
  unevaluatedProperties: ofObject((object, schema, matches) => {
    const others = schemaOf(schema, 'unevaluatedProperties')
    return Object.entries(object).every(
      ([name, value]) =>
        others === undefined ||
        isEvaluatedName(schema, object, name, matches) ||
        matches(others, value),
    )
  }),
  unevaluatedItems: ofList((list, schema, matches) => {
    const others = schemaOf(schema, 'unevaluatedItems')
    return list.every(
      (item, at) =>
        others === undefined || isEvaluatedItem(schema, list, at, matches) || matches(others, item),
    )
  }),
}

/** Whether `properties` or `patternProperties` of a schema describe a property. */
function isNamed(schema: Schema, name: string): boolean {
  return (
    propertyOf(schema, name) !== undefined ||
    schemaMapOf(schema, 'patternProperties').some(([pattern]) => matchesPattern(pattern, name))
  )
}

/** The subschemas of a schema that apply to the same value and match it. */
function matchingBranches(schema: Schema, value: unknown, matches: Matches): readonly Schema[] {
  const alternatives = [...schemasOf(schema, 'anyOf'), ...schemasOf(schema, 'oneOf')]
  const condition = schemaOf(schema, 'if')
  const isTrue = condition !== undefined && matches(condition, value)
  const conditional = condition && schemaOf(schema, isTrue ? 'then' : 'else')
  const dependent = schemaMapOf(schema, 'dependentSchemas').filter(
    ([name]) => typeof value === 'object' && value !== null && Object.hasOwn(value, name),
  )
  return [
    ...schemasOf(schema, 'allOf'),
    ...alternatives.filter((branch) => matches(branch, value)),
    ...(condition && isTrue ? [condition] : []),
    ...listOf(conditional),
    ...dependent.map(([, branch]) => branch),
  ]
}

/** Whether a schema, or a branch of it that matches, evaluates a property (JSON Schema 2020-12, section 11.3). */
function isEvaluatedName(schema: Schema, object: object, name: string, matches: Matches): boolean {
  return (
    propertyOf(schema, name) !== undefined ||
    schema.additionalProperties !== undefined ||
    schemaMapOf(schema, 'patternProperties').some(([pattern]) => matchesPattern(pattern, name)) ||
    matchingBranches(schema, object, matches).some(
      (branch) =>
        branch.unevaluatedProperties !== undefined ||
        isEvaluatedName(branch, object, name, matches),
    )
  )
}

/** Whether a schema, or a branch of it that matches, evaluates an item (JSON Schema 2020-12, section 11.2). */
function isEvaluatedItem(
  schema: Schema,
  list: readonly unknown[],
  at: number,
  matches: Matches,
): boolean {
  const contains = schemaOf(schema, 'contains')
  return (
    at < schemasOf(schema, 'prefixItems').length ||
    schema.items !== undefined ||
    // Validators disagree on an empty `contains`.
    (contains !== undefined && Object.keys(contains).length > 0 && matches(contains, list[at])) ||
    matchingBranches(schema, list, matches).some(
      (branch) =>
        branch.unevaluatedItems !== undefined || isEvaluatedItem(branch, list, at, matches),
    )
  )
}

/** How many items of a list must match `contains`, and how many may. */
export function containsLimits(schema: Schema): readonly [min: number, max: number] {
  return [
    numberOf(schema, 'minContains') ?? 1,
    numberOf(schema, 'maxContains') ?? Number.POSITIVE_INFINITY,
  ]
}

/** Whether a value has a format. Unknown formats allow everything. */
export function hasFormat(value: unknown, format: string): boolean {
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (known === undefined || known === true) return true
  const isNumeric = isObject(known) && known.type === 'number'
  if (typeof value !== (isNumeric ? 'number' : 'string')) return true
  if (typeof value === 'string' && value.length > MAX_FORMAT_LENGTH) return true
  if (known instanceof RegExp) return known.test(String(value))
  const validate: unknown =
    typeof known === 'function' ? known : Reflect.get(Object(known), 'validate')
  if (validate instanceof RegExp) return validate.test(String(value))

  return typeof validate !== 'function' || Boolean(validate(value))
}

/** Longer texts are left to the validator. */
const MAX_FORMAT_LENGTH = 1000

const FORMATS: Readonly<Record<string, unknown>> = {
  ...fullFormats,
  int64: true,
  regex: true,
  url: URL_FORMAT,
}

/** Whether no two items are equal. */
function isDistinct(list: readonly unknown[]): boolean {
  return list.every((item, at) => list.findIndex((other) => areEqual(other, item)) === at)
}

/** The length of a text as JSON Schema counts it. */
export function codePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1
  return count
}

/** Whether a value has a type of JSON Schema. */
function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}

/** Whether a number is a multiple of a step. Decimal steps such as 0.01 have no exact binary fraction. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step
  if (Number.isInteger(quotient)) return true
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 && Math.abs(quotient) < 1e15
}

/** The number of digits after the decimal point. */
export function decimalsOf(value: number): number {
  const [, decimals = '', exponent = '0'] =
    /^-?\d*\.?(\d*)(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return Math.max(0, decimals.length - Number(exponent))
}

/** The least common multiple of two steps, which may be decimal; `undefined` when it is too large. */
export function commonMultiple(one: number, other: number): number | undefined {
  const scale = 10 ** Math.max(decimalsOf(one), decimalsOf(other))
  const [a, b] = [Math.round(one * scale), Math.round(other * scale)]
  const multiple = (a / greatestDivisor(a, b)) * b

  return Number.isSafeInteger(multiple) && multiple > 0 ? multiple / scale : undefined
}

function greatestDivisor(one: number, other: number): number {
  let [a, b] = [one, other]
  while (b > 0) [a, b] = [b, a % b]
  return a
}
