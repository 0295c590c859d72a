import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'

const TEXT = { type: 'string' }
const ERROR = {
  type: 'object',
  required: ['fault', 'reason', 'kind'],
  properties: { fault: TEXT, reason: TEXT, kind: TEXT },
}

function json(schema: object): object {
  return { description: '', content: { 'application/json': { schema } } }
}

/** A sandbox of a document with a list of books, and with these hints. */
async function sandboxWith(hints: object): Promise<Sandbox> {
  const book = { type: 'object', properties: { id: { type: 'integer' } } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  const paths = {
    '/books': { get: { responses: { 200: json({ type: 'array', items: book }) } } },
    '/books/{id}': { get: { parameters: [id], responses: { 200: json(book), 404: json(ERROR) } } },
  }
  const contract = await loadDocumentOf(paths, { 'x-sandbox': hints })
  return createSandbox({ contract, seed: 1 })
}

function get(sandbox: Sandbox, path: string): Promise<Response> {
  return sandbox.fetch(new Request(`http://localhost${path}`))
}

test('errors says what the properties of error bodies contain', async () => {
  const errors = { fault: 'message', reason: 'code', kind: 'title' }
  const [plain, hinted] = await Promise.all([sandboxWith({}), sandboxWith({ errors })])

  const [inferred, told] = await Promise.all(
    [plain, hinted].map(async (one) => (await get(one, '/books/9999')).json()),
  )

  const expected = {
    fault: 'No resource was found at /books/9999.',
    reason: 'not_found',
    kind: 'Not Found',
  }
  expect(inferred).not.toEqual(expected)
  expect(told).toEqual(expected)
})

test('errors can say that a property contains nothing that is known', async () => {
  const sandbox = await sandboxWith({ errors: { reason: 'none' } })

  expect(await (await get(sandbox, '/books/9999')).json()).not.toMatchObject({
    reason: 'No resource was found at /books/9999.',
  })
})

test('rateLimitHeaders names the headers of the quota', async () => {
  const plans = { free: { minute: 60, day: 100 } }
  const rateLimitHeaders = { 'X-Calls-Left': 'remaining', 'X-Calls-Reset': 'resetSeconds' }
  const sandbox = await sandboxWith({ plans, rateLimitHeaders })
  sandbox.clock.set('2030-12-05T12:00:15Z')

  const { headers } = await get(sandbox, '/books')

  expect(headers.get('X-Calls-Left')).toBe('59')
  expect(headers.get('X-Calls-Reset')).toBe('45')
  expect(headers.get('X-RateLimit-Remaining')).toBeNull()
})

test('deprecation says when all operations are deprecated and removed', async () => {
  const sandbox = await sandboxWith({ deprecation: { date: '2030-01-01', sunset: '2031-01-01' } })
  sandbox.clock.set('2030-12-05T12:00:00Z')

  const { headers } = await get(sandbox, '/books')
  sandbox.clock.set('2031-01-01T00:00:00Z')
  const removed = await get(sandbox, '/books')

  expect(headers.get('Deprecation')).toBe('@1893456000')
  expect(headers.get('Sunset')).toBe('Wed, 01 Jan 2031 00:00:00 GMT')
  expect(removed.status).toBe(404)
})

test('inference: false makes operations stateless that no hint names', async () => {
  const contracts = await Promise.all([{}, { inference: false }].map((hints) => sandboxWith(hints)))

  expect(contracts.map(({ collections }) => collections)).toEqual([['books'], []])
})
