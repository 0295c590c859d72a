import { expect, it } from 'vitest'
import { quotaOf } from '../testing/answers.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  type Open,
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

function itLetsAnyPageRead(open: Open, answers: readonly Answer[]): void {
  it.each(answers)('lets any page read a %d to %s %s, with its headers', async (...row) => {
    const [status, method, path, options] = row
    const { request } = await open()
    const headers = { ...options.headers, Origin: ORIGIN }

    const response = await request(method, path, { ...options, headers })

    const exposed = response.headers.get('Access-Control-Expose-Headers') ?? ''
    expect(response.status).toBe(status)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(exposed.split(', ').sort()).toEqual([...EXPOSED].sort())
  })
}

describeEachTransport('Requests from pages of other origins', (open) => {
  it('answers OPTIONS without a body', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/pets')

    expect(await response.text()).toBe('')
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
        'Access-Control-Request-Headers': 'authorization,content-type,prefer',
      },
    })

    expect(status).toBe(204)
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Allow-Methods')?.split(', ')).toEqual(methods)
    expect(headers.get('Access-Control-Allow-Headers')).toBe('Authorization, Content-Type, Prefer')
    expect(headers.get('Allow')).toBe(methods.join(', '))
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
  },
)
