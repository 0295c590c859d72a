import type {
  Contract,
  Operation,
  Schema,
  SchemaValidator,
  ValidationError,
} from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { suggest } from '../validation/suggestion.ts'

/** What a parameter's pattern means, for people. */
const PATTERNS: Readonly<Record<string, string>> = {
  status: 'must be a status as 404, or a class of them as 4xx; 0 where there was no answer',
}

/** A contract whose checks also say what would be right: the nearest name, or the names there are. */
export function withSuggestions(contract: Contract): Contract {
  return { ...contract, operations: contract.operations.map(taught) }
}

function taught({ body, parameters, ...operation }: Operation): Operation {
  return {
    ...operation,
    ...(body && { body: { ...body, validate: wrapValidator(body.validate, body.schema) } }),
    parameters: parameters.map(({ validate, ...parameter }) => ({
      ...parameter,
      validate: wrapValidator(validate, parameter.schema, PATTERNS[parameter.name]),
    })),
  }
}

function wrapValidator(given: SchemaValidator, schema: Schema, pattern?: string): SchemaValidator {
  const validate: SchemaValidator = (value) => {
    const isFine = given(value)
    validate.errors = (given.errors ?? []).map((error) =>
      withSuggestion(error, value, schema, pattern),
    )
    return isFine
  }
  return validate
}

/** An error in better words. The bodies of this interface are flat: an error is of the whole body, or of one property. */
function withSuggestion(
  error: ValidationError,
  value: unknown,
  schema: Schema,
  pattern?: string,
): ValidationError {
  const { keyword, params, instancePath } = error
  const names = [...propertiesOf(schema).keys()]
  const told = (message: string): ValidationError => ({ ...error, message })
  if (keyword === 'additionalProperties') {
    const known = names.length > 0 ? suggest(String(params.additionalProperty), names) : {}
    return { ...error, params: { ...params, ...known } }
  }
  if (keyword === 'minProperties') return told(`must have one of ${names.join(', ')}`)
  if (keyword === 'maxProperties') return told(`must have only one of ${names.join(', ')}`)
  if (keyword === 'pattern' && pattern !== undefined) return told(pattern)
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    const word: unknown = Reflect.get(Object(value), instancePath.slice(1))
    if (typeof word !== 'string') return error
    const { suggestion } = suggest(word, params.allowedValues.map(String))
    // The message lists the known values already.
    return { ...error, params: { ...params, suggestion } }
  }
  return error
}
