import { expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { readFilters } from './read-page.ts'

const BOOK: Schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    year: { type: 'integer' },
    isRare: { type: 'boolean' },
  },
}

/** The conditions of a request with these values of its query parameters. */
function conditionsOf(filters: Record<string, string>, query: Record<string, unknown>): unknown {
  const sent = new URLSearchParams(Object.keys(query).map((name) => [name, '']))
  return readFilters(filters, { request: { query: sent.toString() }, query, schema: BOOK })
}

test.each([
  ['title', 'Emma', 'Emma'],
  ['title', 1984, '1984'],
  ['year', 1984, 1984],
  ['year', '1984', 1984],
  ['year', 'long ago', 'long ago'],
  ['isRare', 'true', true],
  ['isRare', false, false],
  ['year', ['1984', '1985'], [1984, 1985]],
])('the property %s and the value %j have the condition %j', (property, value, expected) => {
  expect(conditionsOf({ [property]: property }, { [property]: value })).toEqual({
    [property]: expected,
  })
})

test('a parameter may have another name than its property', () => {
  expect(conditionsOf({ name: 'title' }, { name: 'Emma' })).toEqual({ title: 'Emma' })
})

test('a filter may be a property of a parameter', () => {
  const request = { query: 'filter[title]=Emma' }
  const query = { filter: { title: 'Emma' } }

  expect(readFilters({ 'filter[title]': 'title' }, { request, query, schema: BOOK })).toEqual({
    title: 'Emma',
  })
})

test('an empty value filters nothing', () => {
  expect(conditionsOf({ title: 'title' }, { title: '' })).toEqual({})
})

test('a default filters nothing', () => {
  const query = { title: 'Emma' }

  expect(readFilters({ title: 'title' }, { request: { query: '' }, query, schema: BOOK })).toEqual(
    {},
  )
})
