import type { InputError } from '../../http/problem.ts'
import type { Parameter } from '../contract.ts'
import { INTEGER_PATTERN } from '../parse-text.ts'
import { EXACT_RANGE } from '../request-body.ts'
import { toInputErrors } from '../validation-errors.ts'

/** The errors of a parameter. An integer that is still a string is one that JavaScript cannot represent exactly. */
export function errorsOf(
  { schema, validate }: Pick<Parameter, 'schema' | 'validate'>,
  location: string,
  value: unknown,
): readonly InputError[] {
  const isInteger = typeof value === 'string' && INTEGER_PATTERN.test(value)
  return isInteger && [schema.type].flat().includes('integer')
    ? [{ location, message: `must be an integer ${EXACT_RANGE}` }]
    : toInputErrors(location, validate.errors ?? [])
}
