import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import type { OperationHints } from '../contract/hints.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'
import { inferViews, partOf } from './message-hints.ts'

const REPO = objectOf(['id', 'name'])

test('collections at any depth are resources with the paths of their parents', () => {
  const operations = [
    operationOn('GET /orgs/{org}/repos', { shown: listOf(REPO) }),
    operationOn('GET /orgs/{org}/repos/{repo}/issues/{number}', { shown: objectOf(['number']) }),
  ]
  const { paths, resource } = inferHints(operations)

  expect([...paths.keys()].map((name) => resource(name)?.path)).toEqual([
    '/orgs/{org}/repos',
    '/orgs/{org}/repos/{repo}/issues',
  ])
})

test('a path can be a record of one collection and a collection of its own', () => {
  const operations = [
    operationOn('GET /repos/{owner}', { shown: listOf(REPO) }),
    operationOn('GET /repos/{owner}/{repo}', { shown: REPO }),
  ]
  const inference = inferHints(operations)

  expect(operations.map((operation) => inference.of(operation).action)).toEqual(['list', 'read'])
  expect(inference.resource('repos/{owner}')).toMatchObject({ item: '/repos/{owner}/{repo}' })
})

test('a word in a collection does not hide the records beside it', () => {
  const operations = [
    operationOn('GET /books', { shown: listOf(REPO) }),
    operationOn('GET /books/latest', { shown: REPO }),
    operationOn('GET /books/{id}', { shown: REPO }),
  ]
  const inference = inferHints(operations)

  expect(operations.map((operation) => inference.of(operation).action)).toEqual([
    'list',
    'list',
    'read',
  ])
})

test.each([
  ['createNote', 'create'],
  ['setNotes', 'stateless'],
])('a PUT %s on a list of records without paths is to %s', (id, action) => {
  const note = objectOf(['text', 'at'])
  const put = {
    ...operationOn('PUT /bills/{bill}/notes', { sent: note, shown: listOf(note) }),
    id,
  }
  const list = operationOn('GET /bills/{bill}/notes', { shown: listOf(note) })

  expect(inferHints([list, put]).of(put).action).toBe(action)
})

test('two paths that end with the same word are two resources', () => {
  const operations = [
    operationOn('GET /shop/books', { shown: listOf(REPO) }),
    operationOn('GET /library/books', { shown: listOf(REPO) }),
  ]
  const inference = inferHints(operations)

  expect(operations.map((operation) => inference.of(operation).resource)).toEqual([
    'shop/books',
    'library/books',
  ])
})

test('an unknown name has no resource', () => {
  expect(inferHints([]).resource('books')).toBeUndefined()
})

test('schemas are read when a hint is first needed', () => {
  const operation = operationOn('GET /books', { shown: listOf(REPO) })
  let reads = 0
  const lazy = Object.defineProperty({ ...operation }, 'responses', {
    get: () => {
      reads += 1
      return operation.responses
    },
  })
  const inference = inferHints([lazy])
  const before = reads

  inference.of(lazy)

  expect(before).toBe(0)
  expect(reads).toBeGreaterThan(0)
})

