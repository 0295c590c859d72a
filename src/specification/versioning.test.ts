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
const LAST_MOMENT = '2030-12-04T23:59:59.999Z'

describeEachTransport('Versioning', (open) => {
  it('carries the major version in the base address', async () => {
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

  it('answers the deprecated operation up to the last moment before its removal', async () => {
    const { request, sandbox } = await open()
    sandbox.clock.set(LAST_MOMENT)

    const response = await request('GET', '/pets/1')

    expect(response.status).toBe(200)
  })

  it.each([
    ['on the moment', SUNSET],
    ['a second later', '2030-12-05T00:00:01Z'],
    ['years later', '2035-01-01T00:00:00Z'],
  ])('answers 404 operation_removed %s of the removal', async (_, moment) => {
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

  it('removes the operation while the clock advances over the moment', async () => {
    const { request, sandbox } = await open()
    sandbox.clock.set(LAST_MOMENT)
    const before = await request('GET', '/pets/1')

    sandbox.clock.advance(1)

    const after = await request('GET', '/pets/1')
    expect([before.status, after.status]).toEqual([200, 404])
  })

  it.each([
    ['an animal that is not there', '/pets/999', {}],
    ['an id that is none', '/pets/abc', {}],
    ['no key', '/pets/1', { key: null }],
    ['a banned key', '/pets/1', { key: 'sk_sandbox_banned' }],
    ['a spent quota', '/pets/1', { key: 'sk_sandbox_rate_limited' }],
  ])('tells of the removal before anything else: %s', async (_, path, options) => {
    const { request, sandbox } = await open()
    sandbox.clock.set(SUNSET)

    const response = await request('GET', path, options)

    expect((await errorOf(response)).code).toBe('operation_removed')
  })

  it('still links to the replacement, and counts the request, after the removal', async () => {
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
  ])('goes on with %s /pets after the removal', async (method, status) => {
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
    'has nothing at %s, which is outside of the base address',
    async (path) => {
      const { base, fetch } = await open()

      const response = await fetch(toRequest('GET', new URL(base).origin + path))

      expect(response.status).toBe(404)
    },
  )
})

describe('Versioning, outside of the base address', () => {
  it('tells where the API is', async () => {
    const sandbox = createSandbox()

    const response = await sandbox.fetch(new Request('http://localhost/pets'))

    const { message } = await errorOf(response)
    expect(message).toContain('There is nothing at /pets')
    expect(message).toContain('http://localhost/v1: GET /v1/pets')
  })
})

describe('Versioning, in the document', () => {
  it('ends the base address of production and staging with the version segment', () => {
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
