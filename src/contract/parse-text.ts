import { once } from '../validation/objects.ts'
import type { Schema } from './contract.ts'
import { isNumeric, listedValues, plainName, typesIn, withBranches } from './schema.ts'

/** Integers have one spelling: no plus sign, decimal point, exponent or leading zero. */
export const INTEGER_PATTERN: RegExp = /^-?(0|[1-9]\d*)$/

/** Decodes the percent-encoding of a path segment. Malformed encoding stays as it is. */
export function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Parses a text into a value of the schema's type. A text that is not such a value stays a string, which the validator rejects. */
export function parseText(text: string, schema: Schema): unknown {
  const types = namedTypes(schema)
  if (types.includes('integer') && INTEGER_PATTERN.test(text)) return parseExact(text)
  if (types.includes('number') && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return parseExact(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'

  return text
}

const namedTypes = once((schema: Schema) => withBranches(schema).flatMap(({ type }) => type))

/** An integer beyond 2^53 - 1 stays a string, so that no value is changed silently. */
export function parseExact(text: string): number | string {
  const value = Number(text)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
}

/** A value of a query as the property has it: numbers and booleans may be declared as texts, and listed values be spelt otherwise. */
export function typedValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((one) => typedValue(one, schema))
  const types = typesIn(schema)
  if (typeof value === 'number' && types.has('string') && !isNumeric(schema)) return String(value)
  if (typeof value !== 'string') return value
  const listed = listedValues(schema)
  if (listed.length > 0 && !listed.includes(value))
    return listed.find((one) => plainName(String(one)) === plainName(value)) ?? value
  if (types.has('string')) return value
  if (isNumeric(schema) && String(Number(value)) === value) return Number(value)
  if (types.has('boolean') && /^(true|false)$/.test(value)) return value === 'true'

  return value
}
