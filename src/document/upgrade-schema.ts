import { isObject } from '../validation/is-object.ts'
import { asArray, type JsonObject } from './json-value.ts'

/** Translates `nullable` and boolean exclusive limits of OpenAPI 3.0 into JSON Schema 2020-12. */
export function upgradeSchema(schema: JsonObject): JsonObject {
  const withMinimum = upgradeLimit(schema, 'exclusiveMinimum', 'minimum')
  return upgradeNullable(upgradeLimit(withMinimum, 'exclusiveMaximum', 'maximum'))
}

function upgradeLimit(schema: JsonObject, exclusive: string, inclusive: string): JsonObject {
  const { [exclusive]: flag, [inclusive]: limit, ...rest } = schema
  if (typeof flag !== 'boolean') return schema
  if (limit === undefined) return rest

  return { ...rest, [flag ? exclusive : inclusive]: limit }
}

/** Keywords that restrict a value beside `type` and `enum`, so that adding `null` to those two is not enough. */
const RESTRICTIONS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const']

function upgradeNullable(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema
  if (nullable === undefined || nullable === false) return rest
  const merged = mergeSingleAllOf(rest)
  if (merged) return upgradeNullable({ ...merged, nullable })
  if (RESTRICTIONS.some((keyword) => keyword in rest)) return { anyOf: [rest, { type: 'null' }] }

  return { ...rest, ...typeWithNull(rest.type), ...enumWithNull(rest.enum) }
}

/** OpenAPI 3.0 documents write `allOf` with one schema to put keywords next to a `$ref`. */
function mergeSingleAllOf({ allOf, ...siblings }: JsonObject): JsonObject | undefined {
  const [only, ...others] = asArray(allOf)
  if (!isObject(only) || others.length > 0) return undefined
  const isDisjoint = Object.keys(siblings).every((key) => !Object.hasOwn(only, key))

  return isDisjoint ? { ...only, ...siblings } : undefined
}

function typeWithNull(type: unknown): JsonObject {
  return type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }
}

function enumWithNull(values: unknown): JsonObject {
  return Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}
}
