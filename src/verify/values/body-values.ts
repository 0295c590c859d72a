import type { RequestBody, Schema } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { isRow, type Row } from '../row.ts'
import { EDGES } from './parameter-values.ts'
import { keyword, requiredOf, typeOf } from './sample.ts'

/** A body that is sent on purpose. */
export interface Variant {
  /** What is special about it, as `a missing name`. */
  readonly what: string
  readonly text: string
}

/** Bodies that a contract refuses, made from one that it takes, in the order in which they tell most. */
export function invalidBodies({ schema, validate }: RequestBody, valid: Row): Variant[] {
  const required = requiredOf(schema)
  const missing = required.map((name) => ({
    what: `a missing ${name}`,
    value: without(valid, name),
  }))
  const properties = [...propertiesOf(schema)]
  const wrong = properties.flatMap(([name, property]) =>
    wrongValues(property).map((value) => ({
      what: `${name}=${shown(value)}`,
      value: { ...valid, [name]: value },
    })),
  )
  const refused = [...missing, ...wrong, { what: 'an array', value: [valid] }]
    .filter(({ value }) => !validate(value))
    .map(({ what, value }) => ({ what, text: JSON.stringify(value) }))
  const [long] = properties.filter(([, property]) => property.format === 'int64')
  const beyond = long
    ? [{ what: `${long[0]} beyond int64`, text: withDigits(valid, long[0], EDGES.beyond) }]
    : []

  return [
    ...refused,
    ...beyond,
    { what: 'no body', text: '' },
    { what: 'half a JSON text', text: JSON.stringify(valid).slice(0, -1) },
  ]
}

/** A property's value that a contract takes, and that is at an end of what is allowed. */
export interface Edge {
  /** As `status="sold"`. */
  readonly what: string
  readonly name: string
  readonly value: unknown
}

/** Values that a contract takes in place of those of a body that it takes. */
export function edgesOf({ schema, validate }: RequestBody, valid: Row): Edge[] {
  return [...propertiesOf(schema)].flatMap(([name, property]) =>
    rightValues(property)
      .filter((value) => validate({ ...valid, [name]: value }))
      .map((value) => ({ what: `${name}=${shown(value)}`, name, value })),
  )
}

/** Bodies with an integer at the edges of what is exact: taken as it is, or refused, but never altered. */
export function exactBodies(
  { schema }: RequestBody,
  valid: Row,
): (Variant & { readonly digits: string })[] {
  const [long] = [...propertiesOf(schema)].filter(
    ([, { format, writeOnly }]) => format === 'int64' && !writeOnly,
  )
  if (!long) return []
  return [EDGES.int64, EDGES.exact].map((digits) => ({
    what: `${long[0]}=${digits}`,
    text: withDigits(valid, long[0], digits),
    digits,
  }))
}

function wrongValues(schema: Schema): unknown[] {
  const type = typeOf(schema)
  const wrongType = type === 'string' ? 12 : 'abc'
  const minimum = keyword(schema, 'minimum')
  const maximum = keyword(schema, 'maximum')

  return [
    ...(keyword(schema, 'enum') ? ['no-such-value'] : []),
    ...(type === undefined ? [] : [wrongType]),
    ...(type === 'integer' ? [1.5] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(schema.minLength ? ['x'.repeat(schema.minLength - 1)] : []),
    ...(schema.maxLength !== undefined && schema.maxLength < 10_000
      ? ['x'.repeat(schema.maxLength + 1)]
      : []),
    ...(type === undefined ? [] : [null]),
  ]
}

function rightValues(schema: Schema): unknown[] {
  const { minLength, maxLength } = schema
  return [
    ...(keyword(schema, 'enum') ?? []),
    ...[keyword(schema, 'minimum'), keyword(schema, 'maximum')].filter((end) => end !== undefined),
    ...(minLength ? ['x'.repeat(minLength)] : []),
    ...(maxLength !== undefined && maxLength < 10_000 ? ['x'.repeat(maxLength)] : []),
  ]
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.length - 2} letters` : text
}

function without(value: Row, name: string): Row {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}

/** JSON text with a number that JavaScript would round. */
function withDigits(value: Row, name: string, digits: string): string {
  const mark = '\u0001digits'
  return JSON.stringify({ ...value, [name]: mark }).replace(JSON.stringify(mark), digits)
}

/** Whether every value sent is in the record, as it was sent. */
export function holds(record: unknown, sent: unknown): boolean {
  if (isRow(sent)) {
    return (
      isRow(record) && Object.entries(sent).every(([name, value]) => holds(record[name], value))
    )
  }
  return JSON.stringify(record) === JSON.stringify(sent)
}
