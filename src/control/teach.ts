import type {
  Contract,
  Operation,
  Schema,
  SchemaValidator,
  ValidationError,
} from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { suggest } from '../validation/usage-error.ts'

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
    ...(body && { body: { ...body, validate: teach(body.validate, body.schema) } }),
    parameters: parameters.map(({ validate, ...parameter }) => ({
      ...parameter,
      validate: teach(validate, parameter.schema, PATTERNS[parameter.name]),
    })),
  }
}

function teach(given: SchemaValidator, schema: Schema, pattern?: string): SchemaValidator {
  const validate: SchemaValidator = (value) => {
    const isFine = given(value)
    validate.errors = (given.errors ?? []).map((error) => better(error, value, schema, pattern))
    return isFine
  }
  return validate
}

/** An error in better words. The bodies of this interface are flat: an error is of the whole body, or of one property. */
function better(
  error: ValidationError,
  value: unknown,
  schema: Schema,
  pattern?: string,
): ValidationError {
  const { keyword, params, instancePath } = error
  const names = [...propertiesOf(schema).keys()]
  const told = (message: string, place = instancePath): ValidationError => ({
    ...error,
    keyword: 'told',
    instancePath: place,
    message,
  })
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const place = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return told(`is not a known property${names.length > 0 ? hint(name, names) : ''}`, place)
  }
  if (keyword === 'minProperties') return told(`must have one of ${names.join(', ')}`)
  if (keyword === 'maxProperties') return told(`must have only one of ${names.join(', ')}`)
  if (keyword === 'pattern' && pattern !== undefined) return told(pattern)
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    const words = params.allowedValues.map(String)
    const word: unknown = Reflect.get(Object(value), instancePath.slice(1))
    return told(`must be one of ${words.join(', ')}${near(word, words)}`)
  }
  return error
}

/** A suggestion in brackets, so that other faults can follow. */
function hint(word: string, known: readonly string[]): string {
  const [first = '', ...rest] = suggest(word, known).replace(/\.$/, '')
  return ` (${first.toLowerCase()}${rest.join('')})`
}

/** The nearest word, or nothing where none is near: all of them have just been listed. */
function near(word: unknown, known: readonly string[]): string {
  const told = typeof word === 'string' ? hint(word, known) : ''
  return told.startsWith(' (did') ? told : ''
}
