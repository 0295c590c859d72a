import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import type { ResourceHints } from '../contract/hints.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'
import { showsOneRecord } from './infer-resource.ts'

const BOOK = objectOf(['id', 'title'])
const BOOKS = listOf(BOOK)
const NEW_BOOK = objectOf(['title'])
const FREE: Schema = { type: 'object' }

/** The only resource that the operations have. */
function resourceOf(...operations: readonly Operation[]): ResourceHints | undefined {
  const { paths, resource } = inferHints(operations)
  const found = [...paths.keys()].flatMap((name) => resource(name) ?? [])
  if (found.length > 1) throw new Error(`${found.length} resources`)
  return found[0]
}

const list = operationOn('GET /books', { shown: BOOKS })
const create = operationOn('POST /books', { sent: NEW_BOOK, shown: BOOK, status: 201 })
const read = operationOn('GET /books/{bookId}', { shown: BOOK })
const replace = operationOn('PUT /books/{bookId}', { sent: NEW_BOOK, shown: BOOK })
const remove = operationOn('DELETE /books/{bookId}', { status: 204 })

describe('records are', () => {
  test.each<[string, readonly Operation[]]>([
    ['listed', [list]],
    ['created', [operationOn('POST /books', { sent: NEW_BOOK, status: 204 }), remove]],
    ['read', [read]],
    ['changed and shown', [replace]],
    ['listed in a body that the document does not describe', [operationOn('GET /books'), remove]],
  ])('%s', (_case, operations) => {
    expect(resourceOf(...operations)).toMatchObject({ name: 'books', path: '/books' })
  })

  test.each<[string, readonly Operation[]]>([
    ['a path that shows no list', [operationOn('GET /health', { shown: objectOf(['status']) })]],
    ['a path to which clients only send', [operationOn('POST /logins', { sent: FREE })]],
    ['records that can only be removed', [remove]],
  ])('not inferred from %s', (_case, operations) => {
    expect(resourceOf(...operations)).toBeUndefined()
  })
})

describe('the id of a resource', () => {
  test('is the property that its responses show', () => {
    expect(resourceOf(list, create, read, remove)).toEqual({
      name: 'books',
      path: '/books',
      item: '/books/{bookId}',
      id: 'id',
      view: 'GET /books/{bookId}',
    })
  })

  test.each<[string, Schema]>([
    ['forbids further properties', { ...objectOf(['pages']), additionalProperties: false }],
    ['forbids properties that no schema names', { ...FREE, unevaluatedProperties: false }],
    ['allows only certain values', { ...FREE, additionalProperties: { type: 'boolean' } }],
    ['is of a text', { type: 'string' }],
    [
      'has objects of these names',
      objectOf({ bookId: objectOf(['value']), id: objectOf(['value']) }),
    ],
    ['forbids them in a branch', { allOf: [{ ...FREE, additionalProperties: false }] }],
  ])('is hidden when no response shows one, and their schema %s', (_case, shown) => {
    expect(resourceOf(operationOn('GET /books/{bookId}', { shown }))).toMatchObject({
      id: '$id',
      hasHiddenIds: true,
    })
  })

  test.each<[string, Schema]>([
    ['has other properties', objectOf(['pages'])],
    ['describes nothing', FREE],
    ['describes nothing of a list', listOf({})],
    ['allows any further property', { ...objectOf(['pages']), additionalProperties: {} }],
  ])('is called as in the path when no response names one, and their schema %s', (_case, shown) => {
    const operation = operationOn('GET /books/{bookId}', { shown })

    expect(resourceOf(operation)).toMatchObject({ id: 'bookId' })
    expect(resourceOf(operation)?.hasHiddenIds).toBeUndefined()
  })

  test('is called id when the records have something else with the name in the path', () => {
    const shown = objectOf({ bookId: objectOf(['value']), pages: {} })

    expect(resourceOf(operationOn('GET /books/{bookId}', { shown }))?.id).toBe('id')
  })

  test('is shown in those responses that allow it', () => {
    const shown = { ...objectOf(['pages']), additionalProperties: false }
    const books = operationOn('GET /books', { shown: listOf(objectOf(['title'])) })

    expect(resourceOf(operationOn('GET /books/{bookId}', { shown }), books)?.id).toBe('bookId')
  })

  test('is the property that an example shows, where the schema describes nothing', () => {
    const example = { isbn: '978', title: 'Emma' }

    expect(resourceOf(operationOn('GET /books/{isbn}', { shown: FREE, example }))?.id).toBe('isbn')
  })

  test('is stored under a name of its own when responses show it in an object only', () => {
    const metadata = objectOf(['name'])
    const shown = operationOn('GET /books/{name}', { shown: objectOf({ metadata }) })

    expect(resourceOf(shown)).toEqual(expect.not.objectContaining({ hasHiddenIds: true }))
    expect(resourceOf(shown)?.id).toBe('$id')
  })
})

describe('clients choose the ids', () => {
  test.each<[string, Schema]>([
    ['when the request that creates a record has the id', objectOf(['id', 'title'])],
    ['when that request has a property like the path parameter', objectOf(['book_id', 'title'])],
    ['also in an envelope', objectOf({ book: objectOf(['id', 'title']) })],
  ])('%s', (_case, sent) => {
    expect(resourceOf(operationOn('POST /books', { sent, shown: BOOK }), read)).toMatchObject({
      ids: 'client',
    })
  })

  test.each<[string, Schema]>([
    ['when the request has none', NEW_BOOK],
    ['when it is read-only', objectOf({ id: { type: 'string', readOnly: true } })],
  ])('not %s', (_case, sent) => {
    expect(resourceOf(operationOn('POST /books', { sent, shown: BOOK }), read)?.ids).toBeUndefined()
  })
})

