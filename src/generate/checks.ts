import type { Schema } from '../contract/contract.ts'
import { isObject } from '../validation/is-object.ts'
import { containsLimits, isEvaluatedItem, isEvaluatedName } from './evaluated.ts'
import { hasFormat } from './formats.ts'
import { areEqual, codePoints, isDistinct, isOfType } from './json-values.ts'
import {
  numberOf,
  propertyOf,
  schemaMapOf,
  schemaOf,
  schemasOf,
  textOf,
  textsOf,
  typesOf,
} from './keywords.ts'
import { isMultiple } from './numbers.ts'
import { matchesPattern } from './pattern.ts'

/** Whether a value matches a schema. */
export type Matches = (schema: Schema, value: unknown) => boolean
type Check = (value: unknown, schema: Schema, matches: Matches) => boolean

/** A check of a number by the number that the keyword holds. Other values match. */
function numeric(keyword: string, isMet: (value: number, limit: number) => boolean): Check {
  return (value, schema) => {
    const limit = numberOf(schema, keyword)
    return typeof value !== 'number' || limit === undefined || isMet(value, limit)
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
  type: (value, schema) => typesOf(schema)?.some((type) => isOfType(value, type)) ?? true,
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
  properties: ofObject((object, schema, matches) =>
    schemaMapOf(schema, 'properties').every(
      ([name, inner]) => !Object.hasOwn(object, name) || matches(inner, object[name]),
    ),
  ),
  patternProperties: ofObject((object, schema, matches) =>
    schemaMapOf(schema, 'patternProperties').every(([pattern, inner]) =>
      Object.entries(object).every(
        ([name, value]) => !matchesPattern(pattern, name) || matches(inner, value),
      ),
    ),
  ),
  additionalProperties: ofObject((object, schema, matches) => {
    const others = schemaOf(schema, 'additionalProperties')
    return Object.entries(object).every(
      ([name, value]) => isNamed(schema, name) || others === undefined || matches(others, value),
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
