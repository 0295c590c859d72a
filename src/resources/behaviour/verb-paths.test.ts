import { expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const ID = { type: 'integer' } as const
const TEXT = { type: 'string' } as const
const BOOK = { ...objectOf({ id: ID, title: TEXT, author: TEXT }), required: ['id', 'title'] }
const NEW = { ...objectOf(['title', 'author']), required: ['title'] }

const BOOKS: DocumentedApi = {
  'POST /books/create': { sent: NEW, shown: BOOK, status: [201] },
  'GET /books/list': { shown: listOf(BOOK) },
  'GET /books/search': { shown: listOf(BOOK), query: { author: TEXT } },
  'POST /books/query': { sent: objectOf(['author']), shown: objectOf({ data: listOf(BOOK) }) },
  'GET /books/count': { shown: ID, query: { author: TEXT } },
  'GET /books/{id}/json': { shown: BOOK, status: [200, 404] },
  'POST /books/{id}/update': { sent: objectOf(['title']), shown: BOOK, status: [200, 404] },
  'POST /books/{id}/delete': { status: [204, 404] },
}

test('a record is created, read, changed and removed by paths that end with a verb', async () => {
  const { ask } = await openApi(BOOKS)

  const created = await ask<{ id: number }>('POST /books/create', { title: 'Emma', author: 'Jane' })
  const { id } = created.body
  const changed = await ask(`POST /books/${id}/update`, { title: 'Persuasion' })
  const read = await ask(`GET /books/${id}/json`)
  const listed = await ask<readonly object[]>('GET /books/list')
  const removed = await ask(`POST /books/${id}/delete`)
  const gone = await ask(`GET /books/${id}/json`)

  expect(changed.body).toEqual({ id, title: 'Persuasion', author: 'Jane' })
  expect(read.body).toEqual(changed.body)
  expect(listed.body).toContainEqual(read.body)
  expect([removed.status, gone.status]).toEqual([204, 404])
})

test('Location is the address of the record, without the verb of the creation', async () => {
  const { ask } = await openApi({ ...BOOKS, 'DELETE /books/{id}': { status: [204] } })

  const { body, headers } = await ask('POST /books/create', { title: 'Emma' })

  expect(headers.get('location')).toMatch(new RegExp(`/books/${body.id}$`))
})

test('searches and the count are of the same records', async () => {
  const { ask } = await openApi(BOOKS)
  const { body: before } = await ask<number>('GET /books/count')
  const { body: book } = await ask('POST /books/create', { title: 'Emma', author: 'Jane Austen' })

  const found = await ask('GET /books/search?author=Jane%20Austen')
  const queried = await ask('POST /books/query', { author: 'Jane Austen' })
  const others = await ask('POST /books/query', { author: 'Nobody' })
  const count = await ask<number>('GET /books/count')
  const own = await ask<number>('GET /books/count?author=Jane%20Austen')

  expect(found.body).toEqual([book])
  expect(queried.body).toMatchObject({ data: [book] })
  expect(others.body).toMatchObject({ data: [] })
  expect([count.body, own.body]).toEqual([before + 1, 1])
})

test('an answer that contains another record of the same kind is the record itself', async () => {
  const post = objectOf({ id: ID, text: TEXT, author: TEXT })
  const nested = { ...post, properties: { ...post.properties, parent: post } }
  const { ask } = await openApi({
    'POST /posts': { sent: objectOf(['text']), shown: nested, status: [201] },
    'GET /posts/{id}': { shown: post, status: [200, 404] },
  })

  const { body } = await ask('POST /posts', { text: 'Hello' })

  expect(body).toMatchObject({ text: 'Hello' })
  expect((await ask(`GET /posts/${body.id}`)).body).toMatchObject({ id: body.id, text: 'Hello' })
})

test('records are read, changed and removed by requests that name them, where no path does', async () => {
  const { ask } = await openApi({
    'GET /books/all': { shown: listOf(BOOK) },
    'POST /books/new': { sent: NEW, shown: BOOK, status: [201] },
    'GET /books/details': { shown: BOOK, query: { id: ID }, status: [200, 404] },
    'POST /books/update': { sent: BOOK, shown: BOOK, status: [200, 404] },
    'POST /books/delete': { sent: objectOf({ id: ID }), status: [204, 404] },
  })

  const { body } = await ask('POST /books/new', { title: 'Emma', author: 'Jane' })
  const changed = await ask('POST /books/update', { id: body.id, title: 'Persuasion' })
  const read = await ask(`GET /books/details?id=${body.id}`)
  const removed = await ask('POST /books/delete', { id: body.id })
  const gone = await ask(`GET /books/details?id=${body.id}`)

  expect(changed.body).toEqual({ id: body.id, title: 'Persuasion', author: 'Jane' })
  expect(read.body).toEqual(changed.body)
  expect([removed.status, gone.status]).toEqual([204, 404])
})

test('a creation may answer with nothing but the id', async () => {
  const { ask } = await openApi({
    'POST /books': { sent: NEW, shown: ID, status: [201] },
    'GET /books/{id}': { shown: BOOK, status: [200, 404], path: { id: ID } },
  })

  const { body: id } = await ask<number>('POST /books', { title: 'Emma' })

  expect((await ask(`GET /books/${id}`)).body).toMatchObject({ id, title: 'Emma' })
})

test('a path that tells of changes shows a record that was added', async () => {
  const pod = objectOf({ metadata: objectOf(['name', 'zone']), node: TEXT })
  const event = objectOf({ type: TEXT, object: { type: 'object' } })
  const { ask } = await openApi({
    'GET /v1/pods': { shown: listOf(pod) },
    'POST /v1/pods': { sent: pod, shown: pod, status: [201] },
    'GET /v1/pods/{name}': { shown: pod },
    'GET /v1/watch/pods': { shown: event },
    'GET /v1/watch/pods/{name}': { shown: event },
  })

  const listed = await ask<readonly object[]>('GET /v1/pods')
  const created = await ask('POST /v1/pods', { metadata: { name: 'web' }, node: 'a' })
  const watched = await ask('GET /v1/watch/pods/web')
  const first = await ask('GET /v1/watch/pods')

  expect(watched.body).toEqual({ type: 'ADDED', object: created.body })
  expect(first.body).toEqual({ type: 'ADDED', object: listed.body[0] })
})

test('the id in a body may be called as the list calls its records', async () => {
  const screening = objectOf({ id: TEXT, term: TEXT, state: TEXT })
  const named = { entity_screening_id: TEXT }
  const { ask } = await openApi({
    'POST /entity/create': { sent: objectOf(['term']), shown: screening },
    'POST /entity/get': { sent: objectOf(named), shown: screening, status: [200, 404] },
    'POST /entity/update': {
      sent: objectOf({ ...named, term: TEXT, reset_fields: listOf(TEXT) }),
      shown: screening,
      status: [200, 404],
    },
    'POST /entity/list': {
      sent: objectOf({ count: ID }),
      shown: objectOf({ entity_screenings: listOf(screening), next_cursor: TEXT }),
    },
  })
  const { body } = await ask('POST /entity/create', { term: 'Acme' })

  const id = { entity_screening_id: body.id }
  const changed = await ask('POST /entity/update', { ...id, term: 'Acme Inc' })

  expect(changed.body).toEqual({ ...body, term: 'Acme Inc' })
  expect((await ask('POST /entity/get', id)).body).toEqual(changed.body)
})

test('all operations may be a POST whose body names the record', async () => {
  const states = { enum: ['pending', 'cancelled'] }
  const transfer = objectOf({ id: TEXT, amount: TEXT, status: { ...TEXT, ...states } })
  const one = objectOf({ transfer })
  const id = objectOf(['transfer_id'])
  const { ask } = await openApi({
    'POST /transfer/create': { sent: objectOf(['amount']), shown: one },
    'POST /transfer/get': { sent: id, shown: one, status: [200, 404] },
    'POST /transfer/list': {
      sent: objectOf({ count: ID, offset: ID }),
      shown: objectOf({ transfers: listOf(transfer), policies: listOf(objectOf(['id'])) }),
    },
    'POST /transfer/search': {
      sent: objectOf(['query']),
      shown: objectOf({ transfers: listOf(transfer) }),
    },
    'POST /transfer/cancel': { sent: id, status: [204] },
    'POST /transfer/remove': { sent: id, status: [204, 404] },
  })

  const { body } = await ask('POST /transfer/create', { amount: '12.50' })
  const { transfer: created } = body as { readonly transfer: { readonly id: string } }
  const named = { transfer_id: created.id }
  await ask('POST /transfer/cancel', named)
  const read = await ask('POST /transfer/get', named)
  const listed = await ask('POST /transfer/list', { count: 1 })
  const found = await ask('POST /transfer/search', { query: '12.50' })
  await ask('POST /transfer/remove', named)
  const gone = await ask('POST /transfer/get', named)

  expect(read.body).toEqual({ transfer: { ...created, status: 'cancelled' } })
  expect(listed.body).toMatchObject({ transfers: [read.body.transfer] })
  expect(found.body).toMatchObject({ transfers: [{ id: created.id }] })
  expect(gone.status).toBe(404)
})

test('a list beside the path of its records lists them', async () => {
  const item = {
    ...objectOf({ id: { type: 'string' }, title: { type: 'string' } }),
    required: ['id'],
  }
  const { ask } = await openApi({
    'POST /catalog/objects': { sent: objectOf(['title']), shown: item, status: [201] },
    'GET /catalog/objects/{id}': { shown: item, status: [200, 404] },
    'GET /catalog/list': { shown: objectOf({ objects: listOf(item) }) },
  })
  const { body } = await ask('POST /catalog/objects', { title: 'Tea' })

  const { body: list } = await ask('GET /catalog/list')

  expect(list.objects).toContainEqual(body)
})
