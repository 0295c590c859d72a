import type { MediaType, Schema } from '../../contract/contract.ts'
import { isJson } from '../../contract/is-json.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { isObject } from '../../validation/objects.ts'
import { requiredOf, typeOf } from './schema-keywords.ts'

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

/** The number of properties that are tried. */
const MAX_TRIED = 100

/** In a form, every value is a text, so that only some types can be broken. */
function brokenObjects(
  schema: Schema,
  valid: Readonly<Record<string, unknown>>,
  isTyped: boolean,
): unknown[] {
  const properties = propertiesOf(schema)
  const missing = requiredOf(schema)
    .slice(0, MAX_TRIED)
    // The server may set the default.
    .filter((name) => name in valid && properties.get(name)?.default === undefined)
    .map((name) => Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name)))
  const wrong = [...properties]
    .slice(0, MAX_TRIED)
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
