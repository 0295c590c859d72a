import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { build } from 'esbuild'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSandbox, type Sandbox } from '../index.ts'
import { loadContract } from '../load.ts'
import {
  exchangeBytes,
  openConnection,
  type RawResponse,
  requestHead,
} from '../testing/raw-connection.ts'
import { createSandboxServer } from './server.ts'

const KEY = 'Authorization: Bearer sk_sandbox_free'
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function listen(sandbox: Sandbox = createSandbox()): Promise<number> {
  const server = createSandboxServer(sandbox)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

test('the server closes at once when clients wait for responses with the outcome timeout', async () => {
  const sandbox = createSandbox()
  sandbox.force('timeout')
  const port = await listen(sandbox)
  const pending = exchangeBytes(port, [
    requestHead('GET /v1/pets HTTP/1.1', 'Host: localhost', KEY),
  ])
  await sandbox.journal.waitFor({ operation: 'listPets' })

  const [server] = servers
  await new Promise((resolve) => server?.close(resolve))

  expect(await pending).toEqual([])
})

test('a response with status 204 has no content when the document declares content', async () => {
  const contract = await loadContract('src/testing/library.yaml')
  const operations = contract.operations.map((operation) => ({
    ...operation,
    responses: operation.responses.map((one) =>
      one.status === 204 ? { ...one, schema: {}, validate: () => true } : one,
    ),
  }))
  const sandbox = createSandbox({ contract: { ...contract, operations }, auth: false })
  const port = await listen(sandbox)
  const [one, other] = await sandbox.collection('books').list({ limit: 2 })
  const path = (book: unknown): string => `${contract.basePath}/books/${Object(book).id}`

  const web = await sandbox.fetch(new Request(`http://a.test${path(one)}`, { method: 'DELETE' }))
  const [http] = await exchangeBytes(port, [
    requestHead(`DELETE ${path(other)} HTTP/1.1`, 'Host: a', 'Connection: close'),
  ])

  for (const { status, headers } of [web, http ?? web]) {
    expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
      204,
      null,
      null,
    ])
  }
  expect([await web.text(), http?.body]).toEqual(['', ''])
})

/** Expects an Error body with the status, and the three quota headers. */
function expectRefusal(response: RawResponse | undefined, status: number, code: string): void {
  expect(response?.status).toBe(status)
  expect(response?.headers.get('Content-Type')).toBe('application/json')
  expect(JSON.parse(response?.body ?? '')).toEqual({ code, message: expect.any(String), status })
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'])
    expect(response?.headers.get(name)).toMatch(/^\d+$/)
}

describe('an invalid request gets an Error body:', () => {
  const port = (): Promise<number> => listen()

  test('64 kB of headers', async () => {
    const lines = ['GET /v1/pets HTTP/1.1', 'Host: x', `X-Big: ${'x'.repeat(65_536)}`]

    const [response] = await exchangeBytes(await port(), [requestHead(...lines)])

    expectRefusal(response, 431, 'invalid_request')
    expect(response?.body).toContain('larger than 16384 bytes')
  })

  test.each([
    ['text that is not HTTP', Buffer.from('hello\r\n\r\n')],
    ['the start of a TLS connection', Buffer.from('16030100a5010000a10303', 'hex')],
    ['a header without a colon', requestHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Broken')],
    [
      'Content-Length and Transfer-Encoding',
      requestHead(
        'POST /v1/pets HTTP/1.1',
        'Host: x',
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
      ),
    ],
    ['a control character in the path', requestHead('GET /v1/\u001b[31mpets HTTP/1.1', 'Host: x')],
    ['an unknown HTTP version', requestHead('GET /v1/pets HTTP/3.9', 'Host: x')],
    ['a missing Host', requestHead('GET /v1/pets HTTP/1.1', KEY, 'Connection: close')],
    [
      'two Host headers',
      requestHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Host: y', KEY, 'Connection: close'),
    ],
    [
      'an invalid Host',
      requestHead('GET /v1/pets HTTP/1.1', 'Host: a b', KEY, 'Connection: close'),
    ],
    [
      'a port above 65535',
      requestHead('GET /v1/pets HTTP/1.1', 'Host: x:99999', KEY, 'Connection: close'),
    ],
    [
      'an invalid URL',
      requestHead('GET http://[::1/v1/pets HTTP/1.1', 'Host: x', KEY, 'Connection: close'),
    ],
  ])('%s', async (_what, text) => {
    const responses = await exchangeBytes(await port(), [text])

    expect(responses).toHaveLength(1)
    expectRefusal(responses[0], 400, 'invalid_request')
  })

  test('a missing Host with an unknown expectation', async () => {
    const lines = ['GET /v1/pets HTTP/1.1', KEY, 'Expect: magic', 'Connection: close']

    const [response] = await exchangeBytes(await port(), [requestHead(...lines)])

    expectRefusal(response, 400, 'invalid_request')
  })

  test('CONNECT', async () => {
    const [response] = await exchangeBytes(await port(), [
      requestHead('CONNECT a.test:443 HTTP/1.1', 'Host: x'),
    ])

    expectRefusal(response, 405, 'method_not_allowed')
    expect(response?.headers.get('Allow')).toBe('GET')
  })
})

describe('an unusual request gets a response:', () => {
  test.each([
    ['HTTP/1.0 without a Host', requestHead('GET /v1/pets HTTP/1.0', KEY)],
    [
      'an unknown expectation',
      requestHead('GET /v1/pets HTTP/1.1', 'Host: x', KEY, 'Expect: magic', 'Connection: close'),
    ],
    [
      'an absolute URL as target',
      requestHead('GET http://x/v1/pets HTTP/1.1', 'Host: x', KEY, 'Connection: close'),
    ],
  ])('%s', async (_what, text) => {
    const [response] = await exchangeBytes(await listen(), [text])

    expect(response?.status).toBe(200)
    expect(JSON.parse(response?.body ?? '')).toHaveLength(20)
  })

  test('OPTIONS * gets a 404', async () => {
    const lines = ['OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close']

    const [response] = await exchangeBytes(await listen(), [requestHead(...lines)])

    expect(response?.status).toBe(404)
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ code: 'not_found', status: 404 })
  })

  test('pipelined requests get their responses in order', async () => {
    const requests = [3, 1, 4, 5].map((limit, at, { length }) =>
      requestHead(
        `GET /v1/pets?limit=${limit} HTTP/1.1`,
        'Host: x',
        KEY,
        `Connection: ${at === length - 1 ? 'close' : 'keep-alive'}`,
      ),
    )

    const responses = await exchangeBytes(await listen(), [requests.join('')])

    expect(responses.map(({ body }) => JSON.parse(body).length)).toEqual([3, 1, 4, 5])
  })
})

