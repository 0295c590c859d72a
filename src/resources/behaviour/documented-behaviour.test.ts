import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { loadContract } from '../../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'
import { useTemporaryDirectory } from '../../testing/temporary-directory.ts'

const folder = useTemporaryDirectory()

/** A sandbox of a document with books. `more` replaces parts of their operations. */
async function open(more: Readonly<Record<string, object>> = {}): Promise<Sandbox> {
  const file = join(folder(), 'books.json')
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } }
  const one = { '200': { description: 'A book', content } }
  const list = { type: 'array', items: { $ref: '#/components/schemas/Book' } }
  const sent = { type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
  const requestBody = { content: { 'application/json': { schema: sent } } }
  const bookId = { name: 'bookId', in: 'path', required: true, schema: { type: 'integer' } }
  const all = { '200': { description: 'All', content: { 'application/json': { schema: list } } } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Books', version: '1' },
    paths: {
      '/books': {
        get: { responses: all, ...more['GET /books'] },
        post: {
          requestBody,
          responses: { '201': { description: 'New', content } },
          ...more['POST /books'],
        },
      },
      '/books/{bookId}': {
        parameters: [bookId],
        get: { responses: one, ...more['GET /books/{bookId}'] },
        patch: { requestBody, responses: one, ...more['PATCH /books/{bookId}'] },
        delete: { responses: { '204': { description: 'Gone' } } },
      },
    },
    components: {
      schemas: {
        Book: {
          type: 'object',
          required: ['id', 'title', 'pages', 'code'],
          properties: {
            id: { type: 'integer' },
            title: { type: 'string', minLength: 3 },
            pages: { type: 'integer', minimum: 1 },
            code: { type: 'string', pattern: '^[A-Z]{3}$' },
          },
        },
      },
    },
  }
  await writeFile(file, JSON.stringify(document))

  return createSandbox({ contract: await loadContract(file), records: 3 })
}

function send(
  sandbox: Sandbox,
  target: string,
  { body, ...headers }: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const [method = '', path = ''] = target.split(' ')
  const type = body === undefined ? undefined : { 'Content-Type': 'application/json' }
  return sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(body && { body }),
    }),
  )
}

const BOOK = {
  id: expect.any(Number),
  title: expect.any(String),
  pages: expect.any(Number),
  code: expect.stringMatching(/^[A-Z]{3}$/),
}

describe('a created record', () => {
  test('has what the client sent, and generated values for what else a response must have', async () => {
    const sandbox = await open()

    const response = await send(sandbox, 'POST /books', { body: '{"title":"Emma"}' })
    const created = await response.json()

    expect([response.status, created]).toEqual([201, { ...BOOK, title: 'Emma' }])
    expect(response.headers.get('location')).toBe(`http://localhost/books/${created.id}`)
    expect(await (await send(sandbox, `GET /books/${created.id}`)).json()).toEqual(created)
  })

  test('is not refused for a value that only the schema of the response forbids', async () => {
    const sandbox = await open()

    const response = await send(sandbox, 'POST /books', { body: '{"title":"It"}' })

    expect([response.status, await response.json()]).toEqual([201, BOOK])
  })

  test('is undone when the client accepts no media type of the response', async () => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } }
    const responses = { '201': { description: 'New', content }, '406': { description: 'No' } }
    const sandbox = await open({ 'POST /books': { responses } })

    const response = await send(sandbox, 'POST /books', {
      body: '{"title":"Emma"}',
      Accept: 'text/csv',
    })

    expect(response.status).toBe(406)
    expect(await sandbox.collection('books').count()).toBe(3)
  })
})

describe('a changed record', () => {
  test('keeps what the client sent', async () => {
    const response = await send(await open(), 'PATCH /books/1', { body: '{"title":"Emma"}' })

    expect([response.status, await response.json()]).toEqual([
      200,
      { ...BOOK, id: 1, title: 'Emma' },
    ])
  })
})

describe('a record that does not exist', () => {
  test('is answered with a value for its id, where the document has no 404', async () => {
    const response = await send(await open(), 'GET /books/77')

    expect([response.status, await response.json()]).toEqual([200, { ...BOOK, id: 77 }])
  })

  test('is a 404 where the document has one', async () => {
    const responses = { '200': { description: 'A book' }, '404': { description: 'None' } }
    const sandbox = await open({ 'GET /books/{bookId}': { responses } })

    expect((await send(sandbox, 'GET /books/77')).status).toBe(404)
  })
})

describe('a record whose id the document names', () => {
  const responses = { '200': { description: 'A book' }, '404': { description: 'None' } }
  const parameters = [
    { name: 'bookId', in: 'path', required: true, schema: { type: 'integer' }, example: 2 },
    { name: 'x', in: 'query', schema: {} },
  ]

  test('is answered, also when no record has it at first', async () => {
    const [book, ...others] = parameters
    const named = [{ ...book, example: 99 }, ...others]
    const sandbox = await open({ 'GET /books/{bookId}': { responses, parameters: named } })

    expect((await send(sandbox, 'GET /books/99')).status).toBe(200)
    expect((await send(sandbox, 'GET /books/77')).status).toBe(404)
  })

  test('is a 404 after a client removed it', async () => {
    const sandbox = await open({ 'GET /books/{bookId}': { responses, parameters } })
    await send(sandbox, 'DELETE /books/2')

    expect((await send(sandbox, 'GET /books/2')).status).toBe(404)
  })
})

