import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import type { PagingHints } from '../contract/hints.ts'
import { inferEnvelope } from './envelope.ts'

const PAGES: PagingHints = { style: 'page', parameter: 'page' }
const CURSORS: PagingHints = { style: 'cursor', parameter: 'cursor' }
const AFTER: PagingHints = { style: 'after', parameter: 'starting_after' }
const OFFSETS: PagingHints = { style: 'offset', parameter: 'offset' }
const URI: Schema = { type: 'string', format: 'uri' }

/** The figures of a response with a list under `data` and properties at these places. */
function figuresOf(places: Readonly<Record<string, Schema>>, paging?: PagingHints): unknown {
  return inferEnvelope(bodyWith({ '/data': { type: 'array' }, ...places }), '/data', paging)
}

function bodyWith(places: Readonly<Record<string, Schema>>): Schema {
  const properties: Record<string, Schema> = {}
  for (const [place, schema] of Object.entries(places)) {
    const [, name = '', ...rest] = place.split('/')
    const inner = rest.length > 0 ? bodyWith({ [`/${rest.join('/')}`]: schema }) : schema
    const before = properties[name]?.properties ?? {}
    properties[name] = inner.properties
      ? { type: 'object', properties: { ...before, ...inner.properties } }
      : inner
  }
  return { type: 'object', properties }
}

test.each([
  ['total', '/total'],
  ['total', '/totalCount'],
  ['total', '/total_count'],
  ['total', '/meta/total'],
  ['total', '/TotalResults'],
  ['total', '/pagination/total_items'],
  ['total', '/page/totalElements'],
  ['total', '/count'],
  ['total', '/filter_count'],
  ['total', '/numFound'],
  ['total', '/paginationResult/totalEntryCount'],
  ['count', '/numberOfElements'],
  ['count', '/meta/returned'],
  ['size', '/limit'],
  ['size', '/per_page'],
  ['size', '/meta/page_size'],
  ['size', '/itemsPerPage'],
  ['size', '/pagelen'],
  ['offset', '/offset'],
  ['offset', '/startIndex'],
  ['page', '/page'],
  ['page', '/meta/current_page'],
  ['page', '/page/number'],
  ['pages', '/total_pages'],
  ['pages', '/pages'],
  ['nextPage', '/next_page'],
  ['previousPage', '/pagination/prev'],
  ['lastPage', '/meta/last_page'],
  ['nextCursor', '/next_offset'],
])('the figure %s is an integer at %s', (figure, place) => {
  expect(figuresOf({ [place]: { type: 'integer' } }, PAGES)).toEqual({ [place]: figure })
})

test('a count of what a filter selects is a total beside another one', () => {
  const figures = figuresOf({
    '/meta/total_count': { type: 'integer' },
    '/meta/filter_count': { type: 'integer' },
  })
  expect(figures).toEqual({ '/meta/total_count': 'total', '/meta/filter_count': 'total' })
})

test.each([
  ['hasMore', '/has_more'],
  ['hasMore', '/hasNext'],
  ['hasMore', '/pageInfo/hasNextPage'],
  ['hasMore', '/isTruncated'],
  ['hasPrevious', '/hasPrevious'],
  ['isFirst', '/first'],
  ['isLast', '/last'],
  ['isLast', '/done'],
  ['isEmpty', '/empty'],
])('the figure %s is a boolean at %s', (figure, place) => {
  expect(figuresOf({ [place]: { type: 'boolean' } }, PAGES)).toEqual({ [place]: figure })
})

