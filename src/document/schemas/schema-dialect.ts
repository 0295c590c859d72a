import { isObject } from '../../validation/objects.ts'
import { asArray, asObject, type JsonObject } from '../json-value.ts'
import type { Direction } from './direction.ts'

/**
 * Translates the keywords of other dialects into JSON Schema 2020-12, without looking at subschemas: `nullable` stays, because it
 * depends on them. The dialects are that of OpenAPI 3.0, draft-04 (boolean exclusive limits) and draft-07 (`items` as a list,
 * `dependencies`). Their words do not mean anything else in 2020-12, so documents may mix them.
 */
export function toCurrentDialect(schema: JsonObject): JsonObject {
  const current = renameTuple(
    renameLimit(renameLimit(schema, 'exclusiveMinimum', 'minimum'), 'exclusiveMaximum', 'maximum'),
  )
  return withHints(renameDependencies(current))
}

/**
 * A schema whose `x-sandbox: { default: … }` is its `default`. The document needs both: client generators read `default` as
 * "this value is always present", in requests too. The contract needs only one.
 */
function withHints(schema: JsonObject): JsonObject {
  const { 'x-sandbox': hints, ...rest } = schema
  if (!isObject(hints)) return rest

  return Object.hasOwn(hints, 'default') ? { ...rest, default: hints.default } : rest
}

function renameLimit(schema: JsonObject, exclusive: string, inclusive: string): JsonObject {
  if (typeof schema[exclusive] !== 'boolean') return schema
  const { [exclusive]: flag, [inclusive]: limit, ...rest } = schema
  if (limit === undefined) return rest

  return { ...rest, [flag ? exclusive : inclusive]: limit }
}

function renameTuple(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema
  if (!Array.isArray(items)) return schema
  if (isChoice(schema)) return { ...rest, anyOf: items }

  return {
    ...rest,
    ...(items.length > 0 && { prefixItems: items }),
    ...(additionalItems !== undefined && { items: additionalItems }),
  }
}

/**
 * Whether a list in `items` has the schemas of which a value must match one. In a schema that is not an array, this is what its authors mean,
 * if one of them is that of an object or of `null`.
 */
export function isChoice({ type, items, anyOf }: JsonObject): boolean {
  if (!Array.isArray(items) || anyOf !== undefined) return false
  const isArray = type !== undefined && type !== 'object'

  return !isArray && items.length > 1 && items.map(asObject).some(isObjectOrNull)
}

function isObjectOrNull({ type, $ref }: JsonObject): boolean {
  return $ref !== undefined || type === 'object' || type === 'null'
}

function renameDependencies(schema: JsonObject): JsonObject {
  if (!isObject(schema.dependencies)) return schema
  const { dependencies, ...rest } = schema
  const entries = Object.entries(asObject(dependencies))
  const names = entries.filter(([, value]) => Array.isArray(value))
  const schemas = entries.filter(([, value]) => !Array.isArray(value))

  return {
    ...rest,
    ...(names.length > 0 && { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  }
}

/**
 * Whether a value of `nullable` adds `null`. Only OpenAPI 3.0 has this keyword. Authors of later versions mean the same, so requests with
 * `null` are accepted, but responses have none, because validators ignore the keyword.
 */
export function addsNull(nullable: unknown, direction: Direction, isVersion30: boolean): boolean {
  return nullable === true && (isVersion30 || direction === 'request')
}

/** Adds `null` to the values of a schema with `nullable: true` (OpenAPI 3.0). */
export function withNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  if (RESTRICTIONS.some((keyword) => keyword in schema)) {
    return { anyOf: [schema, { type: 'null' }] }
  }
  return {
    ...schema,
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(values !== undefined && { enum: [...new Set([...asArray(values), null])] }),
  }
}

/** Keywords that restrict a value beside `type` and `enum`, so that adding `null` to those two is not enough. */
const RESTRICTIONS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'const']
