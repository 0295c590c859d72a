import type { Schema } from '../../contract/contract.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  fullValues,
  type GivenValues,
  isNullable,
  isTextOfForm,
  NAME,
  optionalNames,
  recordSchema,
  valuesOf,
} from './full-body.ts'
import { isPastDate } from './sample-body.ts'
import { unguessableId, unguessableWord } from './unguessable.ts'
import { keyword, requiredOf, typeOf, withoutNull } from './values.ts'

/** Values of properties that may be null, and that {@link fullValues} leaves out, such as addresses and days. A reference is none: it has to exist. */
export function nullableValues(binding: ResourceBinding): GivenValues {
  const plain = fullValues(binding)
  const required = new Set(requiredOf(recordSchema(binding)))
  return valuesOf(
    binding,
    (property, name) => {
      if (name in plain || required.has(name) || !isNullable(property)) return undefined
      return valueOfFormat(property)
    },
    (_name, property) => isNullable(property),
  )
}

/** The day of the first date. */
const FIRST_DAY = Date.UTC(2025, 2, 14, 10, 20, 30)
const DAY = 24 * 3_600_000
/** In milliseconds: the time until the dates that are in the future. */
const AHEAD = 30 * DAY

/** Days, times and addresses; `time` is that of a day. */
function valueOfFormat(property: Schema, time: number = FIRST_DAY): unknown {
  const text = new Date(time).toISOString().replace('.000', '')
  switch (keyword(property, 'format')) {
    case 'date':
      return text.slice(0, 10)
    case 'date-time':
      return text
    case 'email':
      return `${unguessableWord()}@example.com`
    case 'uri':
      return `https://example.com/${unguessableWord()}`
    default:
      return undefined
  }
}

/** Values of properties that a record may lack and {@link fullValues} leaves out: days after each other, addresses, and texts of a form. */
export function formattedValues(binding: ResourceBinding): GivenValues {
  const optional = optionalNames(binding)
  const dates = valuesOf(
    binding,
    (property, name) => {
      if (!optional.has(name) || keyword(property, 'enum')) return undefined
      const place = [...optional].indexOf(name)
      const past = FIRST_DAY + place * DAY
      const isPast = isPastDate(name, property, new Date(past).toISOString(), Date.now())
      const midnight = Math.floor(Date.now() / DAY) * DAY
      return valueOfFormat(property, isPast ? midnight + AHEAD + place * DAY : past)
    },
    (_name, property) => valueOfFormat(property) !== undefined,
  )
  return { ...dates, ...formValues(binding) }
}

/** Texts of digits with a zero at the start, which programs take for numbers, also where the schema has a form that allows them. */
export function digitValues(binding: ResourceBinding): GivenValues {
  return valuesOf(
    binding,
    (property, name) => {
      if (typeOf(property) !== 'string' || keyword(property, 'enum')) return undefined
      const { minLength = 0, maxLength = DIGITS } = withoutNull(property)
      const length = Math.min(Math.max(minLength, DIGITS), maxLength)
      // A short name may be that of another record.
      if (NAME.test(name) && length < DIGITS) return undefined
      const random = Array.from({ length: 3 }, () => unguessableId({ type: 'integer' })).join('')
      return [
        `0${random.slice(0, length - 1)}`,
        ...FORMS.map((count) => `0${random.slice(0, count)}`),
      ]
        .filter((text) => text.length > 1)
        .find((text) => surelyMatches(property, text))
    },
    isTextOfForm,
  )
}

/** How long texts of digits are, and the lengths without the zero that are tried for a form, such as that of a post code. */
const DIGITS = 13
const FORMS = [3, 4, 5, 6, 7, 8, 9, 10, 11]

/** Texts of the form that a pattern or a name says, such as a phone number, for properties that a record may lack. */
function formValues(binding: ResourceBinding): GivenValues {
  const optional = optionalNames(binding)
  return valuesOf(
    binding,
    (property, name) => {
      if (!optional.has(name) || !isTextOfForm(name, property) || /ids?$/i.test(name))
        return undefined
      // A default is what a new record has without it.
      const { default: _, ...own } = withoutNull(property)
      // The name says the form where no pattern does.
      const schema = { type: 'object', properties: { [name]: own }, required: [name] } as const
      const { isValid, value } = generateValue({ schema, seed: unguessableWord(), now: 0 })
      const text = isValid && isObject(value) ? value[name] : undefined
      return typeof text === 'string' ? text : undefined
    },
    isTextOfForm,
  )
}
