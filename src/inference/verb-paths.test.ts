import { expect, test } from 'vitest'
import type { Operation } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'
import { verbPaths } from './verb-paths.ts'

const BOOK = objectOf(['id', 'title', 'author', 'shelf'])
const NEW = objectOf(['title', 'author'])

function verbsOf(...targets: readonly string[]): Readonly<Record<string, string>> {
  const operations = targets.map((target) => operationOn(target))
  return Object.fromEntries(
    [...verbPaths(operations)].map(([{ id }, { path, verb }]) => [id, `${verb} ${path}`]),
  )
}

function actionsOf(operations: readonly Operation[]): readonly string[] {
  const inference = inferHints(operations)
  return operations.map((operation) => {
    const { action, resource = '' } = inference.of(operation)
    return `${action} ${resource}`.trim()
  })
}

test('a word at the end of a path is what the operation does', () => {
  const found = verbsOf(
    'POST /books/create',
    'GET /books/list',
    'GET /books/{id}/json',
    'POST /books/{id}/update',
    'POST /books/{id}/delete',
  )

  expect(found).toEqual({
    'POST /books/create': 'create /books',
    'GET /books/list': 'list /books',
    'GET /books/{id}/json': 'read /books/{id}',
    'POST /books/{id}/update': 'update /books/{id}',
    'POST /books/{id}/delete': 'remove /books/{id}',
  })
})

test.each([
  ['another operation does the same without the word', ['POST /books', 'POST /books/create']],
  ['another operation reads the record', ['GET /books/{id}', 'GET /books/{id}/details']],
  ['no path leads to a record', ['POST /books/create', 'GET /books/list']],
  ['nothing else is known of the record', ['GET /books/{id}/json']],
  ['the method means something else', ['GET /books/{id}/delete', 'PATCH /books/{id}']],
])('a word is a thing of its own where %s', (_, targets) => {
  expect(verbsOf(...targets)).toEqual({})
})

test('operations whose paths end with a word belong to the collection and the record', () => {
  const operations = [
    operationOn('POST /books/create', { sent: NEW, shown: BOOK }),
    operationOn('GET /books/list', { shown: listOf(BOOK) }),
    operationOn('GET /books/{id}/json', { shown: BOOK }),
    operationOn('POST /books/{id}/update', { sent: NEW, shown: BOOK }),
    operationOn('POST /books/{id}/delete', { status: 204 }),
  ]

  expect(actionsOf(operations)).toEqual([
    'create books',
    'list books',
    'read books',
    'update books',
    'remove books',
  ])
})

test('a POST with a body removes something from the record, not the record', () => {
  const operations = [
    operationOn('GET /carts/{id}', { shown: BOOK }),
    operationOn('POST /carts/{id}/remove', { sent: objectOf(['item']) }),
  ]

  expect(actionsOf(operations)[1]).toBe('stateless')
})

test('a search whose items are the records above lists them', () => {
  const operations = [
    operationOn('GET /books/{id}', { shown: BOOK }),
    operationOn('GET /books/search', { shown: listOf(objectOf(['id', 'title', 'author'])) }),
    operationOn('POST /books/query', { sent: objectOf(['author', 'limit']), shown: listOf(BOOK) }),
  ]
  const [, , query] = operations
  const inference = inferHints(operations)

  expect(actionsOf(operations)).toEqual(['read books', 'list books', 'list books'])
  expect(inference.resource('search')).toBeUndefined()
  expect(query && inference.of(query)).toMatchObject({
    filters: { author: 'author' },
    paging: { size: 'limit' },
  })
})

test('a search whose items are other things is a collection of its own', () => {
  const operations = [
    operationOn('GET /books/{id}', { shown: BOOK }),
    operationOn('GET /books/search', { shown: listOf(objectOf(['id', 'term', 'hits'])) }),
    operationOn('POST /books/searches', { sent: objectOf(['term']), shown: objectOf(['id']) }),
  ]

  expect(actionsOf(operations)[1]).toBe('list search')
})

test('a count is the total of the collection above', () => {
  const operations = [
    operationOn('GET /books/{id}', { shown: BOOK }),
    operationOn('GET /books/count', { shown: objectOf({ count: { type: 'integer' } }) }),
    operationOn('GET /shops/{id}', { shown: objectOf(['id', 'name']) }),
    operationOn('GET /shops/count', {
      shown: { type: 'integer' },
      query: { name: { type: 'string' } },
    }),
  ]
  const [, count, , bare] = operations
  const inference = inferHints(operations)

  expect(count && inference.of(count)).toEqual({
    action: 'list',
    resource: 'books',
    envelope: { '/count': 'total' },
  })
  expect(bare && inference.of(bare)).toMatchObject({
    envelope: { '': 'total' },
    filters: { name: 'name' },
  })
})

