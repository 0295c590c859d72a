import { afterEach, describe, expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { openControl } from '../testing/control.ts'
import { sendRawRequest } from '../testing/raw-request.ts'
import { serveSandbox, stopServers } from '../testing/servers.ts'

afterEach(stopServers)

const KEY = { Authorization: 'Bearer sk_sandbox_free' }

/** Properties that would change the prototype of every object if they were copied carelessly. */
const POLLUTION = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'

describe('a client cannot change a prototype', () => {
  const known = Object.getOwnPropertyNames(Object.prototype)

  afterEach(() => {
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(known)
    expect({}).not.toHaveProperty('polluted')
  })

  test('with a request to the API', async () => {
    const sandbox = createSandbox()
    const request = (path: string, init: RequestInit = {}): Promise<Response> =>
      sandbox.fetch(
        new Request(`http://localhost${path}`, {
          ...init,
          headers: { ...KEY, 'Content-Type': 'application/json' },
        }),
      )

    const added = await request('/v1/pets', {
      method: 'POST',
      body: `{"name":"Rex","categoryId":1,${POLLUTION}}`,
    })
    const onlyInherited = await request('/v1/pets', {
      method: 'POST',
      body: '{"__proto__":{"name":"Rex","categoryId":1}}',
    })
    const listed = await request('/v1/pets?__proto__=1&constructor=2&limit=1&__proto__[x]=3')

    expect([added.status, onlyInherited.status, listed.status]).toEqual([201, 400, 200])
    expect(await added.json()).toEqual({ id: 51, name: 'Rex', categoryId: 1, status: 'available' })
  })

  test.each([
    ['PATCH', '/records/pets/1', `{${POLLUTION}}`, 400],
    ['POST', '/records/pets', `{"name":"Rex","categoryId":1,${POLLUTION}}`, 400],
    ['GET', '/records/pets?constructor=1', undefined, 400],
    ['GET', '/records/__proto__', undefined, 404],
    ['GET', '/records/constructor', undefined, 404],
    ['PUT', '/plans/__proto__', '{"minute":1,"day":1}', 200],
    ['PUT', '/keys/__proto__', '{"plan":"constructor"}', 400],
    ['POST', '/outcomes', `{"outcome":"banned",${POLLUTION}}`, 400],
    ['POST', '/scenarios/__proto__', undefined, 404],
    ['POST', '/scenarios/constructor', undefined, 404],
    ['POST', '/worlds', '{"name":"__proto__"}', 201],
    ['GET', '/worlds/__proto__/snapshot', undefined, 200],
    ['PUT', '/snapshot', `{"version":1,${POLLUTION}}`, 400],
  ])('with a control request: %s %s %s', async (method, path, raw, expected) => {
    const { callControl } = openControl()

    const { status } = await callControl(method, path, raw === undefined ? {} : { raw })

    expect(status).toBe(expected)
  })

  test('with a snapshot', async () => {
    const { callControl } = openControl()
    const { body } = await callControl('GET', '/snapshot')
    const raw = JSON.stringify(body).replaceAll('"records":{', `"records":{${POLLUTION},`)

    const { status } = await callControl('PUT', '/snapshot', { raw })

    expect(status).toBe(400)
  })
})

describe('a client cannot add a response header', () => {
  test.each([
    ['a query', '/v1/pets?limit=1&x=%0d%0aX-Evil:%201', {}],
    ['a query that ends the link', '/v1/pets?limit=1&x=%3E;%20rel=evil,%20%3Chttp://evil.test', {}],
    ['a preference', '/v1/pets?limit=1', { Prefer: 'code=429; outcome="x, X-Evil: 1"' }],
    ['a path', '/v1/pets/1%0d%0aX-Evil:%201', {}],
  ])('with %s', async (_what, path, headers) => {
    const sent = Object.entries({ ...KEY, ...headers }).map(([name, value]) => `${name}: ${value}`)

    const response = await sendRawRequest(createSandbox(), [`GET ${path} HTTP/1.1`, ...sent])

    expect(response.headers.get('X-Evil')).toBeNull()
    expect(response.headers.get('Link') ?? '').not.toMatch(/[<>].*[<>].*[<>]|rel=evil/)
    expect(response.headers.get('Preference-Applied') ?? 'code=429').toBe('code=429')
  })
})

describe('a name in a URL never leads to a file', () => {
  test.each(['..%2f..%2fetc%2fpasswd', '%2fetc%2fpasswd', 'flaky.yaml', 'flaky%00'])(
    'of a scenario: %s',
    async (name) => {
      const { callControl } = openControl()

      const { status, body } = await callControl('POST', `/scenarios/${name}`)

      expect(status).toBe(404)
      expect(body.message).toContain('unknown scenario "')
    },
  )

  test.each(['..%2f..%2fetc', '...', '%00'])('of a world: %s', async (name) => {
    const { origin } = await serveSandbox()

    const response = await fetch(`${origin}/worlds/${name}/v1/pets`, { headers: KEY })
    const controlResponse = await fetch(`${origin}/__sandbox/worlds/${name}/health`)

    expect(await response.json()).toHaveLength(20)
    expect(await controlResponse.json()).toMatchObject({ world: decodeURIComponent(name) })
  })
})

describe('a long header is parsed in linear time:', () => {
  // Fifty times as long as a server accepts: in quadratic time the test would time out.
  test.each([
    ['Prefer', `"${'\\"'.repeat(375_000)}`],
    ['Prefer', '"'.repeat(750_001)],
    ['Prefer', `outcome =x${' '.repeat(700_000)}y`],
    ['Authorization', `Bearer ${' '.repeat(700_000)}x`],
    ['Content-Type', `application/json${'; charset='.repeat(75_000)}`],
  ])('%s', async (name, value) => {
    const sandbox = createSandbox()
    await sandbox.ready
    const request = new Request('http://localhost/v1/pets', { headers: { ...KEY, [name]: value } })

    const { status } = await sandbox.fetch(request)

    expect(status).toBeLessThan(500)
  })
})

describe('every response of a server is JSON, not HTML', () => {
  const MARKUP = '<script>alert(1)</script>'

  test.each([
    '/',
    '/v1/pets',
    '/v1/pets?limit=%3Cscript%3E',
    '/v1/%3Cscript%3E',
    '/%3Cscript%3E',
    '/v1/pets/%',
    '/worlds/one/v1/pets',
    '/worlds/%3Cscript%3E/v1/pets',
    '/__sandbox',
    '/__sandbox/%3Cscript%3E',
    '/__sandbox/openapi.json',
    '/__sandbox/journal',
    '/__sandbox/worlds/%3Cscript%3E/clock',
  ])('%s', async (path) => {
    const { origin, sandbox } = await serveSandbox()
    await sandbox.collection('pets').update(1, { name: MARKUP })

    const { headers } = await fetch(origin + path, { headers: { ...KEY, Accept: 'text/html' } })

    expect(headers.get('Content-Type')).toBe('application/json')
  })

  test('responses of the control interface have X-Content-Type-Options: nosniff', async () => {
    const { origin } = await serveSandbox()

    for (const path of ['', '/journal', '/nowhere', '/openapi.json']) {
      const { headers } = await fetch(`${origin}/__sandbox${path}`)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
  })
})
