import type { ValidationError } from './contract.ts'

/** How many faults one message lists. */
const MOST = 5

/** What a check found wrong, as `body.author.born must be integer; body.title is required`. */
export function describeErrors(place: string, errors: readonly ValidationError[]): string {
  const faults = new Set(errors.map((error) => describe(place, error)))
  const told = [...faults].slice(0, MOST)
  const left = faults.size - told.length

  return told.join('; ') + (left > 0 ? `; and ${left} more` : '')
}

function describe(
  root: string,
  { instancePath, keyword, params, message }: ValidationError,
): string {
  const place = root + toPath(instancePath)
  switch (keyword) {
    case 'required':
      return `${place}.${params.missingProperty} is required`
    case 'additionalProperties':
      return `${place}.${params.additionalProperty} is not a known property`
    case 'enum':
      return `${place} must be one of ${list(params.allowedValues)}`
    case 'const':
      return `${place} must be ${JSON.stringify(params.allowedValue)}`
    case 'type':
      return `${place} must be ${list(params.type, ' or ')}`
    default:
      return `${place} ${message ?? 'is not valid'}`
  }
}

/** A JSON pointer as property access: `/tags/0` as `.tags[0]`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')
}

function list(values: unknown, separator = ', '): string {
  const texts = [values]
    .flat()
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return texts.join(separator)
}

/** The names that lead to a fault; positions in lists are left out. */
export function propertyPathOf(fault: ValidationError | undefined): readonly string[] {
  const steps = (fault?.instancePath ?? '').split('/').slice(1)
  const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const missing = fault?.params.missingProperty
  const path = typeof missing === 'string' ? [...names, missing] : names

  return path.filter((name) => !/^\d+$/.test(name))
}
