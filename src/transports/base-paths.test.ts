import { describe, expect, it } from 'vitest'
import { withBasePath } from '../contract/base-paths.ts'
import { contract as shipped } from '../generated/contract.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import {
  contractOf,
  openRouted,
  operation,
  type SendToPath,
  TRANSPORTS,
} from '../testing/routed-sandbox.ts'
import { toExpress } from './express.ts'
import { toHandlers } from './msw.ts'

const KEY = { headers: { Authorization: 'Bearer sk_sandbox_business' } }

/** The operation that answered each path, or the status of the error. */
async function answersOf(
  send: SendToPath,
  paths: readonly string[],
  method = 'GET',
): Promise<readonly unknown[]> {
  const responses = await Promise.all(paths.map((path) => send(method, path, KEY)))
  return Promise.all(
    responses.map(async (response) =>
      response.ok ? Object(await response.json()).operation : response.status,
    ),
  )
}

describe.each(Object.entries(TRANSPORTS))('%s', (_name, connect) => {
  it('operations are served below the path of each server', async () => {
    const sandbox = openRouted(['/v1', '/v2', ''], [operation('GET /a'), operation('GET /b/c')])
    const send = await connect(sandbox)

    const answers = await answersOf(send, ['/v1/a', '/v2/b/c', '/a', '/v3/a'])

    expect(answers).toEqual(['GET /a', 'GET /b/c', 'GET /a', 404])
  })

  it('an operation with servers of its own is served below these only', async () => {
    const sandbox = openRouted(
      ['/v1'],
      [operation('GET /a'), operation('GET /files', ['/content', '/cdn'])],
    )
    const send = await connect(sandbox)

    const paths = ['/v1/a', '/content/files', '/cdn/files', '/v1/files', '/content/a']

    expect(await answersOf(send, paths)).toEqual(['GET /a', 'GET /files', 'GET /files', 404, 404])
  })

  it('worlds are before each base path', async () => {
    const sandbox = openRouted(
      ['/v1', ''],
      [operation('GET /a'), operation('GET /files', ['/content'])],
    )
    const send = await connect(sandbox)

    const answers = await answersOf(send, [
      '/worlds/one/v1/a',
      '/worlds/one/a',
      '/worlds/one/content/files',
      '/worlds/one/v1/files',
    ])

    expect(answers).toEqual(['GET /a', 'GET /a', 'GET /files', 404])
    expect(sandbox.world('one').journal.exchanges.length).toBeGreaterThanOrEqual(3)
    expect(sandbox.journal.exchanges).toEqual([])
  })

  it('links start with the base path of the request', async () => {
    const sandbox = createSandbox({
      records: 3,
      contract: { ...shipped, basePath: '/v1', basePaths: ['/v1', '/beta/v2'] },
    })
    const send = await connect(sandbox)

    const first = await send('GET', '/v1/pets?limit=1', KEY)
    const second = await send('GET', '/beta/v2/pets?limit=1', KEY)

    expect(first.headers.get('Link')).toMatch(/\/v1\/pets\?limit=1&cursor=/)
    expect(second.headers.get('Link')).toMatch(/\/beta\/v2\/pets\?limit=1&cursor=/)
    expect(await second.json()).toEqual(await first.json())
  })

  it('one base path can replace all', async () => {
    const documented = contractOf(
      ['/v1', '/v2'],
      [operation('GET /a'), operation('GET /files', ['/content'])],
    )
    const sandbox = createSandbox({ contract: withBasePath(documented, '/api') })
    const send = await connect(sandbox)

    const answers = await answersOf(send, ['/api/a', '/api/files', '/v1/a', '/content/files'])

    expect(answers).toEqual(['GET /a', 'GET /files', 404, 404])
  })
})

describe('a request without the base path', () => {
  async function messageAt(sandbox: Sandbox, path: string): Promise<string> {
    const response = await sandbox.fetch(new Request(`http://localhost${path}`))
    expect(response.status).toBe(404)
    return Object(await response.json()).message
  }

  const many = Array.from({ length: 11_000 }, (_, index) => operation(`GET /things/t${index}/{id}`))

  it('gets a 404 with the right address', async () => {
    const sandbox = openRouted(['/v1'], [...many, operation('GET /files', ['/content'])])

    expect(await messageAt(sandbox, '/things/t5000/7')).toMatch(
      /^There is nothing at \/things\/t5000\/7\. Did you mean \/v1\/things\/t5000\/7\? The API "Routes" is at http:\/\/localhost\/v1\. The nearest operations are: GET \/v1\/things\/t\d+\/\{id\}(, GET \/v1\/things\/\w+\/\{id\}){4}\. The command "pet-sandbox explain" lists all 11001\.$/,
    )
    expect(await messageAt(sandbox, '/worlds/one/things/t1/7')).toContain(
      'Did you mean /worlds/one/v1/things/t1/7?',
    )
    expect(await messageAt(sandbox, '/files')).toContain('Did you mean /content/files?')
    expect(await messageAt(sandbox, '/v1/files')).toContain('It is at /content/files.')
  })

  it('gets the address and the operations of a small API', async () => {
    expect(await messageAt(createSandbox(), '/pets')).toBe(
      'There is nothing at /pets. Did you mean /v1/pets? The API "Pet Adoption Store" is at http://localhost/v1. The operations are: GET /v1/pets, POST /v1/pets, GET /v1/pets/{petId}.',
    )
  })
})

describe('handlers of MSW', () => {
  it('have all operations below a base URL', async () => {
    const sandbox = openRouted(['/v1'], [operation('GET /files', ['/content'])])
    const [handler] = toHandlers(sandbox, { baseUrl: 'https://api.test/v9' })

    const result = await handler?.run({
      request: new Request('https://api.test/v9/files'),
      requestId: '1',
    })

    expect(await result?.response?.json()).toEqual({ operation: 'GET /files' })
  })

  it('show the base paths in the log', () => {
    const [handler] = toHandlers(openRouted(['/v1', '/v2'], [operation('GET /a')]))

    expect(handler?.info.header).toBe('*/v1/*, */v2/*')
  })
})

describe('the option publicUrl', () => {
  it('must not end with any base path', () => {
    const sandbox = openRouted(['/v1', '/v2'], [operation('GET /a')])

    expect(() => toExpress(sandbox, { publicUrl: 'https://a.test/v2' })).toThrow(
      'Write the URL without /v2, as https://a.test.',
    )
  })
})
