import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import type { Schema, SchemaValidator, ValidationTime } from '../../contract/contract.ts'
import { createAjv, hasInheritedName, linkKeyword } from './ajv.ts'
import { createGroupValidator } from './group-validator.ts'
import { subschemasOf } from './subschemas.ts'
import { isDeep, needsTimeLimit, runInTime, TimeLimits, timeLimitError } from './time-limit.ts'
import {
  createSchemaWriter,
  GROUP,
  type Group,
  LargeSchemas,
  type SchemaWriter,
} from './write-schema.ts'

/** The default time limit of the validations of a request in milliseconds. Nearly all validations take a microsecond. */
const TIME_LIMIT = 1000

/** How many schemas are compiled for one value. It takes a second or two. What is compiled is kept. */
const MAX_COMPILED = 5000

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
 * the functions of other schemas call: so each is compiled once, and only when a value reaches it. A validation fails that
 * takes more than `timeLimit` milliseconds, together with the others of its request, or that needs too many functions.
 */
export function createSchemaCompiler(
  timeLimit: number = TIME_LIMIT,
  isShared: (schema: Schema) => boolean = () => false,
): CompileSchema {
  const functions = new SchemaFunctions(isShared)
  const limits = new TimeLimits()
  const validators = new WeakMap<Schema, SchemaValidator>()

  function createValidator(schema: Schema): SchemaValidator {
    const within = (value: unknown, time: ValidationTime): boolean => {
      const { length, applied } = limits.of(schema)
      const isTimed = needsTimeLimit(value, length) || isDeep(value, applied)
      const result = functions.validate(schema, value, isTimed ? timeLimit - time.used : undefined)
      time.used += result.used
      validate.errors =
        result.isValid === undefined ? [timeLimitError(timeLimit)] : (result.errors ?? null)

      return result.isValid ?? false
    }
    const validate: SchemaValidator = (value) => within(value, { used: 0 })
    validate.within = within

    return validate
  }

  return (schema) => {
    const validator = validators.get(schema) ?? createValidator(schema)
    validators.set(schema, validator)
    return validator
  }
}

/** The result of a validation; neither valid nor invalid when it reached a limit. */
interface Validated {
  readonly isValid: boolean | undefined
  readonly errors: ValidateFunction['errors']
  /** How long it took, in milliseconds, where that is limited. */
  readonly used: number
}

/** Ends a validation that needs too many functions. */
class TooManySchemasError extends Error {
  override readonly name = 'TooManySchemas'
}

/** The functions that Ajv makes of schemas, each when it is first needed. */
class SchemaFunctions {
  readonly #writer: SchemaWriter
  readonly #large: LargeSchemas
  readonly #functions = new Map<Schema, ValidateFunction>()
  /** The schemas that a validation with a time limit needed and that are not compiled. */
  #missing: Set<Schema> | undefined
  /** How many schemas were compiled for the present value. */
  #compiled = 0
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

  /** Validates a value, at most for `limit` milliseconds. */
  validate(schema: Schema, value: unknown, limit: number | undefined): Validated {
    this.#compiled = 0
    try {
      const compiled = this.#get(schema)
      if (limit !== undefined) return this.#validateInTime(compiled, value, limit)
      const isValid = compiled(value)
      return { isValid, errors: compiled.errors, used: 0 }
    } catch (error) {
      // Ajv compiles inner schemas recursively.
      const isTooLarge = error instanceof TooManySchemasError || error instanceof RangeError
      if (!isTooLarge) throw error
      return { isValid: undefined, errors: null, used: 0 }
    }
  }

  #get(schema: Schema): ValidateFunction {
    const known = this.#functions.get(schema)
    if (known) return known
    this.#compiled += this.#large.split(schema)
    if (this.#compiled > MAX_COMPILED) throw new TooManySchemasError()
    const written = this.#writer.write(schema)
    const compiled = this.#instanceFor(JSON.stringify(written)).compile(written)
    this.#functions.set(schema, compiled)

    return compiled
  }

  /**
   * Validates a value within a time limit. The time for compiling does not count, because it cannot be interrupted: schemas that
   * are not compiled yet are taken as valid, and the validation is repeated with them.
   */
  #validateInTime(compiled: ValidateFunction, value: unknown, limit: number): Validated {
    let used = 0
    for (;;) {
      const missing = new Set<Schema>()
      this.#missing = missing
      const start = performance.now()
      const isValid = runInTime(() => compiled(value), limit - used)
      used += performance.now() - start
      this.#missing = undefined
      if (missing.size === 0 || isValid === undefined)
        return { isValid, errors: compiled.errors, used }
      for (const schema of missing) this.#get(schema)
    }
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
      ajv.addKeyword({
        keyword: GROUP,
        errors: 'full',
        compile: ({ id, keywords }: Group) =>
          createGroupValidator(this.#writer.schemaAt(id), keywords, {
            link: (schema) => this.#link(schema),
            isMissing: (schema) => this.#isMissing(schema),
          }),
      })
    }
    this.#instances.set(ownProperties, ajv)

    return ajv
  }

  #isMissing(schema: Schema): boolean {
    if (!this.#missing || this.#functions.has(schema)) return false
    this.#missing.add(schema)
    return true
  }

  /** Calls the function of a shared schema. */
  #link(schema: Schema): DataValidateFunction {
    const validate: DataValidateFunction = (data, context) => {
      if (this.#isMissing(schema)) return true
      const compiled = this.#get(schema)
      const isValid = compiled(data, context)
      if (compiled.errors) validate.errors = compiled.errors.slice(0, MAX_LINK_ERRORS)
      return isValid
    }
    return validate
  }
}
