import { beforeAll, describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'

const INTEGER = { type: 'integer' }
const TEXT = { type: 'string' }
const LINK = { type: ['string', 'null'], format: 'uri' }

const BOOK = {
  type: 'object',
  required: ['id', 'title', 'shelf'],
  properties: { id: INTEGER, title: TEXT, shelf: { type: 'string', enum: ['low', 'high'] } },
}
const SENT = { ...BOOK, required: ['title', 'shelf'], properties: { title: TEXT, shelf: TEXT } }

/** A list of books with these query parameters, in a response with this schema and these headers. */
function listOf(
  query: Readonly<Record<string, object>>,
  schema: object,
  headers: object = {},
): object {
  const parameters = Object.entries(query).map(([name, one]) => ({
    name,
    in: 'query',
    schema: one,
  }))
  const content = { 'application/json': { schema } }
  const responses = { '200': { description: 'Books', headers, content } }
  return {
    get: { parameters, responses },
    post: {
      requestBody: { content: { 'application/json': { schema: SENT } } },
      responses: {
        '201': { description: 'New', content: { 'application/json': { schema: BOOK } } },
      },
    },
  }
}

function inEnvelope(properties: Readonly<Record<string, object>>): object {
  const all = { data: { type: 'array', items: BOOK }, ...properties }
  return { type: 'object', required: Object.keys(all), properties: all }
}

const meta = { total: INTEGER, page: INTEGER, total_pages: INTEGER, next: LINK, previous: LINK }
const count = { schema: INTEGER }
const PATHS = {
  '/pages': listOf(
    { page: INTEGER, per_page: INTEGER, shelf: TEXT, sort: TEXT },
    inEnvelope({ meta: { type: 'object', required: Object.keys(meta), properties: meta } }),
  ),
  '/plain': listOf(
    { page: INTEGER, per_page: INTEGER },
    { type: 'array', items: BOOK },
    {
      'X-Total-Count': count,
      'X-Total-Pages': count,
      'X-Page': count,
      'X-Per-Page': count,
      'X-Next-Page': count,
      Link: { schema: TEXT },
    },
  ),
  '/after': listOf(
    { starting_after: INTEGER, limit: INTEGER },
    inEnvelope({ has_more: { type: 'boolean' } }),
  ),
}

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = createSandbox({ contract: await loadDocumentOf(PATHS), records: 0 })
  for (const path of Object.keys(PATHS)) {
    for (const [index, title] of [...'edcba'].entries()) {
      const body = JSON.stringify({ title, shelf: index < 2 ? 'low' : 'high' })
      const headers = { 'Content-Type': 'application/json' }
      await sandbox.fetch(new Request(`http://localhost${path}`, { method: 'POST', body, headers }))
    }
  }
})

async function read(path: string): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const response = await sandbox.fetch(new Request(`http://localhost${path}`))
  return { body: await response.json(), headers: response.headers }
}

describe('a list in an envelope', () => {
  test('has true figures and links', async () => {
    const { body } = await read('/pages?page=2&per_page=2')

    expect(body).toMatchObject({
      data: [{ id: 3 }, { id: 4 }],
      meta: {
        total: 5,
        page: 2,
        total_pages: 3,
        next: 'http://localhost/pages?page=3&per_page=2',
        previous: 'http://localhost/pages?page=1&per_page=2',
      },
    })
  })

  test('has no link to a page after the last', async () => {
    const { body } = await read('/pages?page=3&per_page=2')

    expect(body).toMatchObject({ data: [{ id: 5 }], meta: { next: null } })
  })

  test('is filtered by a property, and counts what is left', async () => {
    const { body } = await read('/pages?shelf=low')

    expect(body).toMatchObject({ data: [{ id: 1 }, { id: 2 }], meta: { total: 2 } })
  })

  test('is sorted by a property', async () => {
    const { body } = await read('/pages?sort=title&per_page=2')

    expect(body).toMatchObject({ data: [{ title: 'a' }, { title: 'b' }] })
  })

  test('is sorted in the other direction', async () => {
    const { body } = await read('/pages?sort=-id&per_page=2')

    expect(body).toMatchObject({ data: [{ id: 5 }, { id: 4 }] })
  })

  test('continues after a record', async () => {
    const first = await read('/after?limit=3')
    const second = await read('/after?limit=3&starting_after=3')

    expect(first.body).toMatchObject({ data: [{}, {}, { id: 3 }], has_more: true })
    expect(second.body).toMatchObject({ data: [{ id: 4 }, { id: 5 }], has_more: false })
  })
})

describe('a list that is the body', () => {
  test('has links to the other pages in a header', async () => {
    const { headers } = await read('/plain?page=2&per_page=2')

    expect(headers.get('link')).toBe(
      [
        '<http://localhost/plain?page=3&per_page=2>; rel="next"',
        '<http://localhost/plain?page=1&per_page=2>; rel="prev"',
        '<http://localhost/plain?page=1&per_page=2>; rel="first"',
        '<http://localhost/plain?page=3&per_page=2>; rel="last"',
      ].join(', '),
    )
  })

  test.each([
    ['x-total-count', '5'],
    ['x-total-pages', '3'],
    ['x-page', '2'],
    ['x-per-page', '2'],
    ['x-next-page', '3'],
  ])('has the header %s with the value %s', async (name, value) => {
    const { headers } = await read('/plain?page=2&per_page=2')

    expect(headers.get(name)).toBe(value)
  })

  test('has no header with a page after the last', async () => {
    const { headers } = await read('/plain?page=3&per_page=2')

    expect(headers.has('x-next-page')).toBe(false)
  })
})
