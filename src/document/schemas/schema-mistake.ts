import { shortened } from '../../validation/usage-error.ts'
import type { JsonObject } from '../json-value.ts'
import { isPattern } from './ajv.ts'

/** A mistake in a schema. Its place is found when it is printed, by its object. */
export interface SchemaMistake {
  /** The object of the document. */
  readonly object: JsonObject
  readonly keyword?: string
  /** A key of the keyword's value. The key is wrong. */
  readonly name?: string
  readonly reason: string
  readonly assumed: string
  readonly help: string
  /** Present when the schema contains itself in a way that never ends. */
  readonly isLoop?: true
}

/** The mistake of a keyword whose value means nothing. */
export function invalidKeyword(
  object: JsonObject,
  keyword: string,
  value: unknown,
  expected: string,
): SchemaMistake {
  if (keyword === 'pattern' && typeof value === 'string' && !isPattern(value)) {
    return { object, keyword, ...notAPattern(value), assumed: 'the keyword is ignored' }
  }
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
        isLoop: true,
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

/** The mistake of a schema that forbids a property by `additionalProperties: false`, and requires it in another part. */
export function forbiddenProperty(object: JsonObject, name: string): SchemaMistake {
  return {
    object,
    reason: `"additionalProperties: false" forbids the property "${name}", which another part of the schema requires, so that no value is valid`,
    assumed: 'requests may have the properties of all parts, and lists in responses stay empty',
    help: 'Use "unevaluatedProperties: false" (OpenAPI 3.1), or leave it out.',
  }
}

/** The mistake of a key of `patternProperties` that is no regular expression. */
export function invalidPattern(object: JsonObject, name: string): SchemaMistake {
  return {
    object,
    keyword: 'patternProperties',
    name,
    ...notAPattern(name),
    assumed: 'this key is ignored',
  }
}

function notAPattern(text: string): Pick<SchemaMistake, 'reason' | 'help'> {
  return {
    reason: `"${text}" is not a valid regular expression`,
    help: 'Correct the pattern, or escape special characters with a backslash.',
  }
}
