import { describe, expect, test } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { OPERATION_VOCABULARY } from './operation-vocabulary.ts'
import { PATH_VOCABULARY } from './vocabulary.ts'

const BOOK = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    isbn: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'string' },
    lender: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: {} } }] },
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
  const paths = {
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
  }
  return loadDocumentOf(paths, { components: { schemas: { Edition: BOOK } } })
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
    ['query', 'createBook', { query: { q: 'title' } }],
    ['beside', 'createBook', { body: '/book', beside: ['author'] }],
    ['id', 'getBook', { id: 'isbn' }],
    ['ids', 'createBook', { ids: '/isbn' }],
    ['list', 'lendBook', { ...books, list: { property: 'readers', change: 'add' } }],
    ['caller', 'getBook', { caller: true }],
    ['content', 'getBook', { content: true }],
    ['trash', 'lendBook', { ...books, trash: 'restore' }],
    ['members', 'listBooks', { members: 'readers' }],
    ['mark', 'lendBook', { ...books, mark: { name: 'starred', change: 'add' } }],
    ['sentId', 'createBook', { sentId: 'isbn' }],
    ['views', 'getBook', { views: { title: 'name' } }],
    ['paging', 'listBooks', { paging: { style: 'offset', parameter: 'page', size: 'size' } }],
    ['envelope', 'listBooks', { envelope: { '/sum': 'total' } }],
    [
      'filters',
      'listBooks',
      { filters: { q: { property: 'title', values: { new: { status: 'free' } } } } },
    ],
    ['sort', 'listBooks', { sort: { by: 'how', direction: 'way' } }],
    ['fields', 'listBooks', { fields: 'q' }],
    ['expand', 'listBooks', { expand: 'q' }],
    ['set', 'lendBook', { ...books, set: { status: 'lent' } }],
    ['from', 'lendBook', { ...books, from: { status: 'free' } }],
    ['refers', 'lendBook', { ...books, refers: { title: { in: '/titles', id: '{path.id}' } } }],
    ['refuse', 'lendBook', { ...books, refuse: [{ unless: { 'record.status': 'free' } }] }],
    ['also', 'lendBook', { ...books, also: [{ in: '/titles', id: '{record.id}', remove: true }] }],
    ['where', 'listBooks', { where: { title: '{query.q}' } }],
    ['answer', 'listBooks', { answer: { sum: '{query.size}' } }],
    ['streams', 'listBooks', { streams: 'books' }],
    ['failures', 'getBook', { failures: { status: 200, body: { sum: '{error.status}' } } }],
    ['codes', 'getBook', { codes: { not_found: 'no_book' } }],
    ['cases', 'lendBook', { cases: [{ when: { 'path.id': 1 }, ...books, from: { status: 'a' } }] }],
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
    ['keys', { keys: ['isbn'] }, { keys: ['isbn'] }],
    ['hiddenIds', { hiddenIds: true }, { hasHiddenIds: true }],
    ['ids', { ids: 'client' }, { ids: 'client' }],
    ['idExample', { idExample: 'b-7f3a' }, { idExample: 'b-7f3a' }],
    ['callerId', { callerId: 'self' }, { callerId: 'self' }],
    ['idWords', { idWords: { latest: '{added}' } }, { idWords: { latest: '{added}' } }],
    ['shownOnce', { shownOnce: ['title'] }, { shownOnce: ['title'] }],
    ['renames', { renames: true }, { renames: true }],
    ['single', { single: true }, { isSingle: true }],
    ['view', { view: 'putBook' }, { view: 'putBook' }],
    ['caller', { caller: '/titles/{id}' }, { path: '/titles' }],
    ['values', { values: { title: 'Untitled' } }, { values: { title: 'Untitled' } }],
    ['unique', { unique: { isbn: { status: 409 } } }, { unique: { isbn: { status: 409 } } }],
    ['aliases', { aliases: { '/titles': {} } }, { aliases: { '/titles': {} } }],
    ['subscription', { subscription: { url: '/title' } }, { subscription: { url: '/title' } }],
    ['later', { later: true }, { changesLater: true }],
    ['schema', { schema: 'Edition' }, { schemaName: 'Edition' }],
    ['within', { within: { isbn: 'titles' } }, { within: { isbn: 'titles' } }],
    ['idReferences', { idReferences: { isbn: 'titles' } }, { idReferences: { isbn: 'titles' } }],
    ['references', { references: { isbn: 'titles' } }, { references: { isbn: 'titles' } }],
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

