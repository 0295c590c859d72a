import { expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { UsageError } from '../../validation/usage-error.ts'
import {
  allProperties,
  changesOf,
  fieldErrorsOf,
  type InputKind,
  inputKindOf,
  parentsOf,
  type RecordProperty,
  readForm,
  readRecordJson,
  readText,
  toText,
  toTexts,
} from './record-values.ts'

const PROPERTIES: readonly RecordProperty[] = [
  { name: 'name', schema: { type: 'string' }, required: true, readOnly: false },
  { name: 'size', schema: { type: 'integer' }, required: false, readOnly: false },
  { name: 'tags', schema: { type: 'array' }, required: false, readOnly: false },
]
const RECORD = { name: 'Ada', tags: ['a'], note: 'x' }

test('a form that was not changed is the same record', () => {
  const properties = allProperties(PROPERTIES, RECORD)

  const { values, errors } = readForm(properties, toTexts(properties, RECORD), RECORD)

  expect(values).toEqual(RECORD)
  expect(errors).toEqual({})
})

test('what was changed alone is sent', () => {
  const properties = allProperties(PROPERTIES, RECORD)
  const texts = { ...toTexts(properties, RECORD), size: '5' }

  const { values } = readForm(properties, texts, RECORD)

  expect(changesOf(values, RECORD)).toEqual({ size: 5 })
})

test('each text that is no value has its mistake', () => {
  const { errors } = readForm(PROPERTIES, { size: 'big', tags: '[' }, {})

  expect(Object.keys(errors)).toEqual(['size', 'tags'])
})

test('properties may have the names that every object has', () => {
  const names = ['constructor', 'toString', '__proto__']
  const properties = names.map((name) => ({
    ...{ name, schema: { type: 'integer' }, required: false, readOnly: false },
  }))
  const texts = Object.fromEntries(names.map((name) => [name, '1']))

  expect(Object.values(toTexts(properties, {}))).toEqual(['', '', ''])
  expect(Object.entries(readForm(properties, texts, {}).values)).toEqual(
    names.map((name) => [name, 1]),
  )
  expect(readForm(properties, {}, {}).errors).toEqual({})
  const wrong = { location: 'constructor', reason: 'it is wrong', help: '', message: '' }
  expect(Object.entries(fieldErrorsOf(wrong, names))).toEqual([['constructor', 'it is wrong.']])
})

test.each([
  ['[]', 'A record is an object'],
  ['{', 'Not valid JSON'],
  ['{"name":"Ada","tags":[]}', 'keeps properties that are left out: note'],
])('the JSON %s is a mistake', (text, error) => {
  expect(readRecordJson(text, RECORD).errors['']).toContain(error)
})

test.each([
  ['name', { name: 'must be a text.' }],
  ['tags[0]', { tags: 'tags[0]: must be a text.' }],
  ['names', { '': 'Cannot create: must be a text.' }],
])('a mistake at %s is shown where it is', (location, expected) => {
  const error = {
    location,
    reason: 'must be a text',
    help: '',
    message: 'Cannot create: must be a text.',
  }

  expect(fieldErrorsOf(error, ['name', 'tags'])).toEqual(expected)
})

test('each of several mistakes is at its field', () => {
  const errors = [
    { reason: 'it must not be empty', location: 'name' },
    { reason: 'it must be a text', location: 'tags[0]', help: 'Write a text.' },
    { reason: 'it is not known', location: 'colour' },
    { reason: 'owner.name must be a text', location: 'owner.name' },
  ]
  const error = new UsageError({ code: 'invalid_request', task: 'add it', reason: 'no', errors })

  expect(fieldErrorsOf(error, ['name', 'tags', 'owner'])).toEqual({
    name: 'it must not be empty.',
    owner: 'owner.name must be a text.',
    tags: 'tags[0]: it must be a text. Write a text.',
    '': 'colour: it is not known.',
  })
})

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

test.each([
  ['zoos', []],
  ['zoos/7/animals', [{ collection: 'zoos', id: '7' }]],
  [
    'zoos/7/animals/3/toys',
    [
      { collection: 'zoos', id: '7' },
      { collection: 'zoos/7/animals', id: '3' },
    ],
  ],
  ['shops/1/items', []],
])('the parents of %s are %j', (name, parents) => {
  const names = [
    'zoos',
    'zoos/{zoo}/animals',
    'zoos/{zoo}/animals/{animal}/toys',
    'shops/{shop}/items',
  ]

  expect(parentsOf(name, names)).toEqual(parents)
})
