import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

/** Books with these ids, and the parameter of their path. */
function books(
  parameter: string,
  shown: Schema,
  sent: Schema = objectOf(['title']),
  path: Readonly<Record<string, object>> = {},
): DocumentedApi {
  const item = `/books/{${parameter}}`
  return {
    'GET /books': { shown: listOf(shown) },
    'POST /books': { sent, shown, status: [201] },
    [`GET ${item}`]: { shown, status: [200, 404], path },
    [`PUT ${item}`]: { sent, shown, status: [200, 404], path },
    [`DELETE ${item}`]: { status: [204, 404], path },
  }
}

const TITLE = { type: 'string' }
const PATTERN = { type: 'string', pattern: '^bk_[a-z0-9]{8}$' }

describe('a new record is read, listed and removed by an id that', () => {
  test.each<[string, string, Schema, Readonly<Record<string, Schema>>]>([
    ['id', 'bookId', { type: 'integer' }, { bookId: { type: 'integer' } }],
    ['id', 'bookId', { type: 'integer' }, {}],
    ['id', 'id', { type: 'string', format: 'uuid' }, { id: { type: 'string', format: 'uuid' } }],
    ['gid', 'book_gid', { type: 'string' }, {}],
    ['isbn', 'isbn', { type: 'string', minLength: 10, maxLength: 13 }, {}],
    ['number', 'book_number', { type: 'integer' }, {}],
    ['slug', 'bookSlug', { type: 'string' }, {}],
    ['id', 'book', PATTERN, {}],
    ['id', 'book', { type: 'string' }, { book: PATTERN }],
    ['name', 'name', { type: 'string' }, {}],
  ])(
    'is called %s, under the path parameter %s, with the schema %j',
    async (id, parameter, schema, path) => {
      const { ask } = await openApi(
        books(parameter, objectOf({ [id]: schema, title: TITLE }), undefined, path),
      )

      const { body: made } = await ask('POST /books', { title: 'Emma' })
      const address = `/books/${made[id]}`

      expect(made.title).toBe('Emma')
      expect((await ask(`GET ${address}`)).body).toEqual(made)
      expect((await ask('GET /books')).body).toContainEqual(made)
      expect((await ask(`DELETE ${address}`)).status).toBe(204)
      expect((await ask(`GET ${address}`)).status).toBe(404)
      expect((await ask(`DELETE ${address}`)).status).toBe(404)
    },
  )
})

