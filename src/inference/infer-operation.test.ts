import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import type { OperationHints } from '../contract/resource-hints.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'

const BOOK = objectOf(['id', 'title'])
const NEW_BOOK = objectOf(['title'])
const list = operationOn('GET /books', { shown: listOf(BOOK) })
const create = operationOn('POST /books', { sent: NEW_BOOK, shown: BOOK, status: 201 })
const read = operationOn('GET /books/{bookId}', { shown: BOOK })

/** The hints of an operation beside the ones that list, create and read books. */
function hintsOf(operation: Operation): OperationHints {
  return inferHints([list, create, read, operation]).of(operation)
}

describe('an operation', () => {
  test.each<[string, Operation]>([
    ['list', list],
    ['create', create],
    ['read', read],
    ['replace', operationOn('PUT /books/{bookId}', { sent: NEW_BOOK, shown: BOOK })],
    ['update', operationOn('PATCH /books/{bookId}', { sent: NEW_BOOK, shown: BOOK })],
    ['update', operationOn('POST /books/{bookId}', { sent: NEW_BOOK, shown: BOOK })],
    ['remove', operationOn('DELETE /books/{bookId}', { status: 204 })],
    ['act', operationOn('PUT /books/{bookId}', { shown: BOOK })],
    ['create', operationOn('POST /books', { shown: BOOK })],
  ])('has the action %s', (action, operation) => {
    expect(hintsOf(operation)).toMatchObject({ action, resource: 'books' })
  })

  test('below a record is an action on it when it answers with the record', () => {
    const lend = operationOn('POST /books/{bookId}/lend', { shown: objectOf({ data: BOOK }) })

    expect(hintsOf(lend)).toEqual({ action: 'act', resource: 'books', record: '/data' })
  })

  test('below a record is an action when its response has most properties of the record', () => {
    const shown = objectOf(['id', 'title', 'lent_until'])

    expect(hintsOf(operationOn('POST /books/{bookId}/lend', { shown })).action).toBe('act')
  })

  test.each<[string, Operation, string]>([
    [
      'below a record answers with something else',
      operationOn('POST /books/{bookId}/lend', { shown: objectOf(['until']) }),
      'no-action',
    ],
    [
      'searches',
      operationOn('POST /books/search', { sent: NEW_BOOK, shown: listOf(BOOK) }),
      'search',
    ],
    ['changes many records', operationOn('POST /books/bulk', { sent: listOf(BOOK) }), 'bulk'],
    ['removes all records', operationOn('DELETE /books', { status: 204 }), 'bulk'],
    ['has another method', operationOn('OPTIONS /books/{bookId}'), 'no-action'],
    ['has no records', operationOn('GET /health', { shown: objectOf(['status']) }), 'no-action'],
  ])('that %s is stateless', (_case, operation, reason) => {
    expect(hintsOf(operation)).toEqual({ action: 'stateless', reason })
  })

  test('that sends to a path without records of its own creates one only with a body', () => {
    const lists = operationOn('GET /books', { shown: listOf(BOOK) })
    const create = (parts: object): Operation =>
      operationOn('POST /books', { ...parts, status: 204 })
    const [empty, full] = [create({}), create({ sent: NEW_BOOK })]

    expect(inferHints([lists, empty]).of(empty).action).toBe('stateless')
    expect(inferHints([lists, full]).of(full).action).toBe('create')
    expect(inferHints([lists, empty, read]).of(empty).action).toBe('create')
  })

  test.each(['/filter', '/batch', '/imports/bulk'])(
    'that sends to %s creates a record where records can be removed there',
    (path) => {
      const post = operationOn(`POST ${path}`, { sent: NEW_BOOK, shown: BOOK })
      const get = operationOn(`GET ${path}/{id}`, { shown: BOOK })
      const remove = operationOn(`DELETE ${path}/{id}`, { status: 204 })

      expect(inferHints([post, get]).of(post).action).toBe('stateless')
      expect(inferHints([post, get, remove]).of(post).action).toBe('create')
    },
  )

  test('that reads a collection without a list is stateless', () => {
    const count = operationOn('GET /books', { shown: objectOf({ count: { type: 'integer' } }) })

    expect(inferHints([count, read]).of(count)).toEqual({ action: 'stateless', reason: 'no-list' })
  })

  test.each([
    ['GET', 'read'],
    ['PUT', 'replace'],
    ['PATCH', 'update'],
    ['POST', 'update'],
    ['DELETE', 'remove'],
  ])('with the method %s on the path of a single record has the action %s', (method, action) => {
    const shown = objectOf(['theme'])
    const body = method === 'GET' || method === 'DELETE' ? { shown } : { shown, sent: shown }
    const operations = [
      operationOn('GET /settings', { shown }),
      operationOn('PUT /settings', { shown, sent: shown }),
      operationOn(`${method} /settings`, body),
    ]
    const [, , last = list] = operations

    expect(inferHints(operations).of(last)).toMatchObject({ action, resource: 'settings' })
  })
})

describe('the hints of an operation', () => {
  test.each<[string, Schema, Schema | undefined, object]>([
    [
      'the place of the record in the response',
      objectOf({ data: BOOK }),
      undefined,
      { record: '/data' },
    ],
    [
      'the place of the record in the request',
      BOOK,
      objectOf({ book: NEW_BOOK }),
      { body: '/book' },
    ],
    ['another property with the id', objectOf(['book_id', 'title']), undefined, { id: 'book_id' }],
    [
      'an id in an object',
      objectOf({ metadata: objectOf(['uid']) }),
      undefined,
      { id: '/metadata/uid' },
    ],
  ])('have %s', (_case, shown, sent, hints) => {
    expect(
      hintsOf(operationOn('PATCH /books/{bookId}', { shown, ...(sent && { sent }) })),
    ).toMatchObject(hints)
  })

  test('have no place of the record when the response has no body', () => {
    expect(hintsOf(operationOn('DELETE /books/{bookId}', { status: 204 }))).toEqual({
      action: 'remove',
      resource: 'books',
    })
  })

  test('have no place of the record when the response is a file', () => {
    const file = { shown: { type: 'string', format: 'binary' }, mediaType: 'image/png' }
    const shown = operationOn('GET /books/{bookId}', file)

    expect(inferHints([list, shown]).of(shown)).toEqual({ action: 'read', resource: 'books' })
  })

  test('have the property of the request with the id that the client chooses', () => {
    const sent = objectOf(['bookId', 'title'])
    const chosen = operationOn('POST /books', { sent, shown: BOOK })

    expect(inferHints([list, chosen, read]).of(chosen)).toMatchObject({ sentId: 'bookId' })
  })

  test('have paging, filters, sorting and the figures of a list', () => {
    const shown = objectOf({ data: listOf(BOOK), total: { type: 'integer' } })
    const query = {
      page: { type: 'integer' },
      per_page: { type: 'integer' },
      title: { type: 'string' },
      sort: { type: 'string' },
    }
    const paged = operationOn('GET /books', { shown, query })

    expect(inferHints([paged, read]).of(paged)).toEqual({
      action: 'list',
      resource: 'books',
      record: '/data',
      paging: { style: 'page', parameter: 'page', size: 'per_page' },
      sort: { by: 'sort' },
      filters: { title: 'title' },
      envelope: { '/total': 'total' },
    })
  })
})
