import { expect, test } from 'vitest'
import { nestedSchema, nestedValue } from './bracket-names.ts'

const TEXT = { type: 'string' } as const

test('properties with brackets are in objects', () => {
  const schema = nestedSchema({
    type: 'object',
    required: ['book[title]', 'book[author][name]', 'notify'],
    properties: { 'book[title]': TEXT, 'book[author][name]': TEXT, 'tags[]': TEXT, notify: TEXT },
  })

  expect(schema).toEqual({
    type: 'object',
    required: ['book', 'notify'],
    properties: {
      book: {
        type: 'object',
        properties: { title: TEXT, author: { type: 'object', properties: { name: TEXT } } },
      },
      tags: TEXT,
      notify: TEXT,
    },
  })
})

test('a schema without brackets stays the same', () => {
  const schema = { type: 'object', properties: { title: TEXT } }

  expect(nestedSchema(schema)).toBe(schema)
})

test('values with brackets in their names are in objects', () => {
  const sent = {
    'book[title]': 'Emma',
    'book[author][name]': 'Jane',
    'tags[]': ['a'],
    notify: true,
  }

  expect(nestedValue(sent)).toEqual({
    book: { title: 'Emma', author: { name: 'Jane' } },
    tags: ['a'],
    notify: true,
  })
})