const SOME_TEXT = { type: 'string' }
const ERROR = {
  type: 'object',
  required: ['fault', 'reason', 'kind'],
  properties: { fault: SOME_TEXT, reason: SOME_TEXT, kind: SOME_TEXT },
}

function jsonResponse(schema: object): object {
  return { description: '', content: { 'application/json': { schema } } }
}

/** A sandbox of a document with a list of books, and with these hints. */
async function sandboxWith(hints: object): Promise<Sandbox> {
  const book = { type: 'object', properties: { id: { type: 'integer' } } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  const paths = {
    '/books': { get: { responses: { 200: jsonResponse({ type: 'array', items: book }) } } },
    '/books/{id}': {
      get: { parameters: [id], responses: { 200: jsonResponse(book), 404: jsonResponse(ERROR) } },
    },
  }
  const contract = await loadDocumentOf(paths, { 'x-sandbox': hints })
  return createSandbox({ contract, seed: 1 })
}

function get(sandbox: Sandbox, path: string): Promise<Response> {
  return sandbox.fetch(new Request(`http://localhost${path}`))
}

test('errors says what the properties of error bodies contain', async () => {
  const errors = { fault: 'message', reason: 'code', kind: 'title' }
  const [plain, hinted] = await Promise.all([sandboxWith({}), sandboxWith({ errors })])

  const [inferred, told] = await Promise.all(
    [plain, hinted].map(async (one) => (await get(one, '/books/9999')).json()),
  )

  const expected = {
    fault: 'No resource was found at /books/9999.',
    reason: 'not_found',
    kind: 'Not Found',
  }
  expect(inferred).not.toEqual(expected)
  expect(told).toEqual(expected)
})

test('errors can say that a property contains nothing that is known', async () => {
  const sandbox = await sandboxWith({ errors: { reason: 'none' } })

  expect(await (await get(sandbox, '/books/9999')).json()).not.toMatchObject({
    reason: 'No resource was found at /books/9999.',
  })
})

test('rateLimitHeaders names the headers of the quota', async () => {
  const plans = { free: { minute: 60, day: 100 } }
  const rateLimitHeaders = { 'X-Calls-Left': 'remaining', 'X-Calls-Reset': 'resetSeconds' }
  const sandbox = await sandboxWith({ plans, rateLimitHeaders })
  sandbox.clock.set('2030-12-05T12:00:15Z')

  const { headers } = await get(sandbox, '/books')

  expect(headers.get('X-Calls-Left')).toBe('59')
  expect(headers.get('X-Calls-Reset')).toBe('45')
  expect(headers.get('X-RateLimit-Remaining')).toBeNull()
})

test('deprecation says when all operations are deprecated and removed', async () => {
  const sandbox = await sandboxWith({ deprecation: { date: '2030-01-01', sunset: '2031-01-01' } })
  sandbox.clock.set('2030-12-05T12:00:00Z')

  const { headers } = await get(sandbox, '/books')
  sandbox.clock.set('2031-01-01T00:00:00Z')
  const removed = await get(sandbox, '/books')

  expect(headers.get('Deprecation')).toBe('@1893456000')
  expect(headers.get('Sunset')).toBe('Wed, 01 Jan 2031 00:00:00 GMT')
  expect(removed.status).toBe(404)
})

test('inference: false makes operations stateless that no hint names', async () => {
  const contracts = await Promise.all([{}, { inference: false }].map((hints) => sandboxWith(hints)))

  expect(contracts.map(({ collections }) => collections)).toEqual([['books'], []])
})
