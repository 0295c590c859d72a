import { once } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { createControl } from '../control.ts'
import { createSandbox } from '../index.ts'
import { loadContract } from '../load.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { createSandboxServer, type ServerExtras } from './server.ts'

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
  vi.restoreAllMocks()
})

const INFO = { title: 'API', version: '1' }

/** The document that is served in these tests. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: INFO,
  servers: [{ url: 'https://api.example.com/v2' }],
  paths: {
    '/books': { get: { operationId: 'listBooks', responses: { '200': { description: 'All' } } } },
    '/files': {
      servers: [{ url: 'https://files.example.com/f' }],
      get: { responses: { '200': { description: 'All' } } },
      put: {
        servers: [{ url: 'https://uploads.example.com/u' }],
        responses: { '204': { description: 'Stored' } },
      },
    },
  },
}

/** Serves a sandbox of a document, and returns the address of the server. */
async function serve(
  options: { readonly document?: object; readonly extras?: ServerExtras } = {},
): Promise<string> {
  const { document = DOCUMENT, extras = {} } = options
  const { paths, ...root } = { paths: {}, ...document }
  const sandbox = createSandbox({ contract: await loadDocumentOf(paths, root) })
  const server = createSandboxServer(sandbox, {
    control: createControl(sandbox),
    readDocument: async () => ({ ...document }),
    ...extras,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

async function readJson(address: string, init?: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(address, init)
  expect(response.status).toBe(200)
  return response.json()
}

describe('the document of the API', () => {
  test.each(['/openapi.json', '/__sandbox/document.json'])(
    'is served as JSON at %s, with the address of the sandbox first',
    async (path) => {
      const origin = await serve()

      const response = await fetch(origin + path)

      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toMatchObject({
        openapi: '3.1.0',
        info: INFO,
        servers: [
          { url: `${origin}/v2`, description: 'The sandbox' },
          { url: 'https://api.example.com/v2' },
        ],
      })
    },
  )

  test.each(['/openapi.yaml', '/__sandbox/document.yaml'])(
    'is served as YAML at %s',
    async (path) => {
      const origin = await serve()

      const response = await fetch(origin + path)

      expect(response.headers.get('content-type')).toBe('application/yaml')
      expect(parse(await response.text())).toEqual(await readJson(`${origin}/openapi.json`))
    },
  )

  test('has the address of the sandbox also where operations have servers of their own', async () => {
    const origin = await serve()

    const { paths } = await readJson(`${origin}/openapi.json`)

    expect(paths).toMatchObject({
      '/files': {
        servers: [{ url: `${origin}/f` }, { url: 'https://files.example.com/f' }],
        put: { servers: [{ url: `${origin}/u` }, { url: 'https://uploads.example.com/u' }] },
      },
      '/books': { get: { operationId: 'listBooks' } },
    })
  })

  test('has the address of a world below its control interface', async () => {
    const origin = await serve()

    expect(await readJson(`${origin}/__sandbox/worlds/a%20b/document.json`)).toMatchObject({
      servers: [{ url: `${origin}/worlds/a%20b/v2` }, {}],
    })
    expect((await fetch(`${origin}/__sandbox/worlds/%FF/document.json`)).status).toBe(404)
  })

  test('has the public address, or that which a trusted proxy forwards', async () => {
    const published = await serve({ extras: { publicUrl: 'https://ci.test/stack' } })
    const forwarded = await serve({ extras: { trustProxy: ['loopback'] } })
    const headers = { 'X-Forwarded-Host': 'proxy.test', 'X-Forwarded-Proto': 'https' }

    expect(await readJson(`${published}/openapi.json`)).toMatchObject({
      servers: [{ url: 'https://ci.test/stack/v2' }, {}],
    })
    expect(await readJson(`${forwarded}/openapi.json`, { headers })).toMatchObject({
      servers: [{ url: 'https://proxy.test/v2' }, {}],
    })
  })

  test('can be loaded again', async () => {
    const origin = await serve()

    const contract = await loadContract(`${origin}/openapi.yaml`)

    expect(contract.operations.map(({ id }) => id)).toContain('listBooks')
  })

  test('may be read by everyone', async () => {
    const origin = await serve()
    const headers = { Origin: 'https://elsewhere.test', 'X-Forwarded-For': '192.0.2.1' }

    expect((await fetch(`${origin}/__sandbox/document.json`, { headers })).status).toBe(200)
    expect((await fetch(`${origin}/__sandbox/health`, { headers })).status).toBe(401)
  })

  test('is read when it is requested, so that a reload shows the new one', async () => {
    let title = 'Before'
    const origin = await serve({
      extras: { readDocument: async () => ({ ...DOCUMENT, info: { title, version: '1' } }) },
    })
    const before = await readJson(`${origin}/openapi.json`)
    title = 'After'

    expect(before).toMatchObject({ info: { title: 'Before' } })
    expect(await readJson(`${origin}/openapi.json`)).toMatchObject({ info: { title: 'After' } })
  })

  test('gives way to an operation of the API at the root', async () => {
    const get = { responses: { '204': { description: 'Nothing' } } }
    const paths = { '/openapi.json': { get } }
    const origin = await serve({ document: { openapi: '3.1.0', info: INFO, paths } })

    expect((await fetch(`${origin}/openapi.json`)).status).toBe(204)
    expect((await fetch(`${origin}/openapi.yaml`)).status).toBe(200)
    expect((await fetch(`${origin}/__sandbox/document.json`)).status).toBe(200)
  })

  test('is not below /__sandbox without a control interface', async () => {
    const origin = await serve({ extras: { control: undefined } })

    expect((await fetch(`${origin}/__sandbox/document.json`)).status).toBe(404)
    expect((await fetch(`${origin}/openapi.json`)).status).toBe(200)
  })

  test('is not changed, and other methods are refused', async () => {
    const origin = await serve()

    expect((await fetch(`${origin}/openapi.json`, { method: 'PUT', body: '{}' })).status).toBe(404)
    expect((await fetch(`${origin}/openapi.json`, { method: 'HEAD' })).status).toBe(200)
  })

  test('that cannot be read is a 500 with an Error body', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const readDocument = (): Promise<never> => Promise.reject(new Error('gone'))
    const origin = await serve({ extras: { readDocument } })

    const response = await fetch(`${origin}/openapi.json`)

    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'internal_error' })
  })
})