describe('a slow or disconnected client', () => {
  test('that resets its connection after CONNECT does not affect the server', async () => {
    const port = await listen()

    for (let time = 1; time <= 20; time += 1) {
      const socket = openConnection(port)
      await once(socket, 'connect')
      socket.write(requestHead('CONNECT a:1 HTTP/1.1', 'Host: a'))
      socket.resetAndDestroy()
      await once(socket, 'close')
    }

    const [response] = await exchangeBytes(port, [requestHead('GET /v1/pets HTTP/1.0', KEY)])
    expect(response?.status).toBe(200)
  })

  test('has 10 seconds to send the head of a request, and 30 seconds to send all of it', () => {
    const server = createSandboxServer(createSandbox())

    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 })
  })

  test('gets an Error body after the timeout', async () => {
    const sandbox = createSandbox()
    const port = await listen(sandbox)
    const [server] = servers
    // Node checks for timeouts every second.
    Object.assign(server ?? {}, { headersTimeout: 100, requestTimeout: 100 })

    const [response] = await exchangeBytes(port, ['GET /v1/pets HTTP/1.1\r\nHost: x\r\n'])

    expectRefusal(response, 408, 'request_timeout')
  })

  const lines = ['POST /v1/pets HTTP/1.1', 'Host: x', KEY, 'Content-Type: application/json']

  test.each([
    ['resets its connection', (socket: Socket) => socket.resetAndDestroy(), 0, 'incomplete_body'],
    ['ends its side', (socket: Socket) => socket.end(), 400, 'invalid_request'],
  ])('that %s within a body changes no record and does not affect the server', async (...row) => {
    const [, disconnect, status, code] = row
    const sandbox = createSandbox()
    sandbox.clock.freeze()
    const port = await listen(sandbox)
    const [server] = servers
    const started = new Promise((resolve) => server?.once('request', resolve))
    const socket = openConnection(port)
    const before = await sandbox.collection('pets').count()

    socket.write(`${requestHead(...lines, 'Content-Length: 40')}{"name":"Rex","categoryId":1}`)
    await started
    disconnect(socket)
    await sandbox.journal.waitFor({ status })
    const next = await fetch(`http://127.0.0.1:${port}/v1/pets/1`, {
      headers: { Authorization: 'Bearer sk_sandbox_free' },
    })

    expect(next.status).toBe(200)
    expect(await sandbox.collection('pets').count()).toBe(before)
    expect(sandbox.journal.exchanges).toMatchObject([
      { method: 'POST', status, refusal: { code }, quota: { after: { minute: 59 } } },
      { method: 'GET', status: 200, quota: { after: { minute: 58 } } },
    ])
  })

  test('that sends an invalid body gets the response that the journal has', async () => {
    const sandbox = createSandbox()
    const port = await listen(sandbox)

    const [response] = await exchangeBytes(port, [
      `${requestHead(...lines, 'Transfer-Encoding: chunked')}zz\r\n`,
    ])

    expectRefusal(response, 400, 'invalid_request')
    expect(await sandbox.journal.waitFor({ operation: 'createPet' })).toMatchObject({
      status: 400,
      refusal: { code: 'invalid_request' },
    })
  })
})

