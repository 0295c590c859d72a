import type { ValidationError } from './contract.ts'

/** The number of errors that one message lists. */
const MAX_LISTED = 5

/** Describes the errors of a validator, such as `body.author.born must be integer; body.title is required`. */
export function describeErrors(location: string, errors: readonly ValidationError[]): string {
  const descriptions = [...new Set(errors.map((error) => describe(location, error)))]
  const listed = descriptions.slice(0, MAX_LISTED).join('; ')
  const rest = descriptions.length - MAX_LISTED

  return rest > 0 ? `${listed}; and ${rest} more` : listed
}

function describe(root: string, error: ValidationError): string {
  const { instancePath, keyword, params, message } = error
  const location = root + toPropertyAccess(instancePath)
  switch (keyword) {
    case 'required':
      return `${location}.${params.missingProperty} is required`
    case 'additionalProperties':
      return `${location}.${params.additionalProperty} is not a known property`
    case 'enum':
      return `${location} must be one of ${list(params.allowedValues)}`
    case 'const':
      return `${location} must be ${JSON.stringify(params.allowedValue)}`
    case 'type':
      return `${location} must be ${list(params.type, ' or ')}`
    default:
      return `${location} ${message ?? 'is not valid'}`
  }
}

/** A JSON Pointer as property access: `/tags/0` becomes `.tags[0]`. */
function toPropertyAccess(pointer: string): string {
  return parsePointer(pointer)
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('')
}

function list(values: unknown, separator = ', '): string {
  const texts = [values]
    .flat()
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return texts.join(separator)
}

/** The names of the properties that lead to the invalid value, without list positions. */
export function propertyPathOf(error: ValidationError | undefined): readonly string[] {
  const names = parsePointer(error?.instancePath ?? '')
  const missing = error?.params.missingProperty
  const path = typeof missing === 'string' ? [...names, missing] : names

  return path.filter((name) => !/^\d+$/.test(name))
}

function parsePointer(pointer: string): readonly string[] {
  const keys = pointer.split('/').slice(1)
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
