import fc, { type Arbitrary } from 'fast-check'
import type { Schema } from './schema.ts'

const NUMBERS = [
  '0',
  '-0',
  '1',
  '7',
  '1.0',
  '1.5',
  '10e-1',
  '1E2',
  '1e400',
  '1e-400',
  '1.00000000000000000001',
  '0e999999999',
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '9007199254740993.0',
  '9223372036854775807',
  '123456789012345678901234567890',
]

const TEXTS = [
  '""',
  '"Fern"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '"\\u007f\\/\\b"',
  '"__proto__"',
  '"\u2028"',
  '"\ud83d\udc3e"',
  '"available"',
  '"Available"',
]

const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'id',
  '',
  'ID',
  '\u0000',
  'name ',
  'a.b',
]

/** Number literals. */
const numberText = fc.oneof(fc.constantFrom(...NUMBERS), fc.integer().map(String))

/** String literals. */
const stringText = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)),
)

/** The text of any JSON value. */
export const anyText: Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    numberText,
    stringText,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items}]`),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie('value')), {
        maxLength: 3,
      })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`)}}`),
  ),
})).value

/** The text of a JSON value that is valid by a schema. */
export function validText(schema: Schema): Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum.map((member) => JSON.stringify(member)))
  if (schema.type === 'integer') return fc.maxSafeInteger().map(String)
  if (schema.type === 'array') {
    const items = schema.items ? validText(schema.items) : anyText
    return fc.array(items, { maxLength: schema.maxItems ?? 5 }).map((list) => `[${list}]`)
  }
  if (schema.type === 'object') return objectText(schema, validText).map(textOf)
  const { minLength = 0, maxLength = 40 } = schema
  return fc
    .string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 40) })
    .map((text) => JSON.stringify(text))
}

type Members = [key: string, value: string][]

function objectText(
  schema: Schema,
  member: (schema: Schema) => Arbitrary<string>,
): Arbitrary<Members> {
  const members = Object.entries(schema.properties).map(([name, property]) => {
    const isRequired = schema.required.includes(name)
    const value = fc.tuple(fc.constant(JSON.stringify(name)), member(property))
    return fc.option(value, { nil: undefined, freq: isRequired ? 30 : 3 })
  })
  return fc.tuple(...members).map((list) => list.filter((one) => one !== undefined))
}

function textOf(members: Members): string {
  return `{${members.map(([key, value]) => `${key}:${value}`)}}`
}

/** The text of a value at the limits of a schema, just over them, or of another type. */
function edgeText(schema: Schema): Arbitrary<string> {
  const { maxLength, maxItems } = schema
  const edges = [anyText, validText(schema)]
  if (schema.type === 'integer') edges.push(numberText, numberText)
  if (maxLength !== undefined) {
    edges.push(fc.nat(2).map((more) => JSON.stringify('\ud83d\ude00'.repeat(maxLength - 1 + more))))
  }
  if (maxItems !== undefined) {
    edges.push(fc.nat(2).map((more) => `[${Array(maxItems - 1 + more).fill('"x"')}]`))
  }
  return fc.oneof(...edges)
}

/** The text of an object with invalid, unknown and repeated members. */
export function unusualObject(schema: Schema): Arbitrary<string> {
  const own = Object.keys(schema.properties)
  const key = fc.constantFrom(...KEYS, ...own).map((name) => JSON.stringify(name))
  const more = fc.array(fc.tuple(key, anyText), { maxLength: 2 })

  return fc
    .tuple(objectText(schema, edgeText), more, fc.boolean())
    .map(([members, added, isFirst]) =>
      textOf(isFirst ? [...added, ...members] : [...members, ...added]),
    )
}

/** A text with some characters removed or inserted, so that it may not be JSON. */
export function corrupted(text: Arbitrary<string>): Arbitrary<string> {
  const insertion = fc.oneof(
    fc.constantFrom(
      ',',
      '}',
      ']',
      '"',
      '\\',
      '\u0000',
      ' ',
      '\n',
      '\ufeff',
      '01',
      '//',
      "'",
      '\u00a0',
    ),
    fc.constant(''),
  )
  return fc
    .tuple(text, fc.nat(), fc.nat(2), insertion)
    .map(([whole, position, length, inserted]) => {
      const start = position % (whole.length + 1)
      return whole.slice(0, start) + inserted + whole.slice(start + length)
    })
}