test.each<[string, string, Schema, PagingHints | undefined]>([
  ['nextUrl', '/next', URI, PAGES],
  ['nextUrl', '/next', URI, CURSORS],
  ['nextUrl', '/next', { type: 'string' }, PAGES],
  ['nextUrl', '/next_page_url', { type: 'string' }, CURSORS],
  ['nextUrl', '/links/next', { type: 'string' }, CURSORS],
  ['nextUrl', '/_links/next/href', { type: 'string' }, undefined],
  ['nextUrl', '/next_page', { type: 'string', example: 'https://example.com/?page=2' }, CURSORS],
  ['nextUrl', '/paging/next/link', { type: 'string' }, CURSORS],
  ['previousUrl', '/previous', { type: ['string', 'null'] }, OFFSETS],
  ['selfUrl', '/links/self', { type: 'string' }, undefined],
  ['firstUrl', '/links/first', { type: 'string' }, PAGES],
  ['lastUrl', '/links/last', { type: 'string' }, PAGES],
  ['nextCursor', '/next', { type: 'string' }, CURSORS],
  ['nextCursor', '/next_page_token', { type: 'string' }, undefined],
  ['nextCursor', '/nextToken', { type: 'string' }, CURSORS],
  ['nextCursor', '/meta/next_cursor', { type: ['string', 'null'] }, PAGES],
  ['nextCursor', '/metadata/continue', { type: 'string' }, CURSORS],
  ['nextCursor', '/paging/cursors/after', { type: 'string' }, AFTER],
  ['nextCursor', '/paging/next/after', { type: 'string' }, AFTER],
  ['nextCursor', '/next_page/offset', { type: 'string' }, OFFSETS],
  ['nextCursor', '/cursor', { type: 'string' }, CURSORS],
  ['nextCursor', '/offset', { type: 'string' }, OFFSETS],
  ['previousCursor', '/paging/cursors/before', { type: 'string' }, AFTER],
  ['previousCursor', '/prevIterator', { type: 'string' }, CURSORS],
  ['firstId', '/first_id', { type: 'string' }, AFTER],
  ['lastId', '/last_id', { type: 'string' }, AFTER],
  ['total', '/total', { type: 'string' }, PAGES],
])('the figure %s is a text at %s with the schema %j', (figure, place, schema, paging) => {
  expect(figuresOf({ [place]: schema }, paging)).toEqual({ [place]: figure })
})

test('an address beside a flag for more records is that of the list', () => {
  const more = { '/has_more': { type: 'boolean' } }

  expect(figuresOf({ ...more, '/url': { type: 'string' } })).toEqual({
    '/has_more': 'hasMore',
    '/url': 'selfUrl',
  })
  expect(figuresOf({ '/url': { type: 'string' } })).toBeUndefined()
})

test('a word with other meanings is no figure without paging', () => {
  expect(figuresOf({ '/max': { type: 'integer' }, '/last': { type: 'boolean' } })).toBeUndefined()
})

test('a count beside a total is the number of records on the page', () => {
  const figures = figuresOf({ '/count': { type: 'integer' }, '/total': { type: 'integer' } })

  expect(figures).toEqual({ '/count': 'count', '/total': 'total' })
})

test.each<[string, string, Schema]>([
  ['another name', '/title', { type: 'string' }],
  ['a list', '/pages', { type: 'array' }],
  ['an object that is not about the list', '/author/count', { type: 'integer' }],
  ['a number by its name, and a text by its type', '/has_more', { type: 'string' }],
])('%s has no figure', (_case, place, schema) => {
  expect(figuresOf({ [place]: schema }, PAGES)).toBeUndefined()
})

test('figures are beside a list at any depth, and not in its records', () => {
  const schema = bodyWith({
    '/data/books': { type: 'array', items: bodyWith({ '/total': { type: 'integer' } }) },
    '/data/total': { type: 'integer' },
  })

  expect(inferEnvelope(schema, '/data/books', undefined)).toEqual({ '/data/total': 'total' })
})

test('a list that is the body has no figures', () => {
  expect(inferEnvelope({ type: 'array' }, '', PAGES)).toBeUndefined()
})

test('the key beside the size of a page is the name of the property with the list', () => {
  const text: Schema = { type: 'string' }
  const size: Schema = { type: 'integer' }

  expect(figuresOf({ '/meta/key': text, '/meta/page_size': size })).toEqual({
    '/meta/key': 'listName',
    '/meta/page_size': 'size',
  })
  expect(figuresOf({ '/meta/key': text })).toBeUndefined()
})
