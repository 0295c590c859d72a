import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { toInputErrors } from '../contract/validation-errors.ts'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import { findMistakes } from './find-mistakes.ts'

const compile = createSchemaCompiler()

test.each<[schema: Schema, value: unknown]>([
  [{ type: 'integer', minimum: 0 }, -5],
  [{ type: ['string', 'null'] }, 5],
  [{ maximum: 3 }, 4],
  [{ exclusiveMinimum: 3 }, 3],
  [{ multipleOf: 5 }, 3],
  [{ minLength: 1 }, ''],
  [{ maxLength: 1 }, 'ab'],
  [{ type: 'array', minItems: 1 }, []],
  [{ type: 'object', maxProperties: 0 }, { a: 1 }],
  [{ pattern: '^a+$' }, 'b'],
  [{ type: 'string', format: 'date-time' }, 'today'],
  [{ enum: ['open', null] }, 'ajar'],
  [{ const: { a: 1 } }, 2],
  [{ type: 'object', required: ['a', 'b'] }, { a: 1 }],
  [{ type: 'array', items: { type: 'string' } }, ['a', 1, 2]],
  [{ properties: { 'a/b': { properties: { c: { type: 'string' } } } } }, { 'a/b': { c: 1 } }],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 0],
])('describes the mistakes by %j in %j as the validator does', (schema, value) => {
  const validate = compile(schema)

  expect(validate(value)).toBe(false)
  expect(withoutKeywords(findMistakes(schema, value))).toEqual(
    withoutKeywords(validate.errors ?? []),
  )
})

test('describes what each branch of a choice lacks', () => {
  const schema = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }

  const messages = findMistakes(schema, [1]).map(({ instancePath, params }) => [
    instancePath,
    params.type,
  ])

  expect(messages).toEqual([
    ['', ['string']],
    ['/0', ['string']],
  ])
})

test('says in words that a list has an item twice', () => {
  const [mistake] = findMistakes({ type: 'array', uniqueItems: true }, ['a', 'b', 'a'])

  expect(mistake?.message).toBe('must NOT have duplicate items')
})

test('finds nothing in a value that matches', () => {
  expect(findMistakes({ type: 'integer', minimum: 0, format: 'int32' }, 5)).toEqual([])
})

function withoutKeywords(errors: Parameters<typeof toInputErrors>[1]): readonly object[] {
  return toInputErrors('body', errors).map(({ location, message }) => ({ location, message }))
}
