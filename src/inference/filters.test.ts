import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { listOperation } from '../testing/list-operation.ts'
import { inferFilters, type OtherParameters } from './filters.ts'

const TEXT: Schema = { type: 'string' }
const BOOK: Schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: TEXT,
    authorId: { type: 'integer' },
    status: { type: 'string', enum: ['lent', 'shelved'] },
    isRare: { type: 'boolean' },
    addedAt: { type: 'string', format: 'date-time' },
    tags: { type: 'array', items: TEXT },
    shelf: { type: 'object', properties: { row: TEXT } },
    sort: TEXT,
    limit: { type: 'integer' },
  },
}

function filtersOf(query: Readonly<Record<string, Schema>>, others?: OtherParameters): unknown {
  return inferFilters(listOperation(query, { type: 'array' }), BOOK, others)
}

test.each([
  ['title', TEXT, 'title'],
  ['author_id', { type: 'integer' }, 'authorId'],
  ['author-id', TEXT, 'authorId'],
  ['filter[title]', TEXT, 'title'],
  ['filter.title', TEXT, 'title'],
  ['filter[title][eq]', TEXT, 'title'],
  ['where[status]', TEXT, 'status'],
  ['is_rare', { type: 'boolean' }, 'isRare'],
  ['isRare', TEXT, 'isRare'],
  ['status', { type: 'array', items: TEXT }, 'status'],
  ['statuses', { type: 'array', items: TEXT }, 'status'],
  ['ids', { type: 'array', items: { type: 'integer' } }, 'id'],
])('%s with the schema %j filters by %s', (name, schema, property) => {
  expect(filtersOf({ [name]: schema })).toEqual({ [name]: property })
})

test('a filter with properties has one filter for each of them that a record has', () => {
  const filters = filtersOf({
    filter: { type: 'object', properties: { title: TEXT, unknown: TEXT } },
  })

  expect(filters).toEqual({ 'filter[title]': 'title' })
})

test.each([
  ['has another name', 'name', TEXT],
  ['has a property with an object', 'shelf', TEXT],
  ['has a property with a list', 'tags', TEXT],
  ['has a moment', 'addedAt', { type: 'string', format: 'date-time' }],
  ['has other values than the property', 'status', { type: 'string', enum: ['all', 'none'] }],
  ['is a number where the property is a text', 'title', { type: 'integer' }],
  ['sorts', 'sort', TEXT],
  ['compares', 'filter[title][starts_with]', TEXT],
])('a parameter that %s filters nothing', (_case, name, schema) => {
  expect(filtersOf({ [name]: schema })).toBeUndefined()
})

test('a parameter of paging filters nothing, even when a property has its name', () => {
  const paging = { style: 'offset', size: 'limit' } as const

  expect(filtersOf({ limit: { type: 'integer' } }, { paging })).toBeUndefined()
})

test('a required parameter filters nothing', () => {
  const operation = listOperation({ title: TEXT }, { type: 'array' })
  const parameters = operation.parameters.map((one) => ({ ...one, required: true }))

  expect(inferFilters({ ...operation, parameters }, BOOK)).toBeUndefined()
})
