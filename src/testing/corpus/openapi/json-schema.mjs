// Turns a schema of any version of OpenAPI into JSON Schema 2020-12. What is no keyword, or has a value that the keyword does not
// allow, is left out: a mistake of the document must not end the measurement.
import { resolved } from './references.mjs'

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']

const isNumber = (value) => typeof value === 'number'
const isCount = (value) => Number.isInteger(value) && value >= 0
const isBoolean = (value) => typeof value === 'boolean'
const isNames = (value) => Array.isArray(value) && value.every((name) => typeof name === 'string')

/** Keywords whose value stays as it is, with what the value must be. */
const PLAIN = {
  const: () => true,
  enum: (value) => Array.isArray(value) && value.length > 0,
  maximum: isNumber,
  minimum: isNumber,
  multipleOf: (value) => isNumber(value) && value > 0,
  maxLength: isCount,
  minLength: isCount,
  maxItems: isCount,
  minItems: isCount,
  maxContains: isCount,
  minContains: isCount,
  maxProperties: isCount,
  minProperties: isCount,
  uniqueItems: isBoolean,
  format: (value) => typeof value === 'string',
  pattern: isPattern,
  dependentRequired: isSchema,
}
const ONE = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
]
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const MAPS = ['properties', 'patternProperties', 'dependentSchemas']

/**
 * Converts one schema. `referTo` returns the `$ref` for a schema that is referred to. `hidden` is the keyword whose properties do
 * not appear in this direction: `readOnly` in requests, `writeOnly` in responses. They are never required.
 */
export function toJsonSchema(schema, context) {
  if (!isSchema(schema)) return schema !== false
  const { document, referTo } = context
  const isOld = !/^3\.[1-9]/.test(document.openapi ?? '')
  const reference = typeof schema.$ref === 'string' && { $ref: referTo(schema.$ref) }
  if (reference && isOld) return reference

  const convert = (value) => toJsonSchema(value, context)
  const converted = {
    ...reference,
    ...assertionsOf(schema),
    ...requiredOf(schema, context),
    ...Object.fromEntries(
      ONE.filter((name) => isSchema(schema[name]) || isBoolean(schema[name])).map((name) => [
        name,
        convert(schema[name]),
      ]),
    ),
    ...Object.fromEntries(
      LISTS.filter((name) => Array.isArray(schema[name]) && schema[name].length > 0).map((name) => [
        name,
        schema[name].map(convert),
      ]),
    ),
    ...Object.fromEntries(
      MAPS.filter((name) => isSchema(schema[name])).map((name) => [
        name,
        mapOf(schema[name], name, convert),
      ]),
    ),
    ...itemsOf(schema, convert),
  }
  return isOld ? nullable(schema, converted) : converted
}

function assertionsOf(schema) {
  const kept = Object.entries(PLAIN).filter(
    ([name, allows]) => schema[name] !== undefined && allows(schema[name]),
  )
  return {
    ...Object.fromEntries(kept.map(([name]) => [name, schema[name]])),
    ...typeOf(schema),
    ...boundsOf(schema, 'minimum', 'exclusiveMinimum'),
    ...boundsOf(schema, 'maximum', 'exclusiveMaximum'),
  }
}

function typeOf({ type }) {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => TYPES.includes(one))
  return types.length === 0 ? {} : { type: types.length === 1 ? types[0] : [...new Set(types)] }
}

/** A boolean says that the inclusive bound is exclusive; a number is a bound of its own. */
function boundsOf(schema, inclusive, exclusive) {
  const bound = schema[exclusive]
  if (bound === true && isNumber(schema[inclusive]))
    return { [exclusive]: schema[inclusive], [inclusive]: undefined }
  return isNumber(bound) ? { [exclusive]: bound } : {}
}

function requiredOf({ required, properties }, { document, hidden }) {
  if (!isNames(required)) return {}
  const isShown = (name) => resolved(document, properties?.[name])?.[hidden] !== true
  return { required: [...new Set(required.filter(isShown))] }
}

function mapOf(map, name, convert) {
  const entries = Object.entries(map).filter(
    ([key]) => name !== 'patternProperties' || isPattern(key),
  )
  // Object.fromEntries also defines a property called __proto__.
  return Object.fromEntries(entries.map(([key, value]) => [key, convert(value)]))
}

/** A list of schemas was the form of `prefixItems` before 2020-12. */
function itemsOf({ items, additionalItems }, convert) {
  if (Array.isArray(items)) {
    const rest = isBoolean(additionalItems) || isSchema(additionalItems)
    return { prefixItems: items.map(convert), ...(rest && { items: convert(additionalItems) }) }
  }
  return isSchema(items) || isBoolean(items) ? { items: convert(items) } : {}
}

function nullable(schema, converted) {
  if (schema.nullable !== true && schema['x-nullable'] !== true) return converted
  const withEnum = converted.enum ? { enum: [...new Set([...converted.enum, null])] } : {}
  if (converted.type) return { ...converted, ...withEnum, type: [converted.type, 'null'].flat() }
  return { anyOf: [converted, { type: 'null' }] }
}

function isPattern(value) {
  if (typeof value !== 'string') return false
  try {
    return Boolean(toRegExp(value, 'u'))
  } catch {
    return false
  }
}

/** A regular expression with the flag `u`, as JSON Schema recommends, or without it, as many documents need. */
export function toRegExp(pattern, flags) {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
// Ajv asks for the code of the function, for schemas that it writes into files.
toRegExp.code = 'new RegExp'

function isSchema(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
