import { describe, expect, it } from 'vitest'
import type { Operation } from '../contract/contract.ts'
import { sendRawRequest } from '../testing/raw-request.ts'
import { openRouted, operation, TRANSPORTS } from '../testing/routed-sandbox.ts'

/** An operation with a JSON body, which the response repeats in no way. */
function withBody(target: string): Operation {
  const validate = (): boolean => true
  return {
    ...operation(target),
    body: { required: true, mediaTypes: ['application/json'], schema: {}, validate },
  }
}

const OPERATIONS = [
  operation('GET /a'),
  operation('HEAD /a'),
  { ...operation('OPTIONS /a'), secured: true },
  withBody('QUERY /a'),
  operation('TRACE /a'),
  withBody('COPY /a'),
  operation('GET /b'),
]
const KEY = { Authorization: 'Bearer sk_sandbox_free' }
const ALLOWED = 'GET, HEAD, OPTIONS, QUERY, TRACE, COPY'

describe.each(Object.entries(TRANSPORTS))('%s', (_name, connect) => {
  it('a documented HEAD replaces that of GET', async () => {
    const sandbox = openRouted(['/v1'], OPERATIONS)
    const send = await connect(sandbox)

    const documented = await send('HEAD', '/v1/a', { headers: KEY })
    const implicit = await send('HEAD', '/v1/b', { headers: KEY })

    expect([documented.status, await documented.text()]).toEqual([200, ''])
    expect([implicit.status, await implicit.text()]).toEqual([200, ''])
    expect(sandbox.journal.exchanges.map((exchange) => exchange.operation)).toEqual([
      'HEAD /a',
      'GET /b',
    ])
  })

  it('a documented OPTIONS is an operation, which needs a key and counts', async () => {
    const plans = { free: { minute: 60, day: 1000 } }
    const sandbox = openRouted(['/v1'], OPERATIONS, { plans })
    const send = await connect(sandbox)

    const answered = await send('OPTIONS', '/v1/a', { headers: KEY })
    const refused = await send('OPTIONS', '/v1/a')

    expect(await answered.json()).toEqual({ operation: 'OPTIONS /a' })
    expect(answered.headers.get('X-RateLimit-Remaining')).toBe('59')
    expect(refused.status).toBe(401)
  })

  it('a preflight stays a preflight where OPTIONS is documented', async () => {
    const sandbox = openRouted(['/v1'], OPERATIONS)
    const send = await connect(sandbox)

    const preflight = await send('OPTIONS', '/v1/a', {
      headers: { Origin: 'https://page.test', 'Access-Control-Request-Method': 'QUERY' },
    })

    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe(ALLOWED)
    expect(sandbox.journal.exchanges[0]?.refusal).toBeUndefined()
  })

  it('OPTIONS that is not documented lists the methods', async () => {
    const send = await connect(openRouted(['/v1'], OPERATIONS))

    const response = await send('OPTIONS', '/v1/b')

    expect([response.status, response.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  it.each(['QUERY', 'COPY'])('%s has a body, which is checked', async (method) => {
    const sandbox = openRouted(['/v1'], OPERATIONS)
    const send = await connect(sandbox)
    const headers = { ...KEY, 'Content-Type': 'application/json' }

    const answered = await send(method, '/v1/a', { headers, body: '{"a":1}' })
    const refused = await send(method, '/v1/a', { headers, body: '{"a":' })
    const elsewhere = await send(method, '/v1/b', { headers, body: '{}' })

    expect(await answered.json()).toEqual({ operation: `${method} /a` })
    expect([refused.status, elsewhere.status]).toEqual([400, 405])
    expect(sandbox.journal.exchanges[0]?.request.body).toBe('{"a":1}')
  })
})

describe('TRACE', () => {
  it('is an operation of the server', async () => {
    const sandbox = openRouted(['/v1'], OPERATIONS)

    const response = await sendRawRequest(sandbox, ['TRACE /v1/a HTTP/1.1'])
    const other = await sendRawRequest(sandbox, ['TRACE /v1/b HTTP/1.1'])

    expect(await response.json()).toEqual({ operation: 'TRACE /a' })
    expect([other.status, other.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('a method that Node cannot read', () => {
  it('gets a 400 that says so', async () => {
    const sandbox = openRouted(['/v1'], [operation('BREW /a')])

    const response = await sendRawRequest(sandbox, ['BREW /v1/a HTTP/1.1'])

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      message:
        'The request is not valid HTTP (RFC 9112). Node.js cannot read these methods of the API: BREW. sandbox.fetch and MSW answer them.',
    })
  })
})