describe('a request in an unknown transfer coding', () => {
  test('is refused once, and the connection closes before the next request is read', async () => {
    const sandbox = createSandbox()
    const port = await listen(sandbox)
    const unknown = ['POST /v1/pets HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip, chunked', '']
    const next = ['GET /v1/pets HTTP/1.1', 'Host: x', '', '']

    const responses = await exchangeBytes(port, [[...unknown, '0', '', ...next].join('\r\n')])

    expect(responses).toHaveLength(1)
    expectRefusal(responses[0], 400, 'invalid_request')
    expect(responses[0]?.headers.get('Connection')).toBe('close')
    expect(sandbox.journal.exchanges).toEqual([])
  })
})

describe('paths outside the API', () => {
  test.each(['/', '/pets', '/v1pets', '/v2/pets', '//'])(
    '%s gets a 404 with the URL of the API',
    async (path) => {
      const port = await listen()

      const response = await fetch(`http://127.0.0.1:${port}${path}`)

      expect(response.status).toBe(404)
      expect(response.headers.get('X-Powered-By')).toBeNull()
      expect(await response.json()).toEqual({
        code: 'not_found',
        message: `There is nothing at ${path}.${path === '/pets' ? ' Did you mean /v1/pets?' : ''} The API "Pet Adoption Store" is at http://127.0.0.1:${port}/v1. The operations are: GET /v1/pets, POST /v1/pets, GET /v1/pets/{petId}.`,
        status: 404,
      })
    },
  )
})

function prototypeOf(message: object): object {
  return Object.getPrototypeOf(message)
}

describe('the server', () => {
  test('answers exactly as many concurrent requests as the plan allows', async () => {
    const sandbox = createSandbox({ ban: false })
    sandbox.clock.freeze()
    const address = `http://127.0.0.1:${await listen(sandbox)}/v1/pets?limit=1`
    const headers = { Authorization: 'Bearer sk_sandbox_free' }

    const requests = Array.from({ length: 200 }, () => fetch(address, { headers }))
    const statuses = (await Promise.all(requests)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(140)
  })

  test('creates messages with the prototypes of Express', async () => {
    const server = createSandboxServer(createSandbox())
    servers.push(server)
    const before: object[] = []
    const after: object[] = []
    server.prependListener('request', (...messages) => before.push(...messages.map(prototypeOf)))
    server.on('request', (...messages) => after.push(...messages.map(prototypeOf)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0

    await fetch(`http://127.0.0.1:${port}/v1/pets`)

    expect(after.map((prototype, at) => prototype === before[at])).toEqual([true, true])
    expect(after.map((prototype) => 'app' in prototype)).toEqual([true, true])
  })
})

const BROKEN = `
import { contract } from './src/generated/contract.ts'
import { createSandbox } from './src/index.ts'
import { createSandboxServer } from './src/transports/server.ts'

const validate = () => { throw new Error('broken inside') }
const operations = contract.operations.map((operation) => ({
  ...operation,
  parameters: operation.parameters.map((parameter) => ({ ...parameter, validate })),
}))
const server = createSandboxServer(createSandbox({ contract: { ...contract, operations } }))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

describe('a response that cannot be written', () => {
  test.each([
    ['an API request', 'GET /v1/pets HTTP/1.1'],
    [
      'a pipelined request after another',
      'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/pets HTTP/1.1',
    ],
    ['a method that is not read', 'CONNECT a:1 HTTP/1.1'],
  ])('is a 500, or closes the connection, and the server goes on: %s', async (_, head) => {
    const { contract } = createSandbox()
    const quotaHeaders = [{ name: 'X Limit', figure: 'limit' }] as const
    const broken = createSandbox({ contract: { ...contract, quotaHeaders } })
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const port = await listen(broken)

    const first = await exchangeBytes(port, [requestHead(head, 'Host: a', 'Connection: close')])
    const second = await exchangeBytes(port, [
      requestHead('GET /__sandbox/live HTTP/1.1', 'Host: a', 'Connection: close'),
    ])
    const web = await broken.fetch(new Request('http://a/v1/pets'))
    errors.mockRestore()

    expect(first.every(({ status }) => status === 500)).toBe(true)
    expect(second).toHaveLength(1)
    expect([web.status, await web.json()]).toMatchObject([500, { code: 'internal_error' }])
  })
})

describe('a bug of the sandbox', () => {
  test('becomes a 500 with an Error body, and its stack is written to standard error only', async () => {
    // A separate process, whose streams can be read.
    const { outputFiles } = await build({
      stdin: { contents: BROKEN, resolveDir: '.', loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      write: false,
    })
    const child = spawn(process.execPath, ['--input-type=module'], { stdio: 'pipe' })
    child.stdin.end(outputFiles[0]?.text)
    const [port] = await once(child.stdout, 'data')
    const output: string[] = []
    const errors: string[] = []
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.stderr.on('data', (chunk) => errors.push(String(chunk)))

    const [response] = await exchangeBytes(Number(port), [
      requestHead('GET /v1/pets?limit=1 HTTP/1.1', 'Host: x', KEY, 'Connection: close'),
    ])
    child.kill()
    await once(child, 'close')

    expectRefusal(response, 500, 'internal_error')
    expect(response?.body).not.toContain('broken inside')
    expect(errors.join('')).toMatch(/^Error: broken inside\n +at /)
    expect(output).toEqual([])
  })
})
