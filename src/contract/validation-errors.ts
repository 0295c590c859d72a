import { describeInputErrors, type InputError } from '../http/problem.ts'
import type { ValidationError } from './contract.ts'
import { parsePointer } from './schema.ts'

/** Describes the errors of a validator, such as `body.author.born must be integer; body.title is required`. */
export function describeErrors(location: string, errors: readonly ValidationError[]): string {
  return describeInputErrors(toInputErrors(location, errors))
}

/** How many errors are described, and how many characters their locations have: each may contain a name of a megabyte. */
export const MAX_INPUT_ERRORS = 10_000
const MAX_LOCATION_CHARACTERS = 1_000_000

/**
 * The first errors of a validator as errors of the value at `root`, such as `body`. Without a root, locations are relative to the
 * value.
 */
export function toInputErrors(
  root: string,
  errors: readonly ValidationError[],
): readonly InputError[] {
  let characters = 0
  const end = errors.findIndex(({ instancePath }, index) => {
    characters += instancePath.length
    return index === MAX_INPUT_ERRORS || (index > 0 && characters > MAX_LOCATION_CHARACTERS)
  })
  return errors.slice(0, end === -1 ? undefined : end).map((error) => toInputError(root, error))
}

function toInputError(root: string, error: ValidationError): InputError {
  const { instancePath, keyword, params, message } = error
  const inputError = (path: string, clause: string): InputError => ({
    location: root === '' && path.startsWith('.') ? path.slice(1) : root + path,
    keyword,
    message: clause,
    ...suggestionIn(params),
  })
  const path = toPropertyAccess(instancePath)
  switch (keyword) {
    case 'required':
      return inputError(`${path}.${params.missingProperty}`, 'is required')
    case 'additionalProperties':
      return inputError(`${path}.${params.additionalProperty}`, 'is not a known property')
    case 'enum':
      return inputError(path, `must be one of ${list(params.allowedValues)}`)
    case 'const':
      return inputError(path, `must be ${JSON.stringify(params.allowedValue)}`)
    case 'type':
      return inputError(path, `must be ${list(params.type, ' or ')}`)
    default:
      return inputError(path, sizeClause(keyword, params.limit) ?? message ?? 'is not valid')
  }
}

/** What a keyword for a size demands, such as `must have at least 1 character`; `undefined` for any other keyword. */
export function sizeClause(keyword: string, limit: unknown): string | undefined {
  const [, bound, size = ''] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? []
  if (bound === undefined || typeof limit !== 'number') return undefined
  const [one, many] = COUNTED[size] ?? []

  return `must have at ${bound === 'min' ? 'least' : 'most'} ${limit} ${limit === 1 ? one : many}`
}

const COUNTED: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Length: ['character', 'characters'],
  Items: ['item', 'items'],
  Properties: ['property', 'properties'],
}

/** A suggestion that whoever wraps a validator has added to the parameters of an error. */
function suggestionIn({
  suggestion,
  allowed,
}: ValidationError['params']): Pick<InputError, 'suggestion' | 'allowed'> {
  return {
    ...(typeof suggestion === 'string' && { suggestion }),
    ...(Array.isArray(allowed) && { allowed: allowed.map(String) }),
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
