import { expect, it } from 'vitest'
import { errorOf, repeat } from '../testing/responses.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  type OpenSandbox,
  type RequestOptions,
} from '../testing/transports.ts'

const FERN = { name: 'Fern', categoryId: 1 }

const LARGE = { name: 'x'.repeat(1024 * 1024), categoryId: 1 }

type Example = [status: number, code: string, method: string, path: string, options: RequestOptions]

const EXAMPLES: Example[] = [
  [400, 'invalid_request', 'GET', '/pets?limit=0', {}],
  [400, 'invalid_request', 'POST', '/pets', { body: {} }],
  [401, 'unauthorized', 'GET', '/pets', { key: null }],
  [401, 'unauthorized', 'GET', '/pets', { key: 'sk_wrong' }],
  [404, 'not_found', 'GET', '/pets/999', {}],
  [405, 'method_not_allowed', 'DELETE', '/pets', {}],
  [413, 'payload_too_large', 'POST', '/pets', { body: LARGE }],
  [415, 'unsupported_media_type', 'POST', '/pets', { body: FERN, type: 'text/plain' }],
  [429, 'rate_limit_exceeded', 'GET', '/pets', { key: 'sk_sandbox_rate_limited' }],
  [429, 'api_key_banned', 'GET', '/pets', { key: 'sk_sandbox_banned' }],
  [500, 'internal_error', 'GET', '/pets', { headers: { Prefer: 'code=500' } }],
]

function itReturnsErrors(open: OpenSandbox, examples: readonly Example[]): void {
  it.each(examples)('returns %d %s for %s %s', async (status, code, method, path, options) => {
    const { request } = await open()

    const response = await request(method, path, options)

    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(await errorOf(response)).toStrictEqual({
      code,
      message: expect.stringMatching(/\w.*[\w.")]$/),
      status,
    })
  })

  it.each(examples)('records the error %d %s in the journal', async (status, code, ...rest) => {
    const [method, path, options] = rest
    const { request, sandbox } = await open()

    const response = await request(method, path, options)

    const { message } = await errorOf(response)
    expect(sandbox.journal.exchanges).toMatchObject([{ status, refusal: { code, message } }])
  })
}

function itListsOperations(open: OpenSandbox, paths: readonly string[]): void {
  it.each(paths)('lists the operations of the API for the unknown path "%s"', async (path) => {
    const { request } = await open()

    const response = await request('GET', path)

    expect(response.status).toBe(404)
    expect(await errorOf(response)).toStrictEqual({
      code: 'not_found',
      message: `There is no operation at ${path || '/'}. The operations are: GET /pets, POST /pets, GET /pets/{petId}.`,
      status: 404,
    })
  })
}

describeEachTransport('Errors', (open) => {
  itReturnsErrors(open, EXAMPLES)

  // Without the trailing slash, these are paths of the contract.
  itListsOperations(open, ['/pets/', '/pets/1/'])

  it.each([
    ['PUT', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PATCH', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PROPFIND', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/pets/1', 'GET, HEAD, OPTIONS'],
    ['PUT', '/pets/1', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/pets/abc', 'GET, HEAD, OPTIONS'],
  ])('returns 405 with the available methods for %s %s', async (method, path, methods) => {
    const { request } = await open()

    const response = await request(method, path)

    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe(methods)
    expect((await errorOf(response)).message).toBe(
      `${method} is not allowed on ${path}. Allowed methods: ${methods}.`,
    )
  })

  it.each<[string, string, string, string | null]>([
    ['minute-quota', 'GET', '/pets', 'sk_sandbox_free'],
    ['no-key', 'GET', '/pets', null],
    ['wrong-key', 'GET', '/pets', 'sk_wrong'],
    ['not-found', 'GET', '/pets/999', 'sk_sandbox_pro'],
    ['method-not-allowed', 'DELETE', '/pets', 'sk_sandbox_pro'],
    ['invalid-request', 'GET', '/pets?limit=0', 'sk_sandbox_pro'],
    ['forced:banned', 'GET', '/pets', 'sk_sandbox_banned'],
  ])('sends the reason %s in X-Sandbox-Reason', async (reason, method, path, key) => {
    const { request } = await open({ plans: { free: { minute: 1 } } })
    await request('GET', '/pets')

    const response = await request(method, path, { key })

    expect(response.headers.get('X-Sandbox-Reason')).toBe(reason)
  })

  it('sends no X-Sandbox-Reason with a success', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets')

    expect(response.headers.get('X-Sandbox-Reason')).toBeNull()
  })

  it('distinguishes a ban from a spent day quota in X-Sandbox-Reason', async () => {
    const { request } = await open({ plans: { free: { day: 1 } }, ban: { refusals: 1 } })

    const responses = await repeat(3, () => request('GET', '/pets'))

    const reasons = responses.map(({ headers }) => headers.get('X-Sandbox-Reason'))
    expect(reasons).toEqual([null, 'day-quota', 'ban'])
  })
})

describeEachTransportWith(['unknown paths'], 'Errors', (open) => {
  itReturnsErrors(open, [[404, 'not_found', 'GET', '/dogs', {}]])

  itListsOperations(open, [
    '',
    '/',
    '/dogs',
    '/Pets',
    '//pets',
    '/pets//',
    '/pets/1/owner',
    '/pets.json',
    '/__proto__',
    '/constructor',
  ])
})
