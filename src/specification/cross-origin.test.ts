import { expect, it } from 'vitest'
import { quotaOf } from '../testing/responses.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  type OpenSandbox,
  type RequestOptions,
} from '../testing/transports.ts'

const ORIGIN = 'https://shop.example'

const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Link',
  'Location',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
  'Preference-Applied',
  'X-Sandbox-Reason',
]

type Answer = [status: number, method: string, path: string, options: RequestOptions]

const ANSWERS: Answer[] = [
  [200, 'GET', '/pets', {}],
  [201, 'POST', '/pets', { body: { name: 'Fern', categoryId: 1 } }],
  [200, 'GET', '/pets/1', {}],
  [200, 'HEAD', '/pets', {}],
  [400, 'POST', '/pets', { body: {} }],
  [401, 'GET', '/pets', { key: null }],
  [405, 'DELETE', '/pets', {}],
  [429, 'GET', '/pets', { key: 'sk_sandbox_rate_limited' }],
  [500, 'GET', '/pets', { headers: { Prefer: 'code=500' } }],
]

function itLetsAnyPageRead(open: OpenSandbox, answers: readonly Answer[]): void {
  it.each(answers)('lets any page read a %d to %s %s, with its headers', async (...row) => {
    const [status, method, path, options] = row
    const { request } = await open()
    const headers = { ...options.headers, Origin: ORIGIN }

    const response = await request(method, path, { ...options, headers })

    const exposed = response.headers.get('Access-Control-Expose-Headers') ?? ''
    expect(response.status).toBe(status)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN)
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBe('true')
    expect(response.headers.get('Vary')).toBe('Origin')
    expect(exposed.split(', ').sort()).toEqual([...EXPOSED].sort())
  })
}

describeEachTransport('Requests from pages of other origins', (open) => {
  it('answers OPTIONS without a body', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/pets')

    expect(await response.text()).toBe('')
  })

  it('lets any page read an answer to a request without an Origin, which caches keep apart', async () => {
    const { request } = await open()

    const { headers } = await request('GET', '/pets')

    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(headers.get('Vary')).toBe('Origin')
  })

  it('answers OPTIONS when the quota is spent, so that the page can read the 429', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/pets', { key: 'sk_sandbox_rate_limited' })

    expect(response.status).toBe(204)
  })

  it('takes a preflight, which has no key, from no key', async () => {
    const { request } = await open()
    await request('OPTIONS', '/pets', { key: null })

    const response = await request('GET', '/pets')

    expect(quotaOf(response).remaining).toBe(59)
  })
})

describeEachTransportWith(['forbidden headers'], 'Requests from pages of other origins', (open) => {
  itLetsAnyPageRead(open, ANSWERS)

  it('lets a page without an origin of its own read an answer, as "null"', async () => {
    const { request } = await open()

    const { headers } = await request('GET', '/pets', { headers: { Origin: 'null' } })

    expect(headers.get('Access-Control-Allow-Origin')).toBe('null')
    expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
  })

  it('has the same headers in the journal as in the answer', async () => {
    const { request, sandbox } = await open()

    const { headers } = await request('GET', '/pets', { headers: { Origin: ORIGIN } })

    const [exchange] = sandbox.journal.exchanges
    const kept = new Map(exchange?.response.headers)
    const names = [...kept.keys()].filter((name) => /^(access-control-.*|vary)$/i.test(name))
    expect(names).toHaveLength(4)
    for (const name of names) expect(kept.get(name)).toBe(headers.get(name))
  })

  it.each([
    ['/pets', 'POST', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['/pets/1', 'GET', ['GET', 'HEAD', 'OPTIONS']],
  ])('lets any page ask before a request to %s', async (path, method, methods) => {
    const { request } = await open()

    const { status, headers } = await request('OPTIONS', path, {
      key: null,
      headers: {
        Origin: ORIGIN,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,traceparent,x-request-id',
      },
    })

    expect(status).toBe(204)
    expect(headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN)
    expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
    expect(headers.get('Access-Control-Allow-Methods')?.split(', ')).toEqual(methods)
    expect(headers.get('Access-Control-Allow-Headers')).toBe(
      'authorization,traceparent,x-request-id',
    )
    expect(headers.get('Vary')).toBe(
      'Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network',
    )
    expect(headers.get('Allow')).toBe(methods.join(', '))
  })

  it('tells a public page that it may reach a private network', async () => {
    const { request } = await open()
    const ask = {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Private-Network': 'true',
    }

    const { headers } = await request('OPTIONS', '/pets', { key: null, headers: ask })

    expect(headers.get('Access-Control-Allow-Private-Network')).toBe('true')
  })

  it('notes why a preflight for a method that the path does not have fails', async () => {
    const { request, sandbox } = await open()
    const ask = { Origin: ORIGIN, 'Access-Control-Request-Method': 'DELETE' }

    const { status, headers } = await request('OPTIONS', '/pets', { key: null, headers: ask })

    expect(status).toBe(204)
    expect(headers.get('Access-Control-Allow-Methods')).not.toContain('DELETE')
    expect(sandbox.journal.exchanges[0]).toMatchObject({
      preflight: { origin: ORIGIN, method: 'DELETE' },
      refusal: {
        code: 'method_not_allowed',
        message: 'DELETE is not allowed on /pets. Allowed methods: GET, HEAD, POST, OPTIONS.',
      },
    })
  })

  it.each([
    ['/pets', 'GET'],
    ['/pets', 'POST'],
    // Browsers ask for leave to send other headers alone; they send these methods in any case.
    ['/pets/1', 'POST'],
    ['/pets', 'OPTIONS'],
  ])('finds nothing wrong with a preflight to %s for %s', async (path, method) => {
    const { request, sandbox } = await open()
    const ask = { Origin: ORIGIN, 'Access-Control-Request-Method': method }

    await request('OPTIONS', path, { key: null, headers: ask })

    const [exchange] = sandbox.journal.exchanges
    expect(exchange?.preflight).toEqual({ origin: ORIGIN, method })
    expect(exchange?.refusal).toBeUndefined()
  })
})

describeEachTransportWith(['unknown paths'], 'Requests from pages of other origins', (open) => {
  it('answers 404 to OPTIONS of a path that there is not', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/dogs')

    expect(response.status).toBe(404)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})

describeEachTransportWith(
  ['unknown paths', 'forbidden headers'],
  'Requests from pages of other origins',
  (open) => {
    itLetsAnyPageRead(open, [[404, 'GET', '/dogs', {}]])

    it('notes why a preflight to a path that there is not fails', async () => {
      const { request, sandbox } = await open()
      const ask = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' }

      const { status } = await request('OPTIONS', '/dogs', { key: null, headers: ask })

      expect(status).toBe(404)
      expect(sandbox.journal.exchanges[0]).toMatchObject({
        preflight: { origin: ORIGIN, method: 'GET' },
        refusal: { code: 'not_found' },
      })
    })
  },
)
