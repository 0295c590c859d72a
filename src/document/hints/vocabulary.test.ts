import { describe, expect, test } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { OPERATION_VOCABULARY } from './operation-vocabulary.ts'
import { PATH_VOCABULARY } from './path-vocabulary.ts'

const BOOK = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    isbn: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'string' },
  },
}
const { id: _id, ...SENT } = BOOK.properties
const NEW = { type: 'object', properties: SENT }
const PARAMETERS = ['page', 'size', 'q', 'how', 'way'].map((name) => ({
  name,
  in: 'query',
  schema: { type: name === 'page' || name === 'size' ? 'integer' : 'string' },
}))
const ID = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]

function json(schema: object, status = 200): object {
  return { [status]: { description: '', content: { 'application/json': { schema } } } }
}

function sends(schema: object): object {
  return { content: { 'application/json': { schema } } }
}

/** A library with a list in an envelope, with these hints at an operation and at the path of the books. */
function library(operation: string, hints: object, path: object = {}): Promise<Contract> {
  const list = {
    type: 'object',
    properties: {
      books: { type: 'array', items: BOOK },
      featured: { type: 'array', items: BOOK },
      sum: { type: 'integer' },
    },
  }
  const own = (id: string): object => ({
    operationId: id,
    ...(id === operation && { 'x-sandbox': hints }),
  })
  return loadDocumentOf({
    '/books': {
      'x-sandbox': path,
      get: { ...own('listBooks'), parameters: PARAMETERS, responses: json(list) },
      post: { ...own('createBook'), requestBody: sends(NEW), responses: json(BOOK, 201) },
    },
    '/books/{id}': {
      parameters: ID,
      get: { ...own('getBook'), responses: json(BOOK) },
      put: { ...own('putBook'), requestBody: sends(NEW), responses: json(BOOK) },
    },
    '/books/{id}/lend': {
      parameters: ID,
      post: { ...own('lendBook'), responses: { 204: { description: '' } } },
    },
    '/titles/{id}': { parameters: ID, get: { ...own('getTitle'), responses: json(BOOK) } },
  })
}

describe('a hint corrects what was inferred of an operation', () => {
  const books = { resource: 'books', action: 'act' }
  const cases: readonly (readonly [word: string, operation: string, hints: object])[] = [
    ['resource', 'getTitle', { resource: 'books' }],
    ['action', 'putBook', { action: 'update' }],
    ['reason', 'lendBook', { action: 'stateless', reason: 'bulk' }],
    ['record', 'listBooks', { record: '/featured' }],
    ['item', 'listBooks', { item: '/book' }],
    ['body', 'createBook', { body: '/book' }],
    ['part', 'createBook', { part: 'details' }],
    ['id', 'getBook', { id: 'isbn' }],
    ['sentId', 'createBook', { sentId: 'isbn' }],
    ['views', 'getBook', { views: { title: 'name' } }],
    ['paging', 'listBooks', { paging: { style: 'offset', parameter: 'page', size: 'size' } }],
    ['envelope', 'listBooks', { envelope: { '/sum': 'total' } }],
    ['filters', 'listBooks', { filters: { q: 'title' } }],
    ['sort', 'listBooks', { sort: { by: 'how', direction: 'way' } }],
    ['set', 'lendBook', { ...books, set: { status: 'lent' } }],
    ['from', 'lendBook', { ...books, from: { status: 'free' } }],
    ['after', 'lendBook', { ...books, after: [{ delay: '30d', set: { status: 'late' } }] }],
  ]

  test.each(cases)('%s', async (word, id, hints) => {
    const [inferred, hinted] = await Promise.all([library(id, {}), library(id, hints)])

    const [before, after] = [inferred, hinted].map(
      ({ operations }) => operations.find((one) => one.id === id)?.hints,
    )
    expect(Reflect.get(before ?? {}, word)).not.toEqual(Reflect.get(hints, word))
    expect(after).toMatchObject(hints)
  })

  test('with every word', () => {
    expect(cases.map(([word]) => word).sort()).toEqual(Object.keys(OPERATION_VOCABULARY).sort())
  })
})

describe('a hint corrects what was inferred of a path', () => {
  const cases: readonly (readonly [word: string, hints: object, expected: object])[] = [
    ['resource', { resource: 'titles' }, { name: 'titles' }],
    ['collection', { collection: '/volumes' }, { path: '/volumes' }],
    ['item', { item: '/titles/{id}' }, { item: '/titles/{id}' }],
    ['id', { id: 'isbn' }, { id: 'isbn' }],
    ['hiddenIds', { hiddenIds: true }, { hasHiddenIds: true }],
    ['ids', { ids: 'client' }, { ids: 'client' }],
    ['single', { single: true }, { isSingle: true }],
    ['view', { view: 'putBook' }, { view: 'putBook' }],
  ]

  test.each(cases)('%s', async (_word, hints, expected) => {
    const [inferred, hinted] = await Promise.all([library('', {}), library('', {}, hints)])

    const [before, after] = [inferred, hinted].map(
      ({ resources }) => Object.values(resources ?? {})[0],
    )
    expect(before).not.toMatchObject(expected)
    expect(after).toMatchObject(expected)
  })

  test('with every word', () => {
    expect(cases.map(([word]) => word).sort()).toEqual(Object.keys(PATH_VOCABULARY).sort())
  })
})
