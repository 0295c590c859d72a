/** A JSON Schema (2020-12). Its `$ref`s are resolved, except where a schema contains itself. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  /** The value that the service sets when a client omits the property: `default` or `x-sandbox: { default: … }`. */
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly nullable?: boolean
  readonly [keyword: string]: unknown
}

/** A compiled schema: a function that returns whether a value is valid, and then has the `errors` of that value. */
export interface SchemaValidator {
  (value: unknown): boolean
  /** Validates a value in the time that is left for its request. Absent where no value takes long. */
  within?: (value: unknown, time: ValidationTime) => boolean
  /** The errors of the value that was validated last; `null` when it was valid. */
  errors?: readonly ValidationError[] | null
}

/** How many milliseconds the validations of one request took until now, as far as they may take long. They share one limit. */
export interface ValidationTime {
  used: number
}

/** Whether a value of a request is valid. `validate.errors` says why it is not, which may be that no time is left. */
export function isValidIn(
  time: ValidationTime,
  validate: SchemaValidator,
  value: unknown,
): boolean {
  return validate.within ? validate.within(value, time) : validate(value)
}

/** One reason why a value does not match its schema, in Ajv's terms. */
export interface ValidationError {
  /** A JSON Pointer into the validated value. */
  readonly instancePath: string
  /** The keyword of the schema that the value violates. */
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}
