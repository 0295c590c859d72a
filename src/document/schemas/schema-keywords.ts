import { isObject } from '../../validation/objects.ts'
import { isPattern } from './regular-expression.ts'

/** What the value of a keyword must be. */
interface Rule {
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

const number: Rule = { expected: 'a number', isValid: (value) => Number.isFinite(value) }
const count: Rule = {
  expected: 'an integer ≥ 0',
  isValid: (value) => Number.isInteger(value) && (value as number) >= 0,
}
const flag: Rule = { expected: 'true or false', isValid: (value) => typeof value === 'boolean' }
const text: Rule = { expected: 'a string', isValid: (value) => typeof value === 'string' }
const schema: Rule = { expected: 'a schema', isValid: isSchema }
/** Ajv writes all subschemas of a keyword into one function. The largest known schemas have some hundred. */
const MAX_SUBSCHEMAS = 5000

const schemas: Rule = {
  expected: `a list of 1 to ${MAX_SUBSCHEMAS} schemas`,
  isValid: (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_SUBSCHEMAS,
}
const schemaMap: Rule = {
  expected: `an object of at most ${MAX_SUBSCHEMAS} schemas`,
  isValid: (value) => isObject(value) && Object.keys(value).length <= MAX_SUBSCHEMAS,
}
const anything: Rule = { expected: 'any value', isValid: () => true }

const TYPES: ReadonlySet<unknown> = new Set([
  ...['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'],
])

/**
 * The keywords of a schema that the sandbox uses, and what their values must be (JSON Schema 2020-12). Other keywords are
 * annotations that it does not use, or extensions.
 */
export const KEYWORDS: ReadonlyMap<string, Rule> = new Map(
  Object.entries({
    type: {
      expected: `one of ${[...TYPES].join(', ')}, or a list of them`,
      isValid: (value) => {
        const types = [value].flat()
        return types.length > 0 && types.every((one) => TYPES.has(one))
      },
    },
    format: text,
    enum: {
      expected: 'a list with at least one value',
      isValid: (value) => Array.isArray(value) && value.length > 0,
    },
    const: anything,
    default: anything,
    multipleOf: {
      expected: 'a number > 0',
      isValid: (value) => Number.isFinite(value) && (value as number) > 0,
    },
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    minLength: count,
    maxLength: count,
    pattern: {
      expected: 'a regular expression',
      isValid: (value) => typeof value === 'string' && isPattern(value),
    },
    minItems: count,
    maxItems: count,
    uniqueItems: flag,
    minContains: count,
    maxContains: count,
    minProperties: count,
    maxProperties: count,
    required: {
      expected: 'a list of property names',
      isValid: Array.isArray,
    },
    dependentRequired: {
      expected: 'an object of lists of property names',
      isValid: (value) =>
        isObject(value) &&
        Object.values(value).every(
          (names) => Array.isArray(names) && names.every((one) => typeof one === 'string'),
        ),
    },
    properties: schemaMap,
    patternProperties: {
      expected: 'an object of schemas whose keys are regular expressions',
      isValid: (value) => schemaMap.isValid(value) && Object.keys(value as object).every(isPattern),
    },
    dependentSchemas: schemaMap,
    additionalProperties: schema,
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
    propertyNames: schema,
    items: schema,
    prefixItems: schemas,
    contains: schema,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: It is a keyword of JSON Schema.
    then: schema,
    else: schema,
    readOnly: flag,
    writeOnly: flag,
    discriminator: { expected: 'an object', isValid: isObject },
    contentEncoding: text,
    contentMediaType: text,
    xml: { expected: 'an object', isValid: isObject },
    example: anything,
    examples: anything,
  } satisfies Readonly<Record<string, Rule>>),
)

/** Whether a keyword is the extension that says how a value is generated. */
export function isHint(keyword: string): boolean {
  return keyword === 'x-faker'
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean'
}
