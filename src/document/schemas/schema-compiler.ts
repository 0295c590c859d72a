import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import formats from 'ajv-formats'
import type { Schema, SchemaValidator } from '../../contract/contract.ts'
import { LargeSchemas } from './large-schemas.ts'
import { subschemasOf } from './subschemas.ts'
import { isDeep, needsTimeLimit, timeLimitError, validateInTime } from './time-limit.ts'
import { TimeLimits } from './time-limits.ts'
import { createSchemaWriter, linkKeyword, type SchemaWriter } from './write-schema.ts'

/** The default time limit of a validation in milliseconds. Nearly all validations take a microsecond. */
const TIME_LIMIT = 1000

/**
 * How many errors a shared schema reports. Each level of a nested value would multiply the errors of the level below by the number of
 * alternatives, until they fill the memory.
 */
const MAX_LINK_ERRORS = 20

/** Ajv's optimizer takes three quarters of the time of a large schema, and most functions are called too seldom to gain from it. */
const QUICKLY = { code: { optimize: false } } as const

/** Compiles a schema into a validator. The work is done when the validator is called for the first time. */
export type CompileSchema = (schema: Schema) => SchemaValidator

/**
 * Creates a function that compiles schemas into validators. Schemas that `isShared` names get a function of their own, which
 * the functions of other schemas call: so each is compiled once, and only when a value reaches it. A validation that takes
 * more than `timeLimit` milliseconds fails.
 */
export function createSchemaCompiler(
  timeLimit: number = TIME_LIMIT,
  isShared: (schema: Schema) => boolean = () => false,
): CompileSchema {
  const functions = new SchemaFunctions(isShared)
  const limits = new TimeLimits()
  const validators = new WeakMap<Schema, SchemaValidator>()

  function createValidator(schema: Schema): SchemaValidator {
    const validate: SchemaValidator = (value) => {
      const compiled = functions.get(schema)
      const { length, applied } = limits.of(schema)
      const isValid =
        needsTimeLimit(value, length) || isDeep(value, applied)
          ? functions.validateInTime(compiled, value, timeLimit)
          : compiled(value)
      validate.errors =
        isValid === undefined ? [timeLimitError(timeLimit)] : (compiled.errors ?? null)

      return isValid ?? false
    }
    return validate
  }

  return (schema) => {
    const validator = validators.get(schema) ?? createValidator(schema)
    validators.set(schema, validator)
    return validator
  }
}

/** The functions that Ajv makes of schemas, each when it is first needed. */
class SchemaFunctions {
  readonly #writer: SchemaWriter
  readonly #large: LargeSchemas
  readonly #functions = new Map<Schema, ValidateFunction>()
  /** The schemas that a validation with a time limit needed and that are not compiled. */
  #missing: Set<Schema> | undefined
  /** One instance for schemas with inherited names, and one for all others. */
  readonly #instances = new Map<boolean, Ajv2020>()

  constructor(isShared: (schema: Schema) => boolean) {
    // A validator of its own costs more than the few checks of a schema without subschemas.
    this.#large = new LargeSchemas(isShared)
    this.#writer = createSchemaWriter(
      (schema) =>
        (isShared(schema) || this.#large.isPart(schema)) && subschemasOf(schema).length > 0,
    )
  }

  get(schema: Schema): ValidateFunction {
    const known = this.#functions.get(schema)
    if (known) return known
    this.#large.split(schema)
    const written = this.#writer.write(schema)
    const compiled = this.#instanceFor(JSON.stringify(written)).compile(written)
    this.#functions.set(schema, compiled)

    return compiled
  }

  /**
   * Validates a value; `undefined` when the time limit is reached. The time for compiling does not count: schemas that are not
   * compiled yet are taken as valid, and the validation is repeated with them.
   */
  validateInTime(
    compiled: ValidateFunction,
    value: unknown,
    timeLimit: number,
  ): boolean | undefined {
    const missing = new Set<Schema>()
    let isValid: boolean | undefined
    this.#missing = missing
    try {
      isValid = validateInTime(compiled, value, timeLimit)
    } finally {
      this.#missing = undefined
    }
    if (missing.size === 0 || isValid === undefined) return isValid
    for (const schema of missing) this.get(schema)

    return this.validateInTime(compiled, value, timeLimit)
  }

  #instanceFor(written: string): Ajv2020 {
    const ownProperties = hasInheritedName(written)
    const ajv = this.#instances.get(ownProperties) ?? createAjv({ ownProperties, ...QUICKLY })
    if (!this.#instances.has(ownProperties)) {
      ajv.addKeyword(
        linkKeyword((id, gen) =>
          gen.scopeValue('keyword', { ref: this.#link(this.#writer.schemaAt(id)) }),
        ),
      )
    }
    this.#instances.set(ownProperties, ajv)

    return ajv
  }

  /** Calls the function of a shared schema. */
  #link(schema: Schema): DataValidateFunction {
    const validate: DataValidateFunction = (data, context) => {
      if (this.#missing && !this.#functions.has(schema)) {
        this.#missing.add(schema)
        return true
      }
      const compiled = this.get(schema)
      const isValid = compiled(data, context)
      if (compiled.errors) validate.errors = compiled.errors.slice(0, MAX_LINK_ERRORS)
      return isValid
    }
    return validate
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

/** Ajv as contracts use it: it reports every error, and ignores unknown keywords and formats. */
export function createAjv({ code, ...options }: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    // 8.2 is a multiple of 0.01, but not as binary fractions.
    multipleOfPrecision: 9,
    allErrors: true,
    strict: false,
    logger: false,
    // Loading the document has checked the keywords already.
    validateSchema: false,
    code: { regExp: toRegExp, ...code },
    ...options,
  })
  formats.default(ajv)
  // The parser checks exactness: it sees the digits, which a number has lost.
  ajv.addFormat('int64', true)
  ajv.addFormat('regex', true)
  // Many services take base64 without its padding, and the alphabet for URLs.
  ajv.addFormat('byte', /^[\w+/-]*={0,2}$/)

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
