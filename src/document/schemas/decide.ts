import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'

/** How many values and schemas are compared until nothing more is decided. */
const MAX_STEPS = 500_000

/** Decides whether a value matches a schema; `undefined` when only the compiled schema can tell. */
export type Decide = (schema: Schema, value: unknown) => boolean | undefined

/**
 * Creates a function that decides by the plain keywords of a schema, without compiling it. So one of thousands of alternatives is
 * found in time that is linear in their number, and only those that fit need a function.
 */
export function createDecide(): Decide {
  let left = MAX_STEPS

  const decide: Decide = (schema, value) => {
    let isDecided = true
    for (const keyword of Object.keys(schema)) {
      left -= 1
      if (left < 0) return undefined
      const isMet = PLAIN.get(keyword)
      if (!isMet) {
        isDecided &&= !OTHERS.has(keyword)
        continue
      }
      const result = isMet(value, schema, decide)
      if (result === false) return false
      isDecided &&= result === true
    }
    return isDecided ? true : undefined
  }
  return decide
}

type Check = (value: unknown, schema: Schema, decide: Decide) => boolean | undefined

/** Keywords that only the compiled schema checks. Any other keyword restricts nothing. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['multipleOf', 'pattern', 'format', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  ...['prefixItems', 'patternProperties', 'propertyNames', 'dependentRequired', 'dependencies'],
  ...['dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems', 'not', 'if', 'nullable'],
  ...['$ref', '$dynamicRef', '$id', '$anchor', '$dynamicAnchor'],
])

const PLAIN: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['type', (value, { type }) => [type].flat().some((one) => isOfType(value, one))],
  ['const', (value, schema) => isOneOf(value, [schema.const])],
  ['enum', (value, schema) => isOneOf(value, schema.enum ?? [])],
  ['minimum', numeric('minimum', (value, limit) => value >= limit)],
  ['maximum', numeric('maximum', (value, limit) => value <= limit)],
  ['exclusiveMinimum', numeric('exclusiveMinimum', (value, limit) => value > limit)],
  ['exclusiveMaximum', numeric('exclusiveMaximum', (value, limit) => value < limit)],
  ['minLength', sized('minLength', textSize, (size, limit) => size >= limit)],
  ['maxLength', sized('maxLength', textSize, (size, limit) => size <= limit)],
  ['minItems', sized('minItems', listSize, (size, limit) => size >= limit)],
  ['maxItems', sized('maxItems', listSize, (size, limit) => size <= limit)],
  ['minProperties', sized('minProperties', objectSize, (size, limit) => size >= limit)],
  ['maxProperties', sized('maxProperties', objectSize, (size, limit) => size <= limit)],
  ['required', hasRequired],
  ['properties', matchesProperties],
  ['additionalProperties', matchesOthers],
  ['items', matchesItems],
  ['allOf', (value, { allOf = [] }, decide) => every(allOf, (one) => decide(one, value))],
  ['anyOf', (value, { anyOf = [] }, decide) => matchesOne(anyOf, value, decide)],
  ['oneOf', (value, { oneOf = [] }, decide) => matchesOne(oneOf, value, decide, 1)],
])

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

function isOneOf(value: unknown, members: readonly unknown[]): boolean | undefined {
  if (members.includes(value)) return true
  const isCompared = typeof value === 'object' && value !== null
  return isCompared && members.some((one) => typeof one === 'object') ? undefined : false
}

/** A check of a number by the number that the keyword holds. Other values match. */
function numeric(keyword: string, isMet: (value: number, limit: number) => boolean): Check {
  return (value, schema) => {
    const limit = schema[keyword]
    return typeof value !== 'number' || typeof limit !== 'number' || isMet(value, limit)
  }
}

/** A check of a size by the number that the keyword holds. Values without that size match. */
function sized(
  keyword: string,
  sizeOf: (value: unknown) => number | undefined,
  isMet: (size: number, limit: number) => boolean,
): Check {
  return (value, schema) => {
    const limit = schema[keyword]
    const size = sizeOf(value)
    return size === undefined || typeof limit !== 'number' || isMet(size, limit)
  }
}

function textSize(value: unknown): number | undefined {
  return typeof value === 'string' ? [...value].length : undefined
}

function listSize(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function objectSize(value: unknown): number | undefined {
  return isObject(value) ? Object.keys(value).length : undefined
}

function hasRequired(value: unknown, { required = [] }: Schema): boolean {
  return (
    !isObject(value) ||
    required.every((name) => Object.hasOwn(value, name) && value[name] !== undefined)
  )
}

function matchesProperties(
  value: unknown,
  { properties = {} }: Schema,
  decide: Decide,
): boolean | undefined {
  if (!isObject(value)) return true
  return every(Object.keys(value), (name) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    return inner === undefined || value[name] === undefined || decide(inner, value[name])
  })
}

function matchesOthers(
  value: unknown,
  { properties = {}, patternProperties, additionalProperties: others }: Schema,
  decide: Decide,
): boolean | undefined {
  if (!isObject(value) || others === true) return true
  if (patternProperties !== undefined) return undefined
  const names = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  if (!isObject(others)) return names.length === 0

  return every(names, (name) => decide(others, value[name]))
}

function matchesItems(
  value: unknown,
  { items, prefixItems }: Schema,
  decide: Decide,
): boolean | undefined {
  if (!Array.isArray(value)) return true
  if (!isObject(items) || prefixItems !== undefined) return undefined

  return every(value, (item) => decide(items, item))
}

/** Whether a value matches one of the branches, or no more of them than `max`. */
function matchesOne(
  branches: readonly Schema[],
  value: unknown,
  decide: Decide,
  max = Number.POSITIVE_INFINITY,
): boolean | undefined {
  let matching = 0
  let isDecided = true
  for (const branch of branches) {
    const isMatch = decide(branch, value)
    if (isMatch) matching += 1
    if (isMatch === undefined) isDecided = false
    if (matching > max) return false
  }
  if (max > branches.length && matching > 0) return true
  return isDecided ? matching > 0 : undefined
}

/** Whether something holds for all of a list; `undefined` when that is not known of some, and none is known to fail. */
function every<Item>(
  list: readonly Item[],
  holds: (item: Item) => boolean | undefined,
): boolean | undefined {
  let isDecided = true
  for (const item of list) {
    const result = holds(item)
    if (result === false) return false
    isDecided &&= result === true
  }
  return isDecided ? true : undefined
}