test.each([10, 1000])('the paths of %i operations are read a few times each', (size) => {
  let reads = 0
  const operations = Array.from({ length: size }, (_, index) => {
    const operation = operationOn(`GET /shelf-${index}/books`, { shown: listOf(REPO) })
    return Object.defineProperty({ ...operation }, 'path', {
      get: () => {
        reads += 1
        return operation.path
      },
    })
  })
  const inference = inferHints(operations)

  for (const operation of operations) inference.of(operation)

  expect(reads / size).toBeLessThanOrEqual(8)
})

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
    ['update', operationOn('PUT /books/{bookId}', { shown: BOOK })],
    ['act', operationOn('POST /books/{bookId}', { shown: BOOK })],
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

  test('below a record is an action when its name tells what it sets', () => {
    const shown = objectOf({
      id: ID,
      lent: { type: 'boolean' },
      lentAt: ID,
      read: { type: 'boolean' },
    })
    const operations = [
      operationOn('GET /books/{bookId}', { shown }),
      operationOn('POST /books/{bookId}/read', { status: 204 }),
      operationOn('DELETE /books/{bookId}/read', { shown: objectOf(['message']) }),
      operationOn('POST /books/{bookId}/actions/read', { shown: objectOf({ book: shown }) }),
      operationOn('POST /books/{bookId}/copy', { shown }),
      operationOn('POST /books/{bookId}/think', { shown: objectOf(['idea']) }),
    ]
    const inferred = inferHints(operations)

    expect(operations.slice(1).map((one) => inferred.of(one))).toEqual([
      { action: 'act', resource: 'books', set: { read: true } },
      { action: 'act', resource: 'books', set: { read: false } },
      { action: 'act', resource: 'books', record: '/book', set: { read: true } },
      { action: 'create', resource: 'books', record: '', body: '' },
      { action: 'stateless', reason: 'no-action' },
    ])
  })

  test.each<[string, Operation, string]>([
    [
      'below a record answers with something else',
      operationOn('POST /books/{bookId}/lend', { shown: objectOf(['until']) }),
      'no-action',
    ],
    [
      'searches',
      operationOn('POST /books/search', {
        sent: NEW_BOOK,
        shown: listOf(objectOf(['score', 'text'])),
      }),
      'search',
    ],
    [
      'changes many records in a way that is not known',
      operationOn('POST /books/bulk', { sent: listOf(objectOf(['op', 'path'])) }),
      'bulk',
    ],
    [
      'changes records as each item says',
      operationOn('POST /books/bulk', {
        sent: listOf({
          properties: { ...NEW_BOOK.properties, op: { enum: ['create', 'update', 'delete'] } },
        }),
      }),
      'mixed',
    ],
    ['may remove all records', operationOn('DELETE /books', { status: 204 }), 'bulk'],
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

  test('that shows the latest record of the collection above lists it alone', () => {
    const latest = operationOn('GET /books/latest', { shown: BOOK })
    const create = operationOn('POST /books', { sent: NEW_BOOK, shown: BOOK })

    expect(inferHints([read, create, latest]).of(latest)).toMatchObject({
      ...{ action: 'list', resource: 'books', record: '', sort: { default: '{added}' } },
    })
  })

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

const AREA = objectOf(['name', 'note', 'colour'])
const ID: Schema = { type: 'string' }

describe('the property of a record whose value a request contains', () => {
  test.each<[title: string, sent: Schema, record: Schema, part: string | undefined]>([
    ['has the same schema', AREA, objectOf({ id: ID, area: AREA }), 'area'],
    [
      'has most of the names in the request',
      objectOf(['name', 'note', 'draft']),
      objectOf({ id: ID, area: AREA, owner: objectOf(['name']) }),
      'area',
    ],
    [
      'is not needed where the record has one of the names',
      AREA,
      objectOf({ id: ID, name: ID, area: AREA }),
      undefined,
    ],
    [
      'needs more than one name of an object in the record',
      objectOf(['name']),
      objectOf({ id: ID, owner: objectOf(['id', 'name']) }),
      undefined,
    ],
    [
      'needs most of the names',
      objectOf(['name', 'note', 'size', 'age', 'shape']),
      objectOf({ id: ID, area: AREA }),
      undefined,
    ],
    ['is an object', AREA, objectOf({ id: ID, areas: listOf(AREA) }), undefined],
  ])('%s', (_title, sent, record, part) => {
    expect(partOf(sent, record)).toBe(part)
  })

  test('is a hint of each request with a body', () => {
    const shown = objectOf({ id: ID, area: AREA })
    const operations = [
      operationOn('POST /areas', { sent: AREA, shown: objectOf(['id']) }),
      operationOn('GET /areas/{id}', { shown }),
      operationOn('PUT /areas/{id}', { sent: AREA, shown }),
    ]

    const inferred = inferHints(operations)

    expect(operations.map((one) => inferred.of(one).part)).toEqual(['area', undefined, 'area'])
  })
})

describe('a property of a response that requests spell otherwise', () => {
  test.each<[title: string, shown: string[], sent: string[], views: object | undefined]>([
    ['is shown by its name', ['DueDate'], ['due_date'], { DueDate: 'due_date' }],
    ['needs no other name', ['due_date'], ['due_date'], undefined],
    ['is another one beside the same name', ['due_date', 'DueDate'], ['due_date'], undefined],
    ['is another one beside the request of both', ['DueDate'], ['due_date', 'DueDate'], undefined],
    ['is not the id', ['Id'], ['ID'], undefined],
    ['has the same letters', ['DueDay'], ['due_date'], undefined],
  ])('%s', (_title, shown, sent, views) => {
    expect(inferViews(objectOf(shown), new Set(sent), ['Id'])).toEqual(views)
  })

  test('is a hint of each response', () => {
    const shown = objectOf(['id', 'DueDate'])
    const operations = [
      operationOn('POST /tasks', { sent: objectOf(['due_date']), shown }),
      operationOn('GET /tasks/{id}', { shown }),
    ]

    const inferred = inferHints(operations)

    for (const one of operations) expect(inferred.of(one).views).toEqual({ DueDate: 'due_date' })
  })
})
