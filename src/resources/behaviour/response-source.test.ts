import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const BOOK = {
  ...objectOf({ id: { type: 'string' }, title: { type: 'string' } }),
  required: ['id'],
}
const SHELF = { ...objectOf(['id', 'place']), required: ['id', 'place'] }
const STATUS = { ...objectOf(['status']), required: ['status'] }

const API: DocumentedApi = {
  'GET /books': { shown: listOf(BOOK) },
  'POST /books': { sent: objectOf(['title']), shown: BOOK, status: [201] },
  'GET /books/{bookId}': { shown: BOOK },
  'PATCH /books/{bookId}': { sent: objectOf(['title']), shown: BOOK },
  'DELETE /books/{bookId}': { shown: { type: 'integer' } },
  'GET /shelves': { shown: objectOf({ items: listOf(SHELF), note: { type: 'string' } }) },
  'DELETE /shelves/{shelfId}': { status: [204] },
  'GET /shelves/{shelfId}': { shown: SHELF, status: [200, 404] },
  'GET /health': { shown: STATUS, example: { status: 'fine' } },
  'GET /search': { shown: objectOf({ found: { type: 'integer' } }) },
}

describe('the source of a response', () => {
  it.each([
    ['a list', 'GET /books', undefined, 'record', undefined],
    ['a list in an envelope that is generated', 'GET /shelves', undefined, 'record', undefined],
    ['a creation', 'POST /books', { title: 'Emma' }, 'record', undefined],
    ['an id that nobody created', 'GET /books/x', undefined, 'invented', 'no record has this id'],
    [
      'a change of an id that nobody created',
      'PATCH /books/x',
      { title: 'Emma' },
      'invented',
      'no record has this id',
    ],
    [
      'an example',
      'GET /health',
      undefined,
      'example',
      'its path and schemas tell no action on records',
    ],
    [
      'a generated value',
      'GET /search',
      undefined,
      'generated',
      'it searches, and what it finds is not known',
    ],
    [
      'a change that shows no record',
      'DELETE /books/x',
      undefined,
      'generated',
      'its response contains no record',
    ],
  ])('is in the header and in the journal: %s', async (_, target, body, source, reason) => {
    const { ask, sandbox } = await openApi(API)

    const { headers } = await ask(target, body)

    const [exchange] = sandbox.journal.exchanges
    expect(headers.get('X-Sandbox-Source')).toBe(source)
    expect(exchange).toMatchObject({ source })
    expect(exchange?.sourceReason).toBe(reason)
    expect(headers.get('Access-Control-Expose-Headers')).toMatch(/, X-Sandbox-Source\b/)
  })

  it('is a record after a change of what was made up, and for what a client created', async () => {
    const { ask } = await openApi(API)
    const { body: created } = await ask('POST /books', { title: 'Emma' })
    await ask('PATCH /books/x', { title: 'Persuasion' })

    const reads = [await ask('GET /books/x'), await ask(`GET /books/${created.id}`)]

    expect(reads.map(({ headers }) => headers.get('X-Sandbox-Source'))).toEqual([
      'record',
      'record',
    ])
  })

  it('is the same for the same request, and for HEAD', async () => {
    const { ask, sandbox } = await openApi(API)
    const first = await ask('GET /books')

    const again = await ask('GET /books')
    const head = await sandbox.fetch(new Request('http://localhost/books', { method: 'HEAD' }))

    const all = [first.headers, again.headers, head.headers]
    expect(all.map((headers) => headers.get('X-Sandbox-Source'))).toEqual(Array(3).fill('record'))
    expect(sandbox.journal.exchanges.map(({ source }) => source)).toEqual(Array(3).fill('record'))
  })

  it.each([
    ['an error', 'GET /shelves/unknown'],
    ['a response without a body', 'DELETE /shelves/1'],
  ])('is not said of %s', async (_, target) => {
    const { ask, sandbox } = await openApi(API)

    const { headers } = await ask(target)

    expect(headers.get('X-Sandbox-Source')).toBeNull()
    expect(sandbox.journal.exchanges[0]).not.toHaveProperty('source')
  })

  it('is an example when the request prefers one', async () => {
    const examples = { one: { value: { id: 'a', title: 'Emma' } } }
    const content = { 'application/json': { schema: BOOK, examples } }
    const get = { responses: { 200: { description: 'A book.', content } } }
    const contract = await loadDocumentOf({ '/books/{bookId}': { parameters: [PARAMETER], get } })
    const sandbox = createSandbox({ contract })

    const response = await sandbox.fetch(
      new Request('http://localhost/books/a', { headers: { Prefer: 'example=one' } }),
    )

    expect(response.headers.get('X-Sandbox-Source')).toBe('example')
    expect(sandbox.journal.exchanges[0]).toMatchObject({
      source: 'example',
      sourceReason: 'the request prefers this example',
    })
  })

  it('is only in the journal when the document switches the header off', async () => {
    const sandbox = createSandbox()

    const { headers } = await sandbox.fetch(
      new Request('http://localhost/v1/pets', {
        headers: { Authorization: 'Bearer sk_sandbox_free' },
      }),
    )

    expect(headers.get('X-Sandbox-Source')).toBeNull()
    expect(headers.get('Access-Control-Expose-Headers')).not.toContain('X-Sandbox-Source')
    expect(sandbox.journal.exchanges[0]).toMatchObject({ source: 'record' })
  })
})

const PARAMETER = { name: 'bookId', in: 'path', required: true, schema: { type: 'string' } }
