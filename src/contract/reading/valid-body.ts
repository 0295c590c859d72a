import { MAX_BODY_DEPTH } from '../../http/body-limits.ts'
import type { InputError } from '../../http/problem.ts'
import type { MediaType, Schema, SchemaValidator, ValidationTime } from '../contract.ts'
import { findInexactNumber } from '../inexact-number.ts'
import { type NormalizeOptions, normalize } from '../normalize.ts'
import { inexactError } from '../request-body.ts'
import { isValidIn } from '../schema.ts'
import { MAX_INPUT_ERRORS, toInputErrors } from '../validation-errors.ts'
import type { BodyMeanings } from './body-meanings.ts'
import type { ReadValue } from './parameter-value.ts'

/** The first meaning of a body that its schema allows, without unknown properties and with defaults, as the options say. */
export function validBody(
  { values, checked }: BodyMeanings,
  { schema, validate: validateIn, isSequence }: MediaType,
  options: NormalizeOptions & { readonly time?: ValidationTime },
): ReadValue {
  const validate = validateIn && withinTime(validateIn, options.time)
  let failed: ReadValue | undefined
  for (const value of values) {
    if (checked === 'any' || !schema || !validate) return checkedBytes(value, {})
    if (checked === 'bytes') return checkedBytes(value, schema)
    const read = isSequence
      ? validItems(value, schema, validate, options)
      : validValue(value, 'body', { schema, validate }, options)
    if (read.errors.length === 0) return read
    failed ??= read
  }
  return failed ?? { errors: [] }
}

/** A validator whose calls share the time of the request. */
function withinTime(
  validate: SchemaValidator,
  time: ValidationTime = { used: 0 },
): SchemaValidator {
  const timed: SchemaValidator = (value) => {
    const isValid = isValidIn(time, validate, value)
    timed.errors = validate.errors ?? null
    return isValid
  }
  return timed
}

function validItems(
  values: unknown,
  schema: Schema,
  validate: SchemaValidator,
  options: NormalizeOptions,
): ReadValue {
  const errors: InputError[] = []
  const value = [values].flat().map((item, index) => {
    const location = `body[${index}]`
    if (errors.length > MAX_INPUT_ERRORS) return normalize(schema, item, location, options)
    const read = validValue(item, location, { schema, validate }, options)
    errors.push(...read.errors)
    return read.value
  })
  return { value, errors }
}

interface Checked {
  readonly schema: Schema
  readonly validate: SchemaValidator
}

/**
 * The value with the defaults of its missing properties. A default that its own schema does not allow is left out, because it is a
 * mistake of the document and not of the client.
 */
function validValue(
  value: unknown,
  location: string,
  { schema, validate }: Checked,
  options: NormalizeOptions,
): ReadValue {
  const complete = normalize(schema, value, location, options)
  const inexact = findInexactNumber(complete)
  if (inexact) return { value: complete, errors: [inexactError(location, inexact)] }
  if (validate(complete)) return { value: complete, errors: [] }
  const errors = toInputErrors(location, validate.errors ?? [])
  // A validation that reached its time limit takes as long again.
  const isSlow = errors.some(({ keyword }) => keyword === 'time')
  if (!options.useDefaults || isSlow) return { value: complete, errors }

  // The removed properties were reported with the first call.
  const again = { ...options, ...(options.onRemove && { onRemove: () => undefined }) }
  const bare = normalize(schema, value, location, { ...again, useDefaults: false })
  const invalid = new Set(errors.flatMap((error) => placesAround(error.location)))
  const isMissing = !validate(bare)
  const useDefault = (place: string): boolean => !invalid.has(place)
  const corrected = normalize(schema, value, location, { ...again, useDefault })
  if (validate(corrected)) return { value: corrected, errors: [] }
  if (!isMissing) return { value: bare, errors: [] }
  validate(corrected)

  return { value: corrected, errors: toInputErrors(location, validate.errors ?? []) }
}

/** The location of a value, and those of all values that it is in. */
function placesAround(location: string): readonly string[] {
  const ends = [...location.matchAll(/[.[]/g)].slice(0, MAX_BODY_DEPTH).map(({ index }) => index)
  return [location, ...ends.map((end) => location.slice(0, end))]
}

/** Of bytes, only the length is checked. */
function checkedBytes(value: unknown, { minLength, maxLength }: Schema): ReadValue {
  const length = typeof value === 'string' ? value.length : 0
  const errors: InputError[] = []
  if (minLength !== undefined && length < minLength) {
    errors.push({
      location: 'body',
      keyword: 'minLength',
      message: `must have at least ${minLength} bytes`,
    })
  }
  if (maxLength !== undefined && length > maxLength) {
    errors.push({
      location: 'body',
      keyword: 'maxLength',
      message: `must have at most ${maxLength} bytes`,
    })
  }
  return { value, errors }
}
