import { expect, test } from 'vitest'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import { nearestErrors } from './branch-errors.ts'
import type { Schema } from './schema.ts'
import { describeErrors } from './validation-errors.ts'

const TEXT = { type: 'string' }
const card = {
  type: 'object',
  required: ['type', 'number', 'exp'],
  properties: { type: { enum: ['card'] }, number: TEXT, exp: TEXT },
}
const bank = {
  type: 'object',
  required: ['type', 'iban'],
  properties: { type: { const: 'bank' }, iban: TEXT },
}
const method: Schema = { properties: { method: { oneOf: [card, bank] } } }
const shape: Schema = { anyOf: [{ ...card, required: ['number', 'exp'] }, { type: 'integer' }] }
const nested: Schema = { items: { oneOf: [{ type: 'object', ...method }, { type: 'null' }] } }

test.each<[schema: Schema, value: unknown, text: string]>([
  [
    method,
    { method: { type: 'card', iban: 'x' } },
    'body.method.number is required; body.method.exp is required',
  ],
  [method, { method: { type: 'bank', number: 'x', exp: 'x' } }, 'body.method.iban is required'],
  [
    method,
    { method: { iban: 7 } },
    'body.method.type is required; body.method.iban must be string',
  ],
  [method, { method: { type: 'cash' } }, 'body.method.type must be one of card, bank'],
  [shape, { number: 'x' }, 'body.exp is required'],
  [shape, 'x', 'body must be object'],
  [nested, [{ method: { type: 'bank' } }], 'body[0].method.iban is required'],
  [
    { allOf: [method, { required: ['amount'] }] },
    { method: { type: 'bank' } },
    'body.method.iban is required; body.amount is required',
  ],
  [{ oneOf: [{ not: {} }, { not: {} }] }, 1, 'body must NOT be valid'],
])(
  'of the alternatives in %j, the value %j has the errors of the nearest',
  (schema, value, text) => {
    const validate = createSchemaCompiler()(schema)
    validate(value)

    const errors = nearestErrors(validate.errors ?? [], schema, value)

    expect(describeErrors('body', errors)).toBe(text)
  },
)

test('a value that matches several alternatives has their error', () => {
  const schema: Schema = { oneOf: [{ type: 'string' }, { minLength: 1 }] }
  const validate = createSchemaCompiler()(schema)
  validate('x')

  expect(nearestErrors(validate.errors ?? [], schema, 'x')).toEqual(validate.errors)
})
