import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { readSort } from './read-sort.ts'

const BOOK: Schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    addedAt: { type: 'string', format: 'date-time' },
    tags: { type: 'array' },
    price_desc: { type: 'number' },
    author: { type: 'object', properties: { name: { type: 'string' } } },
  },
}

test.each([
  ['title', { by: 'title', descending: false }],
  ['added_at', { by: 'addedAt', descending: false }],
  ['-title', { by: 'title', descending: true }],
  ['+title', { by: 'title', descending: false }],
  [' title', { by: 'title', descending: false }],
  ['title:desc', { by: 'title', descending: true }],
  ['title desc', { by: 'title', descending: true }],
  ['title,desc', { by: 'title', descending: true }],
  ['title.asc', { by: 'title', descending: false }],
  ['title_desc', { by: 'title', descending: true }],
  ['price_desc', { by: 'price_desc', descending: false }],
  [['-title', 'added_at'], { by: 'title', descending: true }],
  [['title', 'desc'], { by: 'title', descending: true }],
  ['titleDesc', { by: 'title', descending: true }],
  ['-title,added_at', { by: 'title', descending: true }],
  ['unknown,title', { by: 'title', descending: false }],
  ['added', { by: 'addedAt', descending: false }],
  ['author.name', { by: '/author/name', descending: false }],
  [{ title: 'desc' }, { by: 'title', descending: true }],
  ['desc', { descending: true }],
  ['ascending', { descending: false }],
])('%j is the order %j', (sort, expected) => {
  expect(readSort({ by: 'sort' }, { sort }, BOOK)).toEqual(expected)
})

test.each([
  [
    { sort: 'title', order: 'desc' },
    { by: 'title', descending: true },
  ],
  [
    { sort: 'title', order: 'ASC' },
    { by: 'title', descending: false },
  ],
  [{ sort: 'title' }, { by: 'title', descending: false }],
  [{ order: 'desc' }, { descending: true }],
])('the query %j is the order %j', (query, expected) => {
  expect(readSort({ by: 'sort', direction: 'order' }, query, BOOK)).toEqual(expected)
})

test.each([{}, { sort: 'unknown' }, { sort: 'tags' }, { sort: '' }])(
  'the query %j has no order',
  (query) => {
    expect(readSort({ by: 'sort', direction: 'order' }, query, BOOK)).toBeUndefined()
  },
)

test.each([
  ['descending', 'true', true],
  ['reverse', true, true],
  ['ascending', 'false', true],
  ['ascending', 'true', false],
])('the flag %s=%s is a direction', (direction, value, descending) => {
  const query = { sort: 'title', [direction]: value }

  expect(readSort({ by: 'sort', direction }, query, BOOK)).toEqual({ by: 'title', descending })
})

test('a parameter may be named by the property: sort[title]', () => {
  const query = { 'sort[added]': undefined, 'sort[title]': 'desc' }

  expect(readSort({ by: 'sort' }, query, BOOK)).toEqual({ by: 'title', descending: true })
})

describe('values and the default of the hints', () => {
  const hints = {
    by: 'sort',
    direction: 'order',
    values: { newest: '-added_at' },
    default: '-title',
  }

  test.each<[Record<string, unknown>, object | undefined]>([
    [{ sort: 'newest' }, { by: 'addedAt', descending: true }],
    [{ sort: 'title' }, { by: 'title', descending: false }],
    [{}, { by: 'title', descending: true }],
    [{ sort: 'unknown' }, { by: 'title', descending: true }],
    [{ order: 'asc' }, { by: 'title', descending: false }],
  ])('%j is the order %j', (query, expected) => {
    expect(readSort(hints, query, BOOK)).toEqual(expected)
  })

  test('a list without parameters has the default order', () => {
    expect(readSort({ default: 'title' }, {}, BOOK)).toEqual({ by: 'title', descending: false })
  })
})
