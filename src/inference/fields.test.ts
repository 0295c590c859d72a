import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferExpand, inferFields } from './fields.ts'
import { queryParametersOf } from './paging.ts'

const TEXT: Schema = { type: 'string' }
const BOOK = objectOf({ id: TEXT, title: TEXT, author: objectOf(['id', 'name']) })

function fieldsOf(name: string, schema: Schema = TEXT, description = ''): string | undefined {
  const operation = operationOn('GET /books', { query: { [name]: schema }, shown: listOf(BOOK) })
  const parameters = queryParametersOf(operation)
  return inferFields({ parameters, path: '/books', describe: () => description }, BOOK)
}

test.each(['fields', 'fields[]', '$select', 'opt_fields', 'only', 'returnFields', 'field_mask'])(
  '%s names the properties that a response shows',
  (name) => {
    expect(fieldsOf(name)).toBe(name)
  },
)

test('include names properties where its description says so', () => {
  expect(fieldsOf('include', TEXT, 'Comma-separated fields to include.')).toBe('include')
  expect(fieldsOf('include', TEXT, 'Related records to include.')).toBeUndefined()
})

test('fields may be described as those of related records, too', () => {
  const description = 'Control what fields are returned. Supports dots for related fields.'
  expect(fieldsOf('fields', TEXT, description)).toBe('fields')
})

test('the fields of one type are those of the records of the path', () => {
  expect(fieldsOf('fields[books]')).toBe('fields[books]')
  expect(fieldsOf('fields[authors]')).toBeUndefined()
  expect(fieldsOf('fields', objectOf(['authors', 'books']))).toBe('fields[books]')
})

test.each<[string, Schema, string]>([
  ['lists other names', { type: 'string', enum: ['cover'] }, ''],
  ['shows more than usual', TEXT, 'Additional properties.'],
  ['is an object', { type: 'object' }, ''],
])('a parameter that %s names no properties', (_case, schema, description) => {
  expect(fieldsOf('fields', schema, description)).toBeUndefined()
})

test('expand names references that may be ids or records', () => {
  const expandable = objectOf({ id: TEXT, author: { anyOf: [TEXT, objectOf(['id', 'name'])] } })
  const operation = operationOn('GET /books', { query: { 'expand[]': listOf(TEXT) } })

  expect(inferExpand(queryParametersOf(operation), expandable)).toBe('expand[]')
  expect(inferExpand(queryParametersOf(operation), BOOK)).toBeUndefined()
})
