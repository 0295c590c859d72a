import { expect, test } from 'vitest'
import { quotaFigureOf } from '../contract/hints.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'

test.each([
  ['X-RateLimit-Limit', 'limit'],
  ['x-rate-limit-limit', 'limit'],
  ['RateLimit-Remaining', 'remaining'],
  ['X-Rate-Limit', 'limit'],
  ['X-RateLimit-Requests-Remaining', 'remaining'],
  ['X-RateLimit-Reset-After', 'reset'],
  ['X-RateLimit-Used', 'used'],
  ['X-Acme-RateLimit-Reset', 'reset'],
  ['RateLimit-Policy', undefined],
  ['RateLimit', undefined],
  ['X-Request-Id', undefined],
])('the header %s has the figure %s', (name, figure) => {
  expect(quotaFigureOf(name)).toBe(figure)
})

test.each<[name: string, header: object, value: string]>([
  ['RateLimit-Limit', {}, '60'],
  ['RateLimit-Remaining', {}, '59'],
  ['RateLimit-Used', {}, '1'],
  ['RateLimit-Reset', {}, '30'],
  ['X-Rate-Limit-Reset', {}, '1893456000'],
  ['X-Rate-Limit-Reset', { description: 'The number of seconds until the reset.' }, '30'],
  [
    'X-Rate-Limit-Reset',
    { schema: { type: 'string', format: 'date-time' } },
    '2030-01-01T00:00:00.000Z',
  ],
  ['X-Rate-Limit-Reset', { schema: { example: 1_893_456_000_000 } }, '1893456000000'],
])('a quota is in the header %s of the document with %j', async (name, header, value) => {
  const responses = { '200': { description: 'OK', headers: { [name]: header } } }
  const contract = await loadDocumentOf({ '/a': { get: { responses } } })
  const plans = { free: { minute: 60, day: 1000 } }
  const sandbox = createSandbox({ contract, plans, auth: 'off' })
  sandbox.clock.set('2029-12-31T23:59:30Z')

  const response = await sandbox.fetch(new Request('http://localhost/a'))

  expect(response.headers.get(name)).toBe(value)
  expect(response.headers.get('X-RateLimit-Limit')).toBe(null)
  const [exchange] = sandbox.journal.exchanges
  expect(exchange?.response.headers).toContainEqual([name, value])
})
