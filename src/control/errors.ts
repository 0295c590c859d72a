import type {
  Contract,
  Operation,
  Schema,
  SchemaValidator,
  ValidationError,
} from '../contract/contract.ts'
import { parsePointer, propertiesOf, schemaAt } from '../contract/schema.ts'
import { valueIn } from '../contract/templates.ts'
import { type Problem, problems } from '../http/problem.ts'
import {
  suggest,
  UsageError,
  type UsageErrorDetails,
  type UsageErrorItem,
  unknownName,
} from '../validation/usage-error.ts'

/** Runs `task`. A UsageError that it throws gets the field of the request as its location. */
export function withLocation<T>(field: string, task: () => T): T {
  try {
    return task()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError({ ...error, location: field, cause: error })
  }
}

/** The element with this name. Throws a 404 for an unknown name; `helpWithoutNames` says what to do when no name is known. */
export function findNamed<Element>(
  what: string,
  name: string,
  elements: readonly Element[],
  nameOf: (element: Element) => string,
  helpWithoutNames?: string,
): Element {
  const found = elements.find((element) => nameOf(element) === name)
  if (found !== undefined) return found
  throw unknownNameProblem(what, name, elements.map(nameOf), helpWithoutNames)
}

/** The 404 of an unknown name in a path. */
export function unknownNameProblem(
  what: string,
  name: string,
  known: readonly string[],
  helpWithoutNames?: string,
): Problem {
  const help = known.length === 0 ? helpWithoutNames : undefined
  return notFound(what, { ...unknownName(what, name, known), help })
}

/** Runs `task`. A UsageError that it throws becomes the 404 of an unknown name in a path. */
export function withUnknownName<T>(what: string, task: () => T): T {
  try {
    return task()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { reason, help, suggestion, allowed } = error
    throw notFound(what, { reason, help, suggestion, allowed })
  }
}

function notFound(what: string, why: UsageErrorItem & Pick<UsageErrorDetails, 'allowed'>): Problem {
  return problems.unknownName(
    new UsageError({ code: 'not_found', task: `find the ${what}`, ...why }),
  )
}

/** The messages for patterns of parameters, by parameter name. */
const PATTERN_MESSAGES: Readonly<Record<string, string>> = {
  status:
    'must be a status such as 404, a class such as 4xx, or 0 for exchanges without a response',
}

/** A contract whose validation errors suggest the nearest name or list the allowed names. */
export function withSuggestions(contract: Contract): Contract {
  return { ...contract, operations: contract.operations.map(withOperationSuggestions) }
}

function withOperationSuggestions({ body, parameters, ...operation }: Operation): Operation {
  return {
    ...operation,
    ...(body && { body: { ...body, validate: wrapValidator(body.validate, body.schema) } }),
    parameters: parameters.map(({ validate, ...parameter }) => ({
      ...parameter,
      validate: wrapValidator(validate, parameter.schema, PATTERN_MESSAGES[parameter.name]),
    })),
  }
}

function wrapValidator(
  original: SchemaValidator,
  schema: Schema,
  pattern?: string,
): SchemaValidator {
  const validate: SchemaValidator = (value) => {
    const isValid = original(value)
    validate.errors = (original.errors ?? []).map((error) =>
      withSuggestion(error, value, schema, pattern),
    )
    return isValid
  }
  return validate
}

/** An error with a clearer message. */
function withSuggestion(
  error: ValidationError,
  value: unknown,
  schema: Schema,
  pattern?: string,
): ValidationError {
  const { keyword, params, instancePath } = error
  const names = [
    ...propertiesOf(schemaAt(schema, instancePath.replace(/\/\d+/g, '/0')) ?? {}).keys(),
  ]
  // The message says it all: from the parameters, another one would be made.
  const withMessage = (message: string): ValidationError => ({ ...error, params: {}, message })
  if (keyword === 'additionalProperties') {
    const known = names.length > 0 ? suggest(String(params.additionalProperty), names) : {}
    return { ...error, params: { ...params, ...known } }
  }
  if (keyword === 'minProperties') return withMessage(`must have one of ${names.join(', ')}`)
  if (keyword === 'maxProperties') return withMessage(`must have only one of ${names.join(', ')}`)
  if (keyword === 'pattern' && pattern !== undefined) return withMessage(pattern)
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    const actual = valueIn(value, parsePointer(instancePath))
    if (typeof actual !== 'string') return error
    const { suggestion } = suggest(actual, params.allowedValues.map(String))
    // The message already lists the allowed values.
    return { ...error, params: { ...params, suggestion } }
  }
  return error
}