describe('a response whose schema is another one than that of the records', () => {
  test('keeps the values of the records, and has what else it needs', async () => {
    const view = {
      type: 'object',
      required: ['id', 'shelf'],
      properties: { id: { type: 'integer' }, title: { type: 'string' }, shelf: { enum: ['A'] } },
      additionalProperties: false,
    }
    const schema = { type: 'array', items: view }
    const responses = { '200': { description: 'All', content: { 'application/json': { schema } } } }
    const sandbox = await open({ 'GET /books': { responses } })
    const [first] = await sandbox.collection('books').list()

    const listed = await (await send(sandbox, 'GET /books')).json()

    expect(listed).toHaveLength(3)
    expect(listed[0]).toEqual({ id: 1, title: first?.title, shelf: 'A' })
  })

  test('is written in the media type that the client wants', async () => {
    const schema = { $ref: '#/components/schemas/Book' }
    const content = { 'application/json': { schema }, 'application/xml': { schema } }
    const responses = { '200': { description: 'A book', content } }
    const sandbox = await open({ 'GET /books/{bookId}': { responses } })

    const response = await send(sandbox, 'GET /books/2', { Accept: 'application/xml' })

    expect(response.headers.get('content-type')).toBe('application/xml')
    expect(await response.text()).toContain('<books><id>2</id>')
  })
})

describe('an example that the client prefers', () => {
  const content = {
    'application/json': {
      schema: { $ref: '#/components/schemas/Book' },
      examples: {
        emma: { value: { id: 9, title: 'Emma', pages: 1, code: 'ABC' } },
        bad: { value: {} },
      },
    },
  }
  const responses = { '201': { description: 'New', content } }

  test('is sent, and nothing changes', async () => {
    const sandbox = await open({ 'POST /books': { responses } })

    const response = await send(sandbox, 'POST /books', {
      body: '{"title":"It"}',
      Prefer: 'example=emma',
    })

    expect(await response.json()).toMatchObject({ id: 9, title: 'Emma' })
    expect(response.headers.get('preference-applied')).toBe('example=emma')
    expect(await sandbox.collection('books').count()).toBe(3)
  })

  test.each(['bad', 'other'])(
    'is ignored and noted, if it is invalid or unknown: %s',
    async (name) => {
      const sandbox = await open({ 'POST /books': { responses } })

      const response = await send(sandbox, 'POST /books', {
        body: '{"title":"Emma"}',
        Prefer: `example=${name}`,
      })

      expect(await response.json()).toMatchObject({ title: 'Emma' })
      expect(sandbox.journal.exchanges[0]?.notes).toEqual([
        { kind: 'ignored-preference', place: `prefer.example=${name}` },
      ])
    },
  )
})

test('the number of all records is in the header that the document has for it', async () => {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Book' } }
  const headers = { 'X-Total-Count': { schema: { type: 'integer' } } }
  const responses = {
    '200': { description: 'All', headers, content: { 'application/json': { schema } } },
  }
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer' } }
  const sandbox = await open({ 'GET /books': { parameters: [limit], responses } })

  const response = await send(sandbox, 'GET /books?limit=1')

  expect(await response.json()).toHaveLength(1)
  expect(response.headers.get('x-total-count')).toBe('3')
})

test('a new record has nothing of which a description says that only some records have it', async () => {
  const text = (description: string): Schema => ({ type: 'string', description, example: 'x' })
  const book = objectOf({
    id: { type: 'string' },
    loan_id: text('Only set once the book is lent.'),
    heir_name: text('If the owner was replaced, the name of the new one.'),
    token: text('Only returned once when creating a book.'),
    cover: text('If set, the file that the cover is made of.'),
  })
  const { ask } = await openApi({
    'POST /books': { sent: objectOf(['title']), shown: book },
    'GET /books/{id}': { shown: book },
  })

  const { body } = await ask('POST /books', { title: 'A' })

  expect(body).toEqual({ id: expect.any(String), token: 'x', cover: 'x' })
})

describe('a response that only requests with a flag in the query get', () => {
  const item = objectOf({ id: { type: 'integer' }, name: { type: 'string' } })
  const changed = {
    sent: objectOf(['name']),
    shown: objectOf({ response: { type: 'object' } }),
    status: [200, 204, 404],
    query: { envelope: { type: 'boolean' } },
  }

  test.each([
    ['When `envelope=true`', 204, 200],
    ['Only if the parameter envelope is set to true.', 204, 200],
    ['The changed item', 200, 200],
    ['When debug=true', 200, 200],
  ])('is described by %j', async (description, usual, flagged) => {
    const { ask } = await openApi({
      'GET /items': { shown: listOf(item) },
      'GET /items/{id}': { shown: item },
      'PUT /items/{id}': { ...changed, described: { 200: description } },
    })

    expect((await ask('PUT /items/1', { name: 'a' })).status).toBe(usual)
    expect((await ask('PUT /items/1?envelope=true', { name: 'a' })).status).toBe(flagged)
  })
})

test.each([
  [
    { status: { type: 'integer' }, code: { type: 'integer', example: 0 } },
    { status: 201, code: 0 },
  ],
  [
    { httpCode: { type: 'integer' }, code: { enum: [7] } },
    { httpCode: 201, code: 7 },
  ],
])(
  'the number for the status around a record is that of the response: %j',
  async (own, expected) => {
    const item = objectOf({ id: { type: 'integer' }, name: { type: 'string' } })
    const { ask } = await openApi({
      'GET /items': { shown: listOf(item) },
      'POST /items': {
        sent: objectOf(['name']),
        shown: objectOf({ data: item, ...own }),
        status: [201],
      },
    })

    expect((await ask('POST /items', { name: 'a' })).body).toMatchObject(expected)
  },
)
