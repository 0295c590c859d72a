import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import type { PagingHints } from '../contract/hints.ts'
import { listOperation } from '../testing/list-operation.ts'
import { inferPaging } from './paging.ts'

const INTEGER: Schema = { type: 'integer' }
const TEXT: Schema = { type: 'string' }

function pagingOf(query: Readonly<Record<string, Schema>>): PagingHints | undefined {
  return inferPaging(listOperation(query, { type: 'array' }))
}

test.each([
  ['page', 'per_page'],
  ['page', 'pageSize'],
  ['pageNumber', 'size'],
  ['page[number]', 'page[size]'],
  ['queryOptions.page', 'queryOptions.pageSize'],
  ['currentPage', 'itemsPerPage'],
])('%s and %s select a page by its number', (parameter, size) => {
  const paging = pagingOf({ [parameter]: INTEGER, [size]: INTEGER })

  expect(paging).toEqual({ style: 'page', parameter, size })
})

test('an offset beside the number of a page is for requests without it', () => {
  expect(pagingOf({ limit: INTEGER, offset: INTEGER, page: INTEGER })).toEqual({
    ...{ style: 'page', parameter: 'page', size: 'limit', offset: 'offset' },
  })
})

test.each([
  [{ type: 'integer', minimum: 0 }, 0],
  [{ type: 'integer', default: 0 }, 0],
  [{ type: 'integer', example: 0 }, 0],
  [{ type: 'integer', minimum: 0, default: 1 }, undefined],
  [{ type: 'integer', minimum: 1 }, undefined],
  [INTEGER, undefined],
])('the first page of a parameter %j has the number %s; without one, 1', (schema, first) => {
  expect(pagingOf({ page: schema })?.first).toBe(first)
})

test('pages that are called an index are counted from 0', () => {
  expect(pagingOf({ pageIndex: INTEGER })).toEqual({
    style: 'page',
    parameter: 'pageIndex',
    first: 0,
  })
})

test.each([
  ['offset', 'limit'],
  ['skip', 'take'],
  ['$skip', '$top'],
  ['start', 'count'],
  ['from', 'size'],
  ['start', 'rows'],
])('%s and %s select a page by the number of records before it', (parameter, size) => {
  const paging = pagingOf({ [parameter]: INTEGER, [size]: INTEGER })

  expect(paging).toEqual({ style: 'offset', parameter, size })
})

test('a start index with the minimum 1 is counted from 1', () => {
  const paging = pagingOf({ startIndex: { type: 'integer', minimum: 1 }, count: INTEGER })

  expect(paging).toEqual({ style: 'offset', parameter: 'startIndex', size: 'count', first: 1 })
})

test.each([
  'cursor',
  'page_token',
  'pageToken',
  'next_token',
  'continuation_token',
  'continue',
  'marker',
  'iterator',
])('%s continues with a text of the page before', (parameter) => {
  const paging = pagingOf({ limit: INTEGER, [parameter]: TEXT })

  expect(paging).toEqual({ style: 'cursor', parameter, size: 'limit' })
})

test('next is no cursor beside an offset', () => {
  const paging = pagingOf({ limit: INTEGER, next: TEXT, offset: INTEGER })

  expect(paging).toEqual({ style: 'offset', parameter: 'offset', size: 'limit' })
})

test('a second cursor continues with the page before', () => {
  const paging = pagingOf({ rows: INTEGER, next: TEXT, previous: TEXT })

  expect(paging).toEqual({ style: 'cursor', parameter: 'next', size: 'rows', before: 'previous' })
})

test.each([
  ['starting_after', 'ending_before'],
  ['startingAfter', 'endingBefore'],
  ['after', 'before'],
  ['since_id', 'max_id'],
])('%s and %s name the record before and after the page', (parameter, before) => {
  const paging = pagingOf({ limit: INTEGER, [parameter]: TEXT, [before]: TEXT })

  expect(paging).toEqual({ style: 'after', parameter, size: 'limit', before })
})

test('a limit alone shortens the list', () => {
  expect(pagingOf({ limit: INTEGER })).toEqual({ style: 'offset', size: 'limit' })
})

test('numbers may be declared as texts', () => {
  const paging = pagingOf({ page: TEXT, limit: TEXT })

  expect(paging).toEqual({ style: 'page', parameter: 'page', size: 'limit' })
})

test.each<[string, Record<string, Schema>]>([
  ['a time after which something happened', { after: { type: 'string', format: 'date-time' } }],
  ['a time without a limit', { after: TEXT, before: TEXT }],
  ['a start without a limit', { start: INTEGER }],
  ['a flag', { count: { type: 'boolean' }, top: { type: 'boolean' } }],
  ['the name of a page', { page: { type: 'string', enum: ['home', 'about'] } }],
  ['a word that has other meanings', { max: TEXT, n: TEXT, first: TEXT }],
  ['a credential', { token: TEXT }],
])('%s is no paging', (_meaning, query) => {
  expect(pagingOf(query)).toBeUndefined()
})
