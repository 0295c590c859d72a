import { once } from '../validation/objects.ts'
import type { Schema } from './contract.ts'
import { withBranches } from './schema.ts'

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