describe('an id that clients choose', () => {
  const shown = objectOf(['name', 'title'])
  const both = objectOf(['name', 'title'])
  const required = { ...both, required: ['name'] }

  test('is that of the new record', async () => {
    const { ask } = await openApi(books('name', shown, both))

    await ask('POST /books', { name: 'emma', title: 'Emma' })

    expect((await ask('GET /books/emma')).body).toEqual({ name: 'emma', title: 'Emma' })
  })

  test('is generated when a request leaves it out', async () => {
    const { ask } = await openApi(books('name', shown, both))

    const { body } = await ask<{ name: string }>('POST /books', { title: 'Emma' })

    expect((await ask(`GET /books/${encodeURIComponent(body.name)}`)).body).toEqual(body)
  })

  test('is another one where no path can contain it', async () => {
    const path = { name: { type: 'string', format: 'uuid' } }
    const { ask } = await openApi(books('name', shown, both, path))

    const { body } = await ask('POST /books', { name: 'emma', title: 'Emma' })

    expect(body.name).not.toBe('emma')
    expect((await ask(`GET /books/${body.name}`)).body).toEqual(body)
  })

  test.each<[what: string, sent: Schema, documented: readonly number[], answered: number]>([
    ['a documented 409', required, [409, 422], 409],
    ['a documented 422', required, [422, 400], 422],
    ['a documented 400', required, [400], 400],
    ['a 409, where the document has no such status,', required, [], 409],
    ['a 409, where a request need not have it,', both, [], 409],
  ])('is %s when somebody created a record with it', async (_, sent, documented, answered) => {
    const { ask, sandbox } = await openApi({
      ...books('name', shown, sent),
      'POST /books': { sent, shown, status: [201, ...documented] },
    })

    await ask('POST /books', { name: 'emma', title: 'Emma' })
    const again = await ask('POST /books', { name: 'emma', title: 'Other' })

    expect(again.status).toBe(answered)
    const note = { kind: 'undocumented-conflict', place: 'body.name' }
    expect(sandbox.journal.exchanges.at(-1)?.notes).toEqual(documented.length > 0 ? [] : [note])
    const { body } = await ask<{ name: string; title: string }[]>('GET /books')
    expect(body.filter(({ title }) => title === 'Other')).toEqual([])
    expect(body.filter(({ name }) => name === 'emma')).toEqual([{ name: 'emma', title: 'Emma' }])
  })

  test.each([
    ['need not have it', []],
    ['must have it', ['id']],
  ])(
    'is another one for the 0 of a client that does not set it, where a request %s',
    async (_, needed) => {
      const numbered = {
        ...objectOf({ id: { type: 'integer' }, title: TITLE }),
        required: needed,
      }
      const { ask } = await openApi(books('bookId', numbered, numbered))

      const { body: one } = await ask('POST /books', { id: 0, title: 'Emma' })
      const { body: other } = await ask('POST /books', { id: 0, title: 'Persuasion' })

      expect(one.id).not.toBe(0)
      expect(other.id).not.toBe(one.id)
      expect((await ask(`GET /books/${other.id}`)).body).toEqual(other)
    },
  )

  test('may be a number that is no id, such as the 0 of the ground floor, where a request must have it', async () => {
    const floor = objectOf({ number: { type: 'integer' }, title: TITLE })
    const sent = { ...floor, required: ['number', 'title'] }
    const { ask } = await openApi(books('number', sent, sent))

    const { body } = await ask('POST /books', { number: 0, title: 'Ground floor' })

    expect(body).toEqual({ number: 0, title: 'Ground floor' })
  })

  test('is taken when a test has created a record with it', async () => {
    const { ask, sandbox } = await openApi(books('name', shown, both))

    await sandbox.collection('books').create({ name: 'emma', title: 'Emma' })

    expect((await ask('POST /books', { name: 'emma', title: 'Other' })).status).toBe(409)
    expect((await ask('GET /books/emma')).body.title).toBe('Emma')
  })

  test('may be that of a first record, which gives way as a whole, with all below it', async () => {
    const more = objectOf(['name', 'title', 'author'])
    const pages = objectOf(['id', 'text'])
    const { ask } = await openApi({
      ...books('name', more, objectOf(['name', 'title'])),
      'GET /books/{name}/pages': { shown: listOf(pages) },
      'POST /books/{name}/pages': { sent: objectOf(['text']), shown: pages, status: [201] },
    })
    const { body: first } = await ask<{ name: string; author: string }[]>('GET /books')
    const [{ name, author } = { name: '', author: '' }] = first
    await ask(`POST /books/${name}/pages`, { text: 'One' })

    const { status } = await ask('POST /books', { name, title: 'Emma' })

    expect(status).toBe(201)
    const { body } = await ask(`GET /books/${name}`)
    expect(body).toMatchObject({ name, title: 'Emma' })
    expect(body.author).not.toBe(author)
    expect((await ask(`GET /books/${name}/pages`)).body).toEqual([])
    expect((await ask('GET /books')).body).toHaveLength(first.length)
    expect((await ask('POST /books', { name, title: 'Other' })).status).toBe(409)
  })

  test('may be called otherwise in the request', async () => {
    const { ask } = await openApi(
      books('bookKey', objectOf(['id', 'title']), objectOf(['book_key', 'title'])),
    )

    await ask('POST /books', { book_key: 'emma', title: 'Emma' })

    expect((await ask('GET /books/emma')).body).toMatchObject({ id: 'emma', title: 'Emma' })
  })

  test('makes PUT add a record', async () => {
    const { ask } = await openApi(books('name', shown, both))

    const { status } = await ask('PUT /books/emma', { title: 'Emma' })

    expect(status).toBe(200)
    expect((await ask('GET /books')).body).toContainEqual({ name: 'emma', title: 'Emma' })
  })
})

describe('a slug', () => {
  const shown = objectOf(['slug', 'title'])

  test.each(['slug', 'id'])('of a record with the %s in its path follows the name', async (id) => {
    const both = id === 'id' ? objectOf(['id', 'slug', 'title']) : shown
    const { ask } = await openApi(books(id === 'id' ? 'idOrSlug' : 'slug', both))
    const slugOf = async (title: string): Promise<unknown> =>
      (await ask('POST /books', { title })).body.slug

    expect(await slugOf(' Pride & Préjudice! ')).toBe('pride-prejudice')
    expect(await slugOf('Pride, prejudice')).toBe('pride-prejudice-2')
    expect(await slugOf('Pride prejudice')).toBe('pride-prejudice-3')
    expect((await ask('GET /books/pride-prejudice-2')).body.title).toBe('Pride, prejudice')
    expect(await slugOf('読書')).toMatch(/./)
  })

  test('of a new record may be that of a first record, which gives way to it', async () => {
    const { ask } = await openApi(books('slug', shown))
    const { body: first } = await ask<{ slug: string }[]>('GET /books')
    const [{ slug } = { slug: '' }] = first

    const { body: made } = await ask('POST /books', { title: slug.replaceAll('-', ' ') })

    expect(made.slug).toBe(slug)
    expect((await ask(`GET /books/${slug}`)).body).toEqual(made)
    expect((await ask('GET /books')).body).toHaveLength(first.length)
  })
})

