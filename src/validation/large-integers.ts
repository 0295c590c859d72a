import { isObject, setOwn } from './objects.ts'

// JavaScript holds integers exactly up to 2^53 - 1, and services up to 2^63 - 1. A larger integer of JSON is carried as a text: a
// mark and its digits. So it can be stored, copied and compared like any value, and responses show the digits that were sent.

/** What a carried integer begins with: half of a character, with which hardly a text that somebody writes begins. */
const MARK = '\uDFFF#'

/** The mark in JSON. */
const JSON_MARK = '\\udfff#'

/** An integer in JSON that may have more digits than JavaScript holds. */
const INTEGER = /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(\d+))?$/i

/** The limit of the integers of 64 bits, which services store: from -2^63 to 2^63 - 1 (the format `int64` of OpenAPI). */
const LIMIT = 2n ** 63n

/** An integer beyond 2^53 - 1, of 64 bits, as it is carried; `undefined` for the text of any other number. */
export function largeInteger(text: string): string | undefined {
  const near = Number(text)
  if (!Number.isInteger(near) || Number.isSafeInteger(near) || Math.abs(near) > Number(LIMIT))
    return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = INTEGER.exec(text) ?? []
  const zeros = Number(exponent) - fraction.length
  if (whole === '') return undefined
  const digits = whole + fraction
  const end = digits.length + Math.min(zeros, 0)
  if (!/^0*$/.test(digits.slice(end))) return undefined

  const exact = sign + digits.slice(0, end) + '0'.repeat(Math.max(zeros, 0))
  return BigInt(exact) < LIMIT && BigInt(exact) >= -LIMIT ? MARK + exact : undefined
}

/** Whether a value is a carried integer. */
export function isLargeInteger(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(MARK)
}

/** The digits of a carried integer; any other text as it is. */
export function digitsOf(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text
}

/** A copy of a value in which the nearest number that JavaScript holds is in the place of each carried integer. A value without any is returned. */
export function roundedValue(value: unknown): unknown {
  if (isLargeInteger(value)) return Number(digitsOf(value))
  if (Array.isArray(value)) {
    const items = value.map(roundedValue)
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isObject(value)) return value
  let isSame = true
  const copy = {}
  for (const name of Object.keys(value)) {
    const rounded = roundedValue(value[name])
    setOwn(copy, name, rounded)
    isSame &&= rounded === value[name]
  }
  return isSame ? value : copy
}

/** A written body in which carried integers are numbers. */
export function writeLargeIntegers(text: string): string {
  const isJson = text.includes(JSON_MARK)
  // A quote that is part of a text has a backslash before it, and the name of a property a colon behind it.
  if (isJson) return text.replace(/(?<!\\)"\\udfff#(-?\d+)"(?!:)/g, '$1')
  return text.includes(MARK) ? text.replaceAll(MARK, '') : text
}
