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

type Example = [status: number, method: string, path: string, options: RequestOptions]

const EXAMPLES: Example[] = [
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

function itAllowsEveryOrigin(open: OpenSandbox, examples: readonly Example[]): void {
  it.each(examples)('lets every origin read the %d of %s %s and its headers', async (...row) => {
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

describeEachTransport('Cross-origin requests', (open) => {
  it('returns no body for OPTIONS', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/pets')

    expect(await response.text()).toBe('')
  })

  it('sends Access-Control-Allow-Origin: * and Vary: Origin without an Origin header', async () => {
    const { request } = await open()

    const { headers } = await request('GET', '/pets')

    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(headers.get('Vary')).toBe('Origin')
  })

  it('returns 204 for OPTIONS when the quota is spent', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/pets', { key: 'sk_sandbox_rate_limited' })

    expect(response.status).toBe(204)
  })

  it('does not count OPTIONS', async () => {
    const { request } = await open()
    await request('OPTIONS', '/pets', { key: null })

    const response = await request('GET', '/pets')

    expect(quotaOf(response).remaining).toBe(59)
  })
})

describeEachTransportWith(['forbidden headers'], 'Cross-origin requests', (open) => {
  itAllowsEveryOrigin(open, EXAMPLES)

  it('lets a page with the opaque origin "null" read a response', async () => {
    const { request } = await open()

    const { headers } = await request('GET', '/pets', { headers: { Origin: 'null' } })

    expect(headers.get('Access-Control-Allow-Origin')).toBe('null')
    expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
  })

  it('records the CORS headers of the response in the journal', async () => {
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
  ])(
    'allows every method of %s and all requested headers in a preflight',
    async (path, method, methods) => {
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
    },
  )

  it('allows access to a private network in a preflight', async () => {
    const { request } = await open()
    const preflight = {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Private-Network': 'true',
    }

    const { headers } = await request('OPTIONS', '/pets', { key: null, headers: preflight })

    expect(headers.get('Access-Control-Allow-Private-Network')).toBe('true')
  })

  it('records why a preflight for an unknown method fails', async () => {
    const { request, sandbox } = await open()
    const preflight = { Origin: ORIGIN, 'Access-Control-Request-Method': 'DELETE' }

    const { status, headers } = await request('OPTIONS', '/pets', { key: null, headers: preflight })

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
    // Browsers check only the headers of these preflights, because GET, HEAD and POST need no permission.
    ['/pets/1', 'POST'],
    ['/pets', 'OPTIONS'],
  ])('records no refusal for a preflight to %s for %s', async (path, method) => {
    const { request, sandbox } = await open()
    const preflight = { Origin: ORIGIN, 'Access-Control-Request-Method': method }

    await request('OPTIONS', path, { key: null, headers: preflight })

    const [exchange] = sandbox.journal.exchanges
    expect(exchange?.preflight).toEqual({ origin: ORIGIN, method })
    expect(exchange?.refusal).toBeUndefined()
  })
})

describeEachTransportWith(['unknown paths'], 'Cross-origin requests', (open) => {
  it('returns 404 for OPTIONS with an unknown path', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/dogs')

    expect(response.status).toBe(404)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})

describeEachTransportWith(
  ['unknown paths', 'forbidden headers'],
  'Cross-origin requests',
  (open) => {
    itAllowsEveryOrigin(open, [[404, 'GET', '/dogs', {}]])

    it('records why a preflight to an unknown path fails', async () => {
      const { request, sandbox } = await open()
      const preflight = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' }

      const { status } = await request('OPTIONS', '/dogs', { key: null, headers: preflight })

      expect(status).toBe(404)
      expect(sandbox.journal.exchanges[0]).toMatchObject({
        preflight: { origin: ORIGIN, method: 'GET' },
        refusal: { code: 'not_found' },
      })
    })
  },
)
