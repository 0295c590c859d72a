import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Schema, SchemaValidator } from '../contract/contract.ts'
import { needsTimeLimit, timeLimitError, untimedLength, validateInTime } from './time-limit.ts'

/** The default time limit of a validation in milliseconds. Nearly all validations take a microsecond. */
const DEFAULT_TIME_LIMIT = 1000

/**
 * Creates a function that compiles schemas into validators. All validators share one Ajv, except those of schemas that mention
 * inherited property names. A validation that takes more than `timeLimit` milliseconds fails.
 */
export function createSchemaCompiler(
  timeLimit: number = DEFAULT_TIME_LIMIT,
): (schema: Schema) => SchemaValidator {
  const ajv = createAjv()
  let ownPropertiesAjv: Ajv2020 | undefined

  return (schema) => {
    if (!hasInheritedName(JSON.stringify(schema))) return createValidator(schema, ajv, timeLimit)
    ownPropertiesAjv ??= createAjv({ ownProperties: true })
    return createValidator(schema, ownPropertiesAjv, timeLimit)
  }
}

const INHERITED_NAME = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})"`)

/**
 * Whether a schema, as JSON, may have a property with a name that every object inherits, such as "constructor". Ajv's option
 * `ownProperties` handles these names, but makes validation two and a half times as slow.
 */
export function hasInheritedName(schema: string): boolean {
  return INHERITED_NAME.test(schema)
}

/** A validator that compiles its schema at the first call, so that large documents start as fast as small ones. */
function createValidator(schema: Schema, ajv: Ajv2020, timeLimit: number): SchemaValidator {
  let compiled: ValidateFunction | undefined
  let maxUntimed = Number.POSITIVE_INFINITY
  const validate: SchemaValidator = (value) => {
    if (!compiled) {
      compiled = ajv.compile(schema)
      maxUntimed = untimedLength(schema)
    }
    const isValid = needsTimeLimit(value, maxUntimed)
      ? validateInTime(compiled, value, timeLimit)
      : compiled(value)
    validate.errors =
      isValid === undefined ? [timeLimitError(timeLimit)] : (compiled.errors ?? null)

    return isValid ?? false
  }

  return validate
}

/** Ajv as contracts use it: it reports every error, and ignores unknown keywords and formats. */
export function createAjv({ code, ...options }: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    // 8.2 is a multiple of 0.01, but not as binary fractions.
    multipleOfPrecision: 9,
    allErrors: true,
    strict: false,
    logger: false,
    // Loading the document has validated the schemas already.
    validateSchema: false,
    code: { regExp: toRegExp, ...code },
    ...options,
  })
  formats.default(ajv)
  // The parser checks exactness: it sees the digits, which a number has lost.
  ajv.addFormat('int64', true)
  ajv.addFormat('regex', true)

  return ajv
}

/** Whether a string is a regular expression in JavaScript, with or without the `u` flag. */
export function isPattern(text: string): boolean {
  try {
    toRegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

/** JSON Schema requires the `u` flag. Many real patterns, such as `[\w-.]`, are invalid with it. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
// Ajv writes this into standalone code.
toRegExp.code = 'new RegExp'
