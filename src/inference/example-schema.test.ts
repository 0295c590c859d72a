import { expect, test } from 'vitest'
import type { MediaType, Schema } from '../contract/contract.ts'
import { isFree, schemaOrExample } from './example-schema.ts'

const BOOK: Schema = { type: 'object', properties: { id: {} } }

function json(parts: Partial<MediaType>): MediaType {
  return { mediaType: 'application/json', ...parts }
}

test.each<Schema>([
  {},
  { type: 'object' },
  { type: 'array' },
  { type: 'array', items: { type: 'object' } },
])('the schema %j tells nothing about the content', (schema) => {
  expect(isFree(schema)).toBe(true)
})

test.each<Schema>([
  BOOK,
  { type: 'string' },
  { type: 'array', items: BOOK },
  { allOf: [BOOK] },
  { type: 'object', additionalProperties: { type: 'string' } },
])('the schema %j tells something about the content', (schema) => {
  expect(isFree(schema)).toBe(false)
})

test('a body is described by its schema, when that tells something', () => {
  expect(schemaOrExample(json({ schema: BOOK, examples: [{ value: { other: 1 } }] }))).toBe(BOOK)
})

test.each<[string, unknown, Schema]>([
  [
    'an object',
    { id: 7, title: 'Emma', pages: null },
    {
      type: 'object',
      properties: { id: { type: 'number' }, title: { type: 'string' }, pages: {} },
    },
  ],
  [
    'a list',
    [{ id: 'a' }],
    { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
  ],
  ['a text with JSON', '{"id":"a"}', { type: 'object', properties: { id: { type: 'string' } } }],
])('a free body is described by the example of the document: %s', (_case, value, schema) => {
  expect(schemaOrExample(json({ schema: {}, examples: [{ value }] }))).toEqual(schema)
})

test.each([
  ['no example', undefined],
  ['a text', 'Hello'],
  ['an empty list', []],
])('a free body with %s stays free', (_case, value) => {
  const examples = value === undefined ? [] : [{ value }]

  expect(schemaOrExample(json({ schema: {}, examples }))).toEqual({})
})

test('the description of an example is the same object each time', () => {
  const media = json({ examples: [{ value: { id: 1 } }] })

  expect(schemaOrExample(media)).toBe(schemaOrExample(media))
})
