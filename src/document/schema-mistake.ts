import { shortened } from '../validation/usage-error.ts'
import type { JsonObject } from './json-value.ts'

/** A mistake in a schema. Its place is found when it is printed, by its object. */
export interface SchemaMistake {
  /** The object of the document. */
  readonly object: JsonObject
  readonly keyword?: string
  readonly reason: string
  readonly assumed: string
  readonly help: string
}

/** The mistake of a keyword whose value means nothing. */
export function invalidKeyword(
  object: JsonObject,
  keyword: string,
  value: unknown,
  expected: string,
): SchemaMistake {
  return {
    object,
    keyword,
    reason: `"${keyword}" must be ${expected} (got ${shortened(JSON.stringify(value) ?? '')})`,
    assumed: 'the keyword is ignored',
    help: 'Correct the value.',
  }
}

/** The mistake of a schema whose validation would never end. */
export function loopMistake(object: JsonObject): SchemaMistake {
  return {
    object,
    reason: 'the schema applies itself to the same value, so validation never ends',
    assumed: 'it accepts anything there',
    help: 'Remove a $ref, or move it below "properties" or "items".',
  }
}
