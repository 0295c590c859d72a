import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox } from '../index.ts'
import { errorOf, linkOf, quotaOf } from '../testing/responses.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  toRequest,
} from '../testing/transports.ts'

const SUNSET = '2030-12-05T00:00:00Z'
const BEFORE_SUNSET = '2030-12-04T23:59:59.999Z'

describeEachTransport('Versioning', (open) => {
  it('has the major version in the base path', async () => {
    const { base, request } = await open()

    const response = await request('GET', '/pets')

    expect(response.status).toBe(200)
    expect(new URL(base).pathname).toBe('/v1')
  })

  it('is version 1.0.0', async () => {
    const { sandbox } = await open()

    const { version } = sandbox.contract

    expect(version).toBe('1.0.0')
  })

  it('serves the deprecated operation until one millisecond before its removal', async () => {
    const { request, sandbox } = await open()
    sandbox.clock.set(BEFORE_SUNSET)

    const response = await request('GET', '/pets/1')

    expect(response.status).toBe(200)
  })

  it.each([
    ['at the time', SUNSET],
    ['one second after', '2030-12-05T00:00:01Z'],
    ['years after', '2035-01-01T00:00:00Z'],
  ])('returns 404 operation_removed %s of the removal', async (_, moment) => {
    const { request, sandbox } = await open()
    sandbox.clock.set(moment)

    const response = await request('GET', '/pets/1')

    expect(response.status).toBe(404)
    expect(await errorOf(response)).toStrictEqual({
      code: 'operation_removed',
      message:
        'getPet was removed on Thu, 05 Dec 2030 00:00:00 GMT. Use /pets?status=available instead.',
      status: 404,
    })
  })

  it('removes the operation when the clock reaches the time of the removal', async () => {
    const { request, sandbox } = await open()
    sandbox.clock.set(BEFORE_SUNSET)
    const before = await request('GET', '/pets/1')

    sandbox.clock.advance(1)

    const after = await request('GET', '/pets/1')
    expect([before.status, after.status]).toEqual([200, 404])
  })

  it.each([
    ['an unknown animal', '/pets/999', {}],
    ['an invalid id', '/pets/abc', {}],
    ['a missing key', '/pets/1', { key: null }],
    ['a banned key', '/pets/1', { key: 'sk_sandbox_banned' }],
    ['a spent quota', '/pets/1', { key: 'sk_sandbox_rate_limited' }],
  ])('reports the removal before %s', async (_, path, options) => {
    const { request, sandbox } = await open()
    sandbox.clock.set(SUNSET)

    const response = await request('GET', path, options)

    expect((await errorOf(response)).code).toBe('operation_removed')
  })

  it('links to the replacement and counts requests after the removal', async () => {
    const { base, request, sandbox } = await open()
    sandbox.clock.set(SUNSET)

    const response = await request('GET', '/pets/1')

    expect(linkOf(response, 'successor-version')).toBe(`${base}/pets?status=available`)
    expect(response.headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
    expect(quotaOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  })

  it.each([
    ['GET', 200],
    ['POST', 201],
  ])('serves %s /pets after the removal', async (method, status) => {
    const { request, sandbox } = await open()
    sandbox.clock.set(SUNSET)

    const response = await request(method, '/pets', {
      ...(method === 'POST' && { body: { name: 'Fern', categoryId: 1 } }),
    })

    expect(response.status).toBe(status)
  })
})

describeEachTransportWith(['unknown paths'], 'Versioning', (open) => {
  it.each(['/pets', '/v2/pets', '/v10/pets', '/v1.0/pets', '/V1/pets', '/api/v1/pets'])(
    'returns 404 for %s, which is outside the base path',
    async (path) => {
      const { base, fetch } = await open()

      const response = await fetch(toRequest('GET', new URL(base).origin + path))

      expect(response.status).toBe(404)
    },
  )
})

describe('Versioning, outside the base path', () => {
  it('reports the base URL of the API and its operations', async () => {
    const sandbox = createSandbox()

    const response = await sandbox.fetch(new Request('http://localhost/pets'))

    const { message } = await errorOf(response)
    expect(message).toContain('There is nothing at /pets')
    expect(message).toContain('is at http://localhost/v1. The operations are: GET /v1/pets')
  })
})

describe('Versioning, in the document', () => {
  it('has the major version at the end of the production and staging URLs', () => {
    const file = new URL('../../openapi.yaml', import.meta.url)
    const { servers } = parse(readFileSync(file, 'utf8'))

    const addresses = [servers[1].variables.base_url, servers[2].variables.staging_base_url]

    expect(servers.map(({ url }: { url: string }) => url)).toEqual([
      'http://127.0.0.1:4010/v1',
      '{base_url}',
      '{staging_base_url}',
    ])
    expect(addresses.every(({ default: url }) => url.endsWith('/v1'))).toBe(true)
  })
})
