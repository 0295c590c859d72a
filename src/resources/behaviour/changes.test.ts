import { describe, expect, test } from 'vitest'
import { type DocumentedApi, type OpenedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const ADDRESS = objectOf(['street', 'city'])
const BOOK = {
  ...objectOf({
    id: { type: 'integer' },
    title: TEXT,
    subtitle: { type: ['string', 'null'] },
    note: TEXT,
    rating: { type: 'number', readOnly: true },
    publisher: objectOf({ name: TEXT, address: ADDRESS }),
  }),
  required: ['id', 'title', 'rating'],
}
const SENT = objectOf({
  title: TEXT,
  subtitle: { type: ['string', 'null'] },
  note: TEXT,
  publisher: objectOf({ name: TEXT, address: ADDRESS }),
})
const BOOKS: DocumentedApi = {
  'GET /books': { shown: listOf(BOOK) },
  'POST /books': { sent: SENT, shown: BOOK, status: [201] },
  'GET /books/{id}': { shown: BOOK, status: [200, 404] },
  'PUT /books/{id}': { sent: SENT, shown: BOOK, status: [200, 404] },
  'PATCH /books/{id}': { sent: SENT, shown: BOOK, status: [200, 404] },
  'POST /books/{id}/lend': { shown: BOOK },
}

const EMMA = { title: 'Emma', subtitle: 'A novel', note: 'Rare' }

async function withEmma(): Promise<OpenedApi & { path: string; made: Record<string, unknown> }> {
  const opened = await openApi(BOOKS)
  const { body } = await opened.ask('POST /books', EMMA)
  return { ...opened, path: `/books/${body.id}`, made: body }
}

test('PUT replaces what clients set, and keeps what only the service sets', async () => {
  const { ask, path, made } = await withEmma()

  const { body } = await ask(`PUT ${path}`, { title: 'Persuasion' })

  expect(body).toEqual({ id: made.id, title: 'Persuasion', rating: made.rating })
  expect((await ask(`GET ${path}`)).body).toEqual(body)
  expect((await ask('GET /books')).body).toContainEqual(body)
})

describe.each([
  ['the whole body', (patch: unknown) => patch],
  ['a part of the body', (patch: unknown) => ({ patch, comment: 'Tidy up' })],
])('a JSON Patch in plain JSON as %s', (_what, bodyOf) => {
  const patched = {
    ...BOOKS,
    'PATCH /books/{id}': { sent: {}, shown: BOOK, status: [200, 404] },
  }

  test('changes what it names', async () => {
    const { ask } = await openApi(patched)
    const { body: made } = await ask('POST /books', { ...EMMA, publisher: { name: 'Murray' } })
    const patch = [
      { op: 'replace', path: '/title', value: 'Persuasion' },
      { op: 'replace', path: '/publisher/name', value: 'Egerton' },
      { op: 'replace', path: '/publisher/address', value: { city: 'London' } },
      { op: 'remove', path: '/note' },
    ]

    const { body } = await ask(`PATCH /books/${made.id}`, bodyOf(patch))

    const { note: _, ...kept } = made
    const publisher = { name: 'Egerton', address: { city: 'London' } }
    expect(body).toEqual({ ...kept, title: 'Persuasion', publisher })
    expect((await ask(`GET /books/${made.id}`)).body).toEqual(body)
  })

  test('is a list of values when it has something else', async () => {
    const { ask } = await openApi(patched)
    const { body: made } = await ask('POST /books', EMMA)

    const { body } = await ask(`PATCH /books/${made.id}`, bodyOf([{ op: 'paint', path: '/title' }]))

    expect(body.title).toBe('Emma')
  })
})

test('PUT keeps what a record must have and the request need not', async () => {
  const labels = { type: 'object', additionalProperties: { type: 'string' } }
  const shown = { ...objectOf({ id: {}, name: TEXT, labels }), required: ['id', 'name', 'labels'] }
  const { ask } = await openApi({
    'POST /keys': { sent: objectOf({ name: TEXT, labels }), shown },
    'GET /keys/{id}': { shown },
    'PUT /keys/{id}': { sent: objectOf({ name: TEXT, labels }), shown, summary: 'Replaces a key.' },
  })
  const { body: made } = await ask('POST /keys', { name: 'home', labels: { env: 'dev' } })

  const { body } = await ask(`PUT /keys/${made.id}`, { name: 'work' })

  expect(body).toEqual({ ...made, name: 'work' })
})

describe('PATCH', () => {
  test('keeps what the client did not send', async () => {
    const { ask, path, made } = await withEmma()

    const { body } = await ask(`PATCH ${path}`, { title: 'Persuasion' })

    expect(body).toEqual({ ...made, title: 'Persuasion' })
    expect((await ask(`GET ${path}`)).body).toEqual(body)
  })

  test('removes a property by null, or sets null where the schema allows it', async () => {
    const { ask, path, made } = await withEmma()

    const { body } = await ask(`PATCH ${path}`, { subtitle: null })

    expect(body).toEqual({ ...made, subtitle: null })
    expect((await ask(`GET ${path}`)).body).toEqual(body)
  })

  test('merges objects at any depth', async () => {
    const { ask, path, made } = await withEmma()
    const publisher = { name: 'Murray', address: { street: 'Albemarle Street', city: 'London' } }
    await ask(`PATCH ${path}`, { publisher })

    const { body } = await ask(`PATCH ${path}`, { publisher: { address: { city: 'Bath' } } })

    const address = { street: 'Albemarle Street', city: 'Bath' }
    expect(body).toEqual({ ...made, publisher: { name: 'Murray', address } })
  })

  test('adds no record', async () => {
    const { ask } = await withEmma()

    expect((await ask('PATCH /books/77777', EMMA)).status).toBe(404)
    expect((await ask('GET /books/77777')).status).toBe(404)
  })
})

test('a response has no optional property that the client did not send', async () => {
  const { made, ask, path } = await withEmma()

  expect(made).toEqual({ id: expect.any(Number), rating: expect.any(Number), ...EMMA })
  expect((await ask(`GET ${path}`)).body).toEqual(made)
})

test('an object that the client sent in part is not completed with optional properties', async () => {
  const { ask } = await openApi(BOOKS)

  const { body } = await ask('POST /books', { ...EMMA, publisher: { name: 'Murray' } })

  expect(body.publisher).toEqual({ name: 'Murray' })
})

test('an action answers with the record', async () => {
  const { ask, path, made } = await withEmma()

  expect((await ask(`POST ${path}/lend`)).body).toEqual(made)
})

test('an action on a record that does not exist is a 404 after it was removed', async () => {
  const api = { ...BOOKS, 'DELETE /books/{id}': { status: [204] } }
  const { ask } = await openApi(api)
  const { body } = await ask('POST /books', EMMA)
  await ask(`DELETE /books/${body.id}`)

  expect((await ask(`POST /books/${body.id}/lend`)).status).toBe(404)
})

test('a body that the document does not describe is kept as the client sent it', async () => {
  const free = { type: 'object' }
  const { ask } = await openApi({
    'GET /things': { shown: listOf(free) },
    'POST /things': { sent: free, shown: free, status: [201] },
    'GET /things/{id}': { shown: free },
  })
  const thing = { colour: 'red', parts: [{ size: 3 }] }

  const { body } = await ask('POST /things', thing)

  expect(body).toEqual({ ...thing, id: expect.anything() })
  expect((await ask(`GET /things/${body.id}`)).body).toEqual(body)
  expect((await ask('GET /things')).body).toContainEqual(body)
})

test('a response without a documented body shows the record', async () => {
  const { ask } = await openApi({
    'GET /books': {},
    'POST /books': { sent: SENT, status: [201] },
    'GET /books/{id}': {},
  })

  const { status, body } = await ask('POST /books', EMMA)

  expect([status, body]).toEqual([201, expect.objectContaining(EMMA)])
  expect((await ask(`GET /books/${body.id}`)).body).toEqual(body)
  expect((await ask('GET /books')).body).toContainEqual(body)
})

test('a response without a documented body shows no password', async () => {
  const { ask } = await openApi({
    'POST /users': {
      sent: {
        type: 'object',
        properties: { name: { type: 'string' }, password: { type: 'string' } },
      },
      status: [201],
    },
    'GET /users/{id}': {},
  })

  const { body } = await ask('POST /users', { name: 'Emma', password: 'quiet' })

  expect(body).toEqual({ id: expect.anything(), name: 'Emma' })
  expect((await ask(`GET /users/${body.id}`)).body).toEqual(body)
})

test('an operation that documents only errors succeeds with the usual status', async () => {
  const { ask } = await openApi({
    'GET /books': { status: [400] },
    'POST /books': { sent: SENT, status: [400] },
    'GET /books/{id}': { status: [404] },
    'DELETE /books/{id}': { status: [404] },
  })

  const made = await ask('POST /books', EMMA)

  expect([made.status, made.body]).toEqual([201, expect.objectContaining(EMMA)])
  expect(await ask(`GET /books/${made.body.id}`)).toMatchObject({ status: 200, body: made.body })
  expect((await ask(`DELETE /books/${made.body.id}`)).status).toBe(204)
  expect((await ask(`GET /books/${made.body.id}`)).status).toBe(404)
})

test('a creation without a response body has a Location that leads to the record', async () => {
  const { ask } = await openApi({ ...BOOKS, 'POST /books': { sent: SENT, status: [204] } })

  const { status, headers } = await ask('POST /books', EMMA)

  expect(status).toBe(204)
  const { pathname } = new URL(headers.get('location') ?? '')
  expect((await ask(`GET ${pathname}`)).body).toMatchObject(EMMA)
})

test('a change that has the revision which the client has read gives the record another one', async () => {
  const meta = objectOf({ name: TEXT, resourceVersion: TEXT })
  const pod = objectOf({ id: TEXT, metadata: meta, image: TEXT })
  const sent = objectOf({ metadata: objectOf({ name: TEXT }), image: TEXT })
  const { ask } = await openApi({
    'POST /pods': { sent, shown: pod },
    'GET /pods/{id}': { shown: pod },
    'PUT /pods/{id}': { sent: pod, shown: pod },
  })
  const { body } = await ask('POST /pods', { image: 'a', metadata: { name: 'p' } })

  const changed = await ask(`PUT /pods/${body.id}`, { ...body, image: 'b' })

  expect(body.metadata).toEqual({ name: 'p', resourceVersion: expect.any(String) })
  expect(changed.body).toMatchObject({ image: 'b', metadata: { name: 'p' } })
  expect(changed.body.metadata).not.toEqual(body.metadata)
})
