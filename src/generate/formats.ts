import { fullFormats } from 'ajv-formats/dist/formats.js'
import { isObject } from '../validation/is-object.ts'

/** Whether a value has a format. Unknown formats allow everything. */
export function hasFormat(value: unknown, format: string): boolean {
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (known === undefined || known === true) return true
  const isNumeric = isObject(known) && known.type === 'number'
  if (typeof value !== (isNumeric ? 'number' : 'string')) return true
  if (typeof value === 'string' && value.length > MAX_FORMAT_LENGTH) return true
  if (known instanceof RegExp) return known.test(String(value))
  const validate: unknown =
    typeof known === 'function' ? known : Reflect.get(Object(known), 'validate')
  if (validate instanceof RegExp) return validate.test(String(value))

  return typeof validate !== 'function' || Boolean(validate(value))
}

/** Of the formats, "url" takes quadratic time. */
const MAX_FORMAT_LENGTH = 1000

const FORMATS: Readonly<Record<string, unknown>> = { ...fullFormats, int64: true, regex: true }