describe('an id that no response shows', () => {
  test('is in the Location of a new record', async () => {
    const shown = objectOf(['title', 'pages'])
    const { ask } = await openApi(books('bookId', shown))

    const { headers, body } = await ask('POST /books', { title: 'Emma' })
    const path = new URL(headers.get('location') ?? '').pathname

    expect(path).toMatch(/^\/books\/.+/)
    expect((await ask(`GET ${path}`)).body).toEqual(body)
    expect((await ask(`DELETE ${path}`)).status).toBe(204)
    expect((await ask(`GET ${path}`)).status).toBe(404)
  })
})

describe('an unknown id', () => {
  const shown = objectOf({ id: { type: 'integer' }, title: TITLE })
  const api = books('bookId', shown)
  const { 'POST /books': _, ...readOnly } = api

  test.each(['GET', 'PUT', 'DELETE'])('is a 404 where the document has one: %s', async (method) => {
    const { ask } = await openApi(api)

    const sent = method === 'PUT' ? { title: 'Emma' } : undefined

    expect((await ask(`${method} /books/77777`, sent)).status).toBe(404)
    expect((await ask('GET /books')).body).not.toContainEqual(
      expect.objectContaining({ id: 77777 }),
    )
  })

  test('makes a record where the document has no 404', async () => {
    const { ask } = await openApi({ ...readOnly, 'GET /books/{bookId}': { shown } })

    const { body } = await ask('GET /books/77777')

    expect(body).toMatchObject({ id: 77777 })
    expect((await ask('GET /books/77777')).body).toEqual(body)
    expect((await ask('DELETE /books/77777')).status).toBe(204)
    expect((await ask('GET /books/77777')).status).toBe(404)
  })

  test('makes a record with unknownIds: create, although the document has a 404', async () => {
    const { ask } = await openApi(api, { unknownIds: 'create' })

    expect((await ask('GET /books/77777')).body).toMatchObject({ id: 77777 })
  })

  test('is a 404 with unknownIds: 404, although the document has none', async () => {
    const { sandbox } = await openApi(
      { ...readOnly, 'GET /books/{bookId}': { shown } },
      { unknownIds: '404' },
    )

    const { status } = await sandbox.fetch(new Request('http://localhost/books/77777'))

    expect(status).toBe(404)
  })

  test('is a 404 where a client has added the ending of the path twice', async () => {
    const text = { type: 'string' }
    const { ask } = await openApi({
      'GET /pages.json': { shown: listOf(objectOf({ id: text, title: TITLE })) },
      'GET /pages/{id}.json': { shown: objectOf({ id: text, title: TITLE }), path: { id: text } },
    })

    expect((await ask('GET /pages/77777.json')).status).toBe(200)
    expect((await ask('GET /pages/77777.json.json')).status).toBe(404)
  })

  test('is the id of a new record, where the document has a 201 for PUT', async () => {
    const sent = objectOf(['title'])
    const { ask } = await openApi({
      ...api,
      'PUT /books/{bookId}': { sent, shown, status: [200, 201, 404] },
    })

    expect((await ask('PUT /books/77777', { title: 'Emma' })).status).toBe(201)
    expect((await ask('PUT /books/77777', { title: 'Persuasion' })).status).toBe(200)
    expect((await ask('GET /books/77777')).body).toMatchObject({ id: 77777, title: 'Persuasion' })
  })
})

test('an id that is a text in the path and a number in one response is the same in both', async () => {
  const shown = objectOf({ id: { ...TITLE, example: '10000' }, title: TITLE })
  const { ask } = await openApi({
    ...books('bookId', shown),
    'POST /books': { sent: objectOf(['title']), shown: objectOf({ id: { type: 'integer' } }) },
  })

  const { body } = await ask('POST /books', { title: 'Emma' })

  expect(body).toEqual({ id: expect.any(Number) })
  expect((await ask(`GET /books/${body.id}`)).body).toEqual({ id: `${body.id}`, title: 'Emma' })
})

test('a new record for which no id is left shows what was sent', async () => {
  const schema = { type: 'integer' }
  const few = { id: { type: 'integer', minimum: 1, maximum: 2 } }
  const { ask } = await openApi(books('id', objectOf({ id: schema, title: TITLE }), undefined, few))

  for (const title of ['Emma', 'Persuasion', 'Sanditon']) {
    const { status, body } = await ask('POST /books', { title })

    expect([status, body.title]).toEqual([201, title])
  }
})

test('what was removed is a 410 where the document has no 404', async () => {
  const thing = { ...objectOf(['id', 'name']), required: ['id', 'name'] }
  const { ask } = await openApi({
    'GET /things': { shown: listOf(thing) },
    'POST /things': { sent: objectOf(['name']), shown: thing, status: [201] },
    'GET /things/{id}': { shown: thing, status: [200, 410] },
    'DELETE /things/{id}': { status: [204] },
  })
  const { body: created } = await ask('POST /things', { name: 'new' })

  await ask(`DELETE /things/${created.id}`)
  const removed = await ask(`GET /things/${created.id}`)

  expect(removed.status).toBe(410)
})
