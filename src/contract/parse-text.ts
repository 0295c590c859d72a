import type { Schema } from './contract.ts'
import { branchesOf } from './normalize.ts'

/** Integers have one spelling: no plus sign, point, exponent or leading zero. */
export const INTEGER_PATTERN: RegExp = /^-?(0|[1-9]\d*)$/

/** Part of a path without its percent-encoding; left as it is where that is malformed. */
export function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A text as a value of the schema's type; left as it is when it is none, for the check to refuse. */
export function parseText(text: string, schema: Schema): unknown {
  const types = withBranches(schema).flatMap(({ type }) => type)
  if (types.includes('integer') && INTEGER_PATTERN.test(text)) return exact(text)
  if (types.includes('number') && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return exact(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'

  return text
}

/** A schema and all of its branches: many a document says `anyOf: [{ type: integer }, { type: 'null' }]`. */
export function withBranches(schema: Schema): readonly Schema[] {
  return [schema, ...branchesOf(schema).flatMap(withBranches)]
}

/** An integer beyond 2^53 - 1 stays text, for the check to refuse: no value is altered silently. */
function exact(text: string): number | string {
  const value = Number(text)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
}
