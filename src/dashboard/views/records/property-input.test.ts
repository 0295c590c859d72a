import { expect, test } from 'vitest'
import type { Schema } from '../../../contract/contract.ts'
import { type InputKind, inputKindOf, readText, toText } from './property-input.ts'

test.each<[schema: Schema, value: unknown, kind: InputKind]>([
  [{ type: 'string' }, undefined, 'text'],
  [{ type: 'string', maxLength: 500 }, undefined, 'long-text'],
  [{ type: 'string' }, 'two\nlines', 'long-text'],
  [{ type: ['string', 'null'], format: 'date-time' }, undefined, 'date-time'],
  [{ type: 'string', format: 'date-time' }, 'tomorrow', 'text'],
  [{ type: 'string', format: 'date' }, '2026-01-02', 'date'],
  [{ type: 'integer' }, undefined, 'number'],
  [{ type: 'boolean' }, undefined, 'checkbox'],
  [{ type: 'string', enum: ['a', 'b'] }, undefined, 'choice'],
  [{ allOf: [{ enum: [1, 2] }, {}] }, undefined, 'choice'],
  [{ allOf: [{ type: 'string' }, { minLength: 1 }] }, undefined, 'text'],
  [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'a', 'json'],
  [{ properties: {} }, undefined, 'json'],
  [{ type: 'array' }, [1], 'json'],
  [{}, 'a', 'text'],
  [{}, 5, 'number'],
  [{}, undefined, 'json'],
])('the input for %j and the value %j is %s', (schema, value, kind) => {
  expect(inputKindOf(schema, value)).toBe(kind)
})

test.each<[text: string, schema: Schema, initial: unknown, value: unknown]>([
  ['5', { type: 'integer' }, undefined, 5],
  ['true', { type: 'boolean' }, undefined, true],
  ['2', { enum: [1, 2] }, undefined, 2],
  ['{"a":1}', { type: 'object' }, undefined, { a: 1 }],
  ['', { type: 'string' }, undefined, undefined],
  ['', { type: 'string' }, 'a', ''],
  ['', { type: ['string', 'null'] }, 'a', null],
  ['', { type: 'integer', nullable: true }, 1, null],
  ['', { type: 'integer' }, null, null],
  [' ', { type: 'string' }, undefined, ' '],
])('%j for %j, which was %j, is %j', (text, schema, initial, value) => {
  expect(readText(text, schema, initial)).toEqual({ value })
})

test.each<[text: string, schema: Schema, initial: unknown, error: string]>([
  ['five', { type: 'integer' }, undefined, 'five is not a number'],
  ['', { type: 'integer' }, 1, 'A value is needed here'],
  ['{', { type: 'object' }, undefined, 'Not valid JSON'],
])('%j for %j is a mistake', (text, schema, initial, error) => {
  expect(readText(text, schema, initial)).toMatchObject({ error: expect.stringContaining(error) })
})

test('a value that is left out, and null, are empty texts', () => {
  expect(toText(undefined, 'json')).toBe('')
  expect(toText(null, 'text')).toBe('')
  expect(toText(false, 'checkbox')).toBe('false')
})
