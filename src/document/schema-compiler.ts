import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import formats from 'ajv-formats'
import type { Schema, SchemaValidator } from '../contract/contract.ts'
import { subschemasOf } from './subschemas.ts'
import { needsTimeLimit, timeLimitError, untimedLength, validateInTime } from './time-limit.ts'
import { createSchemaWriter, LINK } from './write-schema.ts'

/** The default time limit of a validation in milliseconds. Nearly all validations take a microsecond. */
const TIME_LIMIT = 1000

/** Compiles a schema into a validator. The work is done when the validator is called for the first time. */
export type CompileSchema = (schema: Schema) => SchemaValidator

/**
 * Creates a function that compiles schemas into validators. Schemas that `isShared` names get a validator of their own, which
 * the validators of other schemas call: so each is compiled once, and only when a value reaches it. A validation that takes
 * more than `timeLimit` milliseconds fails.
 */
export function createSchemaCompiler(
  timeLimit: number = TIME_LIMIT,
  isShared: (schema: Schema) => boolean = () => false,
): CompileSchema {
  const writer = createSchemaWriter(isShared)
  const functions = new Map<Schema, ValidateFunction>()
  const limits = new TimeLimits()
  const validators = new WeakMap<Schema, SchemaValidator>()

  function createInstance(options: Options): Ajv2020 {
    return createAjv(options).addKeyword({
      keyword: LINK,
      errors: 'full',
      compile: (id: number) => link(writer.schemaAt(id)),
    })
  }

  /** Calls the function of a shared schema, compiled at the first call. */
  function link(schema: Schema): DataValidateFunction {
    let compiled: ValidateFunction | undefined
    const validate: DataValidateFunction = (data, context) => {
      compiled ??= functionOf(schema)
      const isValid = compiled(data, context)
      if (compiled.errors) validate.errors = compiled.errors
      return isValid
    }
    return validate
  }

  const instances = new Map<boolean, Ajv2020>()

  function functionOf(schema: Schema): ValidateFunction {
    const known = functions.get(schema)
    if (known) return known
    const written = writer.write(schema)
    const ownProperties = hasInheritedName(JSON.stringify(written))
    const ajv = instances.get(ownProperties) ?? createInstance({ ownProperties })
    instances.set(ownProperties, ajv)
    const compiled = ajv.compile(written)
    functions.set(schema, compiled)

    return compiled
  }

  function createValidator(schema: Schema): SchemaValidator {
    let compiled: ValidateFunction | undefined
    const validate: SchemaValidator = (value) => {
      compiled ??= functionOf(schema)
      const maxUntimed = limits.untimedLengthOf(schema)
      const isValid = needsTimeLimit(value, maxUntimed)
        ? validateInTime(compiled, value, timeLimit)
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

/**
 * The length of strings up to which validation needs no time limit: the least of all schemas that any validator has reached.
 * Asking for each validator by itself would visit the same schemas again and again.
 */
class TimeLimits {
  readonly #visited = new Set<unknown>()
  #least = Number.POSITIVE_INFINITY

  untimedLengthOf(schema: Schema): number {
    const open: unknown[] = this.#visited.has(schema) ? [] : [schema]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (typeof one !== 'object' || one === null || this.#visited.has(one)) continue
      this.#visited.add(one)
      this.#least = Math.min(this.#least, untimedLength(one))
      open.push(...subschemasOf(one as Schema).map(([inner]) => inner))
    }
    return this.#least
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
