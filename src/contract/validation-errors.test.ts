import { describe, expect, it } from 'vitest'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import type { Schema, ValidationError } from './contract.ts'
import { describeErrors } from './validation-errors.ts'

/** The description of the errors of a value. */
function describedErrors(schema: Schema, value: unknown): string {
  const validate = createSchemaCompiler()(schema)
  validate(value)
  return describeErrors('body', validate.errors ?? [])
}

describe('the description of an error', () => {
  it.each<[schema: Schema, value: unknown, text: string]>([
    [{ required: ['name'] }, {}, 'body.name is required'],
    [{ type: 'integer' }, 'x', 'body must be integer'],
    [{ type: ['integer', 'null'] }, 'x', 'body must be integer or null'],
    [{ enum: ['a', 1, null] }, 'x', 'body must be one of a, 1, null'],
    [{ const: 'a' }, 'x', 'body must be "a"'],
    [{ properties: {}, additionalProperties: false }, { x: 1 }, 'body.x is not a known property'],
    [{ minimum: 1 }, 0, 'body must be >= 1'],
    [{ maximum: 100 }, 101, 'body must be <= 100'],
    [{ type: 'string', minLength: 1 }, '', 'body must have at least 1 character'],
    [{ type: 'string', format: 'date' }, 'x', 'body must match format "date"'],
    [{ properties: { a: { type: 'integer' } } }, { a: 'x' }, 'body.a must be integer'],
    [{ items: { required: ['b'] } }, [{ b: 1 }, {}], 'body[1].b is required'],
    [
      { properties: { 'a/b': { items: { properties: { '~c': { type: 'null' } } } } } },
      { 'a/b': [{ '~c': 1 }] },
      'body.a/b[0].~c must be null',
    ],
  ])('of the schema %j and the value %j is "%s"', (schema, value, text) => {
    expect(describedErrors(schema, value)).toBe(text)
  })

  it('that several branches report is listed once', () => {
    const schema: Schema = { allOf: [{ type: 'integer' }, { type: 'integer' }] }

    expect(describedErrors(schema, 'x')).toBe('body must be integer')
  })

  it('without a message is "is not valid"', () => {
    const error: ValidationError = { instancePath: '/a', keyword: 'odd', params: {} }

    expect(describeErrors('query', [error])).toBe('query.a is not valid')
  })
})

describe('the description of many errors', () => {
  it.each([
    [
      5,
      'body.p0 is required; body.p1 is required; body.p2 is required; body.p3 is required; body.p4 is required',
    ],
    [
      8,
      'body.p0 is required; body.p1 is required; body.p2 is required; body.p3 is required; body.p4 is required; and 3 more',
    ],
  ])('lists at most five of %i', (count, text) => {
    const required = Array.from({ length: count }, (_, index) => `p${index}`)

    expect(describedErrors({ required }, {})).toBe(text)
  })
})
