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

/** The mistake of a schema whose validation would never end (`loop`), or would take too long (`size`). */
export function cutMistake(object: JsonObject, cause: 'loop' | 'size'): SchemaMistake {
  const assumed = 'it accepts anything there'
  return cause === 'loop'
    ? {
        object,
        reason: 'the schema applies itself to the same value, so validation never ends',
        assumed,
        help: 'Remove a $ref, or move it below "properties" or "items".',
      }
    : {
        object,
        reason: 'the schema applies too many schemas to the same value',
        assumed,
        help: 'Use fewer schemas in "allOf", "anyOf" and "oneOf".',
      }
}