test.each([
  ['GET /books/_count', { total_count: { type: 'integer' } }, '/total_count'],
  ['GET /books/total', { data: objectOf({ total: { type: 'integer' } }) }, '/data/total'],
  ['POST /books/count', { count: { type: 'integer' } }, '/count'],
] as const)('%s is a count, too', (target, shown, place) => {
  const sent = target.startsWith('POST') && { sent: objectOf(['title']) }
  const count = operationOn(target, { ...sent, shown: objectOf(shown) })
  const inference = inferHints([operationOn('GET /books/{id}', { shown: BOOK }), count])

  expect(inference.of(count)).toMatchObject({ action: 'list', envelope: { [place]: 'total' } })
})

test('where everything is said in words, requests name the records', () => {
  const sent = objectOf(['id', 'title', 'author'])
  const operations = [
    operationOn('GET /books/all', { shown: listOf(BOOK) }),
    operationOn('POST /books/new', { sent: NEW, shown: BOOK }),
    operationOn('GET /books/details', { shown: BOOK, query: { id: { type: 'string' } } }),
    operationOn('POST /books/update', { sent, shown: BOOK }),
    operationOn('POST /books/delete', { sent: objectOf(['bookId']), status: 204 }),
  ]
  const inference = inferHints(operations)
  const found = operations.map((operation) => {
    const { action, resource, ids = 'none' } = inference.of(operation)
    return `${action} ${resource} ${ids}`
  })

  expect(found).toEqual([
    'list books none',
    'create books none',
    'read books id',
    'update books /id',
    'remove books /bookId',
  ])
})

test.each([
  ['two words are too few', ['GET /books/all', 'POST /books/new']],
  ['nothing lists the records', ['POST /books/new', 'POST /books/update', 'POST /books/delete']],
  [
    'the collection has operations',
    ['GET /books', 'GET /books/all', 'POST /books/new', 'POST /books/update'],
  ],
])('words are things of their own where %s', (_, targets) => {
  expect(verbsOf(...targets)).toEqual({})
})

test('a path with the word watch before that of other records tells of these', () => {
  const event = objectOf({ type: { type: 'string' }, object: { type: 'object' } })
  const operations = [
    operationOn('GET /v1/books', { shown: listOf(BOOK) }),
    operationOn('GET /v1/books/{id}', { shown: BOOK }),
    operationOn('GET /v1/watch/books', { shown: event }),
    operationOn('GET /v1/watch/books/{id}', { shown: event }),
    operationOn('GET /v1/watch/clocks', { shown: event }),
  ]

  const inference = inferHints(operations)

  expect(actionsOf(operations)).toEqual([
    ...['list books', 'read books', 'list books', 'read books', 'stateless'],
  ])
  expect(operations.slice(2, 4).map((one) => inference.of(one).record)).toEqual([
    '/object',
    '/object',
  ])
})

test('a path with the word watch that shows records has its own', () => {
  const operations = [
    operationOn('GET /books', { shown: listOf(BOOK) }),
    operationOn('GET /watch/books', { shown: listOf(BOOK) }),
  ]

  expect(actionsOf(operations)).toEqual(['list books', 'list watch/books'])
})

test.each([
  ['/books/content', 'multipart/form-data', 'create books'],
  ['/books/upload', 'multipart/form-data', 'create books'],
  ['/books/content', 'application/json', 'stateless'],
])('a request to %s with %s: %s', (path, mediaType, action) => {
  const upload = operationOn(`POST ${path}`, { sent: NEW, shown: BOOK })
  const body = upload.body && { ...upload.body, mediaTypes: [mediaType] }
  const operations = [
    { ...upload, ...(body && { body }) },
    operationOn('GET /books/{id}', { shown: BOOK }),
    operationOn('DELETE /books/{id}', { status: 204 }),
  ]

  expect(actionsOf(operations)[0]).toBe(action)
})

const FILM = objectOf(['id', 'title', 'director'])

test.each([
  ['the only collection beside it with such records', BOOK, 'list books'],
  ['none of several such collections', objectOf(['id', 'title']), 'list search'],
])('a search lists those of %s', (_what, found, action) => {
  const operations = [
    operationOn('GET /search', { shown: objectOf({ results: listOf(found) }) }),
    operationOn('POST /query', { shown: objectOf({ results: listOf(found) }) }),
    ...['books', 'films'].flatMap((word) => {
      const shown = found === BOOK && word === 'films' ? FILM : found
      return [
        operationOn(`GET /${word}`, { shown: listOf(shown) }),
        operationOn(`GET /${word}/{id}`, { shown }),
      ]
    }),
  ]

  expect(actionsOf(operations)[0]).toBe(action)
})