describe('most of a record is shown by', () => {
  test.each<[string, readonly Operation[], string]>([
    ['the response to a read', [list, create, read], read.id],
    ['else an item of the list', [create, list], list.id],
    ['else the response to a creation', [replace, create], create.id],
    ['else the response to a change', [replace], replace.id],
    [
      'the first response that has the id',
      [list, operationOn('GET /books/{bookId}', { shown: objectOf(['pages']) })],
      list.id,
    ],
  ])('%s', (_case, operations, view) => {
    expect(resourceOf(...operations)?.view).toBe(view)
  })
})

describe('a path has one record only', () => {
  const shown = objectOf(['theme', 'locale'])
  const readOne = operationOn('GET /settings', { shown })
  const single = { name: 'settings', path: '/settings', id: '$id', isSingle: true }

  test.each<[string, Operation]>([
    ['when it can be read and replaced', operationOn('PUT /settings', { sent: shown, shown })],
    ['when it can be read and updated', operationOn('PATCH /settings', { sent: shown })],
    ['when it can be read and removed', operationOn('DELETE /settings', { status: 204 })],
  ])('%s', (_case, change) => {
    expect(resourceOf(readOne, change)).toMatchObject(single)
  })

  test.each<[string, readonly Operation[]]>([
    ['when it can only be read', [readOne]],
    ['when it shows a list', [list, operationOn('PUT /books', { sent: BOOKS })]],
  ])('not %s', (_case, operations) => {
    expect(resourceOf(...operations)?.isSingle).toBeUndefined()
  })

  test('also below a record', () => {
    const path = '/users/{id}/settings'
    const change = operationOn(`PUT ${path}`, { sent: shown, shown })

    expect(resourceOf(operationOn(`GET ${path}`, { shown }), change)).toMatchObject({
      path,
      isSingle: true,
    })
  })
})

const ITEM = objectOf(['itemId', 'title'])
const TEXT: Schema = { type: 'string' }
const ORDER = objectOf({ orderId: TEXT, status: TEXT, address: TEXT, items: listOf(ITEM) })

describe('a response at the path of a record, below which there are others,', () => {
  test.each<[title: string, body: Schema, path: string, isOne: boolean]>([
    ['shows the record by its id', ORDER, '/orders/{orderId}', true],
    ['shows the record in an envelope', objectOf({ data: ORDER }), '/orders/{orderId}', true],
    ['is a list', listOf(ORDER), '/orders/{orderId}', false],
    ['is a list in an envelope', objectOf({ items: listOf(ITEM) }), '/orders/{orderId}', false],
    [
      'is a list beside the id',
      objectOf({ orderId: TEXT, count: TEXT, items: listOf(ITEM) }),
      '/orders/{orderId}',
      false,
    ],
    ['shows no id', objectOf({ status: TEXT, items: listOf(ITEM) }), '/orders/{orderId}', false],
    ['belongs to a collection', ORDER, '/orders', false],
  ])('%s', (_title, body, path, isOne) => {
    expect(showsOneRecord(body, path)).toBe(isOne)
  })

  test('is no list of the records below it', () => {
    const order = operationOn('GET /orders/{orderId}', { shown: ORDER })
    const item = operationOn('GET /orders/{orderId}/{itemId}', { shown: ITEM })

    const inferred = inferHints([operationOn('GET /orders', { shown: listOf(ORDER) }), order, item])

    expect(inferred.of(order)).toMatchObject({ action: 'read', resource: 'orders', record: '' })
    expect(inferred.of(item).action).toBe('read')
  })
})

test.each([['tag_name'], ['new_tag_name']])('the name of a record may be sent as %s', (sentAs) => {
  const tag = objectOf(['id', 'name', 'message'])
  const operations = [
    operationOn('POST /tags', { sent: objectOf([sentAs, 'message']), shown: tag, status: 201 }),
    operationOn('GET /tags/{tag}', { shown: tag }),
  ]
  const inference = inferHints(operations)

  expect(inference.resource('tags')).toMatchObject({ id: 'name', ids: 'client' })
  expect(operations.map((one) => inference.of(one).sentId)).toEqual([sentAs, undefined])
})

describe('the id of another record of the same kind in a creation', () => {
  const COMMENT = objectOf(['id', 'text', 'parent_id'])
  const LIST = operationOn('GET /comments', { shown: listOf(COMMENT) })
  const ITEM = operationOn('GET /comments/{comment_id}', { shown: COMMENT })

  test.each(['comment_id', 'commentId'])(
    'is that of the record to which it replies: %s',
    (name) => {
      const creation = operationOn('POST /comments', {
        sent: objectOf(['text', name]),
        shown: COMMENT,
      })
      const { of, resource } = inferHints([LIST, ITEM, creation])

      expect(resource('comments')?.ids).toBeUndefined()
      expect(of(creation).set).toEqual({ parent_id: `{body.${name}}` })
    },
  )

  test.each<[why: string, sent: Schema]>([
    ['it is required', { ...objectOf(['text', 'comment_id']), required: ['comment_id'] }],
    ['the parent is named, too', objectOf(['text', 'comment_id', 'parent_id'])],
  ])('is its own where %s', (_why, sent) => {
    const creation = operationOn('POST /comments', { sent, shown: COMMENT })
    const { of, resource } = inferHints([LIST, ITEM, creation])

    expect(resource('comments')?.ids).toBe('client')
    expect(of(creation).set).toBeUndefined()
  })
})
