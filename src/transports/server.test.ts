import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { build } from 'esbuild'
import { afterEach, describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../index.ts'
import { loadContract } from '../load.ts'
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

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

test('a server ends at once though clients wait for answers that never come', async () => {
  const sandbox = createSandbox()
  sandbox.force('timeout')
  const port = await listen(sandbox)
  const waiting = send(port, `GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n${KEY}\r\n\r\n`)
  await sandbox.journal.waitFor({ operation: 'listPets' })

  const [server] = servers
  await new Promise((resolve) => server?.close(resolve))

  expect(await waiting).toEqual([])
})

test('a response with status 204 has no content, though the document declares some', async () => {
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
  const [http] = await send(
    port,
    `DELETE ${path(other)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )

  for (const { status, headers } of [web, http ?? web]) {
    expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
      204,
      null,
      null,
    ])
  }
  expect([await web.text(), http?.body]).toEqual(['', ''])
})

/** Writes the text on a bare connection and gives all answers that came until it ended. */
async function send(port: number, text: string | Buffer): Promise<Answer[]> {
  const socket = open(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(text)
  await once(socket, 'close')

  return answersIn(Buffer.concat(chunks).toString())
}

function open(port: number): Socket {
  // A connection may be reset after its answer.
  return connect(port, '127.0.0.1').on('error', () => undefined)
}

function answersIn(text: string): Answer[] {
  if (text === '') return []
  const end = text.indexOf('\r\n\r\n') + 4
  const [start = '', ...lines] = text.slice(0, end - 4).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const length = Number(headers.get('Content-Length'))
  const rest = text.slice(end + length)

  return [
    { status: Number(start.split(' ')[1]), headers, body: text.slice(end, end + length) },
    ...answersIn(rest),
  ]
}

function head(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n')
}

/** An Error body that repeats its status, with the three headers that tell the quota. */
function expectRefusal(answer: Answer | undefined, status: number, code: string): void {
  expect(answer?.status).toBe(status)
  expect(answer?.headers.get('Content-Type')).toBe('application/json')
  expect(JSON.parse(answer?.body ?? '')).toEqual({ code, message: expect.any(String), status })
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'])
    expect(answer?.headers.get(name)).toMatch(/^\d+$/)
}

describe('a request that cannot be read is refused with an Error body:', () => {
  const port = (): Promise<number> => listen()

  test('64 kB of headers', async () => {
    const lines = ['GET /v1/pets HTTP/1.1', 'Host: x', `X-Big: ${'x'.repeat(65_536)}`]

    const [answer] = await send(await port(), head(...lines))

    expectRefusal(answer, 431, 'invalid_request')
    expect(answer?.body).toContain('larger than 16384 bytes')
  })

  test.each([
    ['what is not HTTP', Buffer.from('hello\r\n\r\n')],
    ['the start of a TLS connection', Buffer.from('16030100a5010000a10303', 'hex')],
    ['a header without a colon', head('GET /v1/pets HTTP/1.1', 'Host: x', 'Broken')],
    [
      'two lengths of one body',
      head('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    ],
    ['an escape in the path', head('GET /v1/\u001b[31mpets HTTP/1.1', 'Host: x')],
    ['another version of HTTP', head('GET /v1/pets HTTP/3.9', 'Host: x')],
    ['a missing Host', head('GET /v1/pets HTTP/1.1', KEY, 'Connection: close')],
    ['two Hosts', head('GET /v1/pets HTTP/1.1', 'Host: x', 'Host: y', KEY, 'Connection: close')],
    ['a Host that is none', head('GET /v1/pets HTTP/1.1', 'Host: a b', KEY, 'Connection: close')],
    ['a port beyond all', head('GET /v1/pets HTTP/1.1', 'Host: x:99999', KEY, 'Connection: close')],
    [
      'an address that is none',
      head('GET http://[::1/v1/pets HTTP/1.1', 'Host: x', KEY, 'Connection: close'),
    ],
  ])('%s', async (_what, text) => {
    const answers = await send(await port(), text)

    expect(answers).toHaveLength(1)
    expectRefusal(answers[0], 400, 'invalid_request')
  })

  test('a missing Host where something is expected', async () => {
    const lines = ['GET /v1/pets HTTP/1.1', KEY, 'Expect: magic', 'Connection: close']

    const [answer] = await send(await port(), head(...lines))

    expectRefusal(answer, 400, 'invalid_request')
  })

  test('CONNECT', async () => {
    const [answer] = await send(await port(), head('CONNECT a.test:443 HTTP/1.1', 'Host: x'))

    expectRefusal(answer, 405, 'method_not_allowed')
    expect(answer?.headers.get('Allow')).toBe('GET')
  })
})

describe('a request that is unusual is answered:', () => {
  test.each([
    ['HTTP/1.0, without a Host', head('GET /v1/pets HTTP/1.0', KEY)],
    [
      'an expectation that nobody knows',
      head('GET /v1/pets HTTP/1.1', 'Host: x', KEY, 'Expect: magic', 'Connection: close'),
    ],
    [
      'a whole address as target',
      head('GET http://x/v1/pets HTTP/1.1', 'Host: x', KEY, 'Connection: close'),
    ],
  ])('%s', async (_what, text) => {
    const [answer] = await send(await listen(), text)

    expect(answer?.status).toBe(200)
    expect(JSON.parse(answer?.body ?? '')).toHaveLength(20)
  })

  test('OPTIONS of the whole server is told where the API is', async () => {
    const lines = ['OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close']

    const [answer] = await send(await listen(), head(...lines))

    expect(answer?.status).toBe(404)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'not_found', status: 404 })
  })

  test('several requests at once, in their order', async () => {
    const asked = [3, 1, 4, 5].map((limit, at, { length }) =>
      head(
        `GET /v1/pets?limit=${limit} HTTP/1.1`,
        'Host: x',
        KEY,
        `Connection: ${at === length - 1 ? 'close' : 'keep-alive'}`,
      ),
    )

    const answers = await send(await listen(), asked.join(''))

    expect(answers.map(({ body }) => JSON.parse(body).length)).toEqual([3, 1, 4, 5])
  })
})

describe('a slow or vanishing client', () => {
  test('that resets its connection after CONNECT breaks nothing', async () => {
    const port = await listen()

    for (let time = 1; time <= 20; time += 1) {
      const socket = open(port)
      await once(socket, 'connect')
      socket.write(head('CONNECT a:1 HTTP/1.1', 'Host: a'))
      socket.resetAndDestroy()
      await once(socket, 'close')
    }

    const [answer] = await send(port, head('GET /v1/pets HTTP/1.0', KEY))
    expect(answer?.status).toBe(200)
  })

  test('has ten seconds for the head of a request, and thirty for all of it', () => {
    const server = createSandboxServer(createSandbox())

    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 })
  })

  test('gets an Error body when its time is up', async () => {
    const sandbox = createSandbox()
    const port = await listen(sandbox)
    const [server] = servers
    // Node asks every second, by these numbers.
    Object.assign(server ?? {}, { headersTimeout: 100, requestTimeout: 100 })

    const [answer] = await send(port, 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n')

    expectRefusal(answer, 408, 'request_timeout')
  })

  const lines = ['POST /v1/pets HTTP/1.1', 'Host: x', KEY, 'Content-Type: application/json']

  test.each([
    ['leaves', (socket: Socket) => socket.resetAndDestroy(), 0, 'incomplete_body'],
    ['ends', (socket: Socket) => socket.end(), 400, 'invalid_request'],
  ])('that %s within a body changes no record and breaks nothing', async (...row) => {
    const [, go, status, code] = row
    const sandbox = createSandbox()
    sandbox.clock.freeze()
    const port = await listen(sandbox)
    const [server] = servers
    const begun = new Promise((resolve) => server?.once('request', resolve))
    const socket = open(port)
    const before = await sandbox.collection('pets').count()

    socket.write(`${head(...lines, 'Content-Length: 40')}{"name":"Rex","categoryId":1}`)
    await begun
    go(socket)
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

  test('whose body cannot be read has the answer in the journal that it got', async () => {
    const sandbox = createSandbox()
    const port = await listen(sandbox)

    const [answer] = await send(port, `${head(...lines, 'Transfer-Encoding: chunked')}zz\r\n`)

    expectRefusal(answer, 400, 'invalid_request')
    expect(await sandbox.journal.waitFor({ operation: 'createPet' })).toMatchObject({
      status: 400,
      refusal: { code: 'invalid_request' },
    })
  })
})

describe('a request in a transfer coding that the server does not know', () => {
  test('is refused once, and its connection is closed before another request is taken from it', async () => {
    const sandbox = createSandbox()
    const port = await listen(sandbox)
    const unknown = ['POST /v1/pets HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip, chunked', '']
    const next = ['GET /v1/pets HTTP/1.1', 'Host: x', '', '']

    const answers = await send(port, [...unknown, '0', '', ...next].join('\r\n'))

    expect(answers).toHaveLength(1)
    expectRefusal(answers[0], 400, 'invalid_request')
    expect(answers[0]?.headers.get('Connection')).toBe('close')
    expect(sandbox.journal.exchanges).toEqual([])
  })
})

describe('paths outside the API', () => {
  test.each(['/', '/pets', '/v1pets', '/v2/pets', '//'])('%s is told where it is', async (path) => {
    const port = await listen()

    const response = await fetch(`http://127.0.0.1:${port}${path}`)

    expect(response.status).toBe(404)
    expect(response.headers.get('X-Powered-By')).toBeNull()
    expect(await response.json()).toEqual({
      code: 'not_found',
      message: `There is nothing at ${path}. The Pet Adoption Store is at http://127.0.0.1:${port}/v1: GET /v1/pets, POST /v1/pets, GET /v1/pets/{petId}.`,
      status: 404,
    })
  })
})

function prototypeOf(message: object): object {
  return Object.getPrototypeOf(message)
}

describe('the server', () => {
  test('lets exactly as many of many requests pass as the plan allows', async () => {
    const sandbox = createSandbox({ ban: false })
    sandbox.clock.freeze()
    const address = `http://127.0.0.1:${await listen(sandbox)}/v1/pets?limit=1`
    const headers = { Authorization: 'Bearer sk_sandbox_free' }

    const requests = Array.from({ length: 200 }, () => fetch(address, { headers }))
    const statuses = (await Promise.all(requests)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(140)
  })

  test('gives Express messages that have its prototypes already', async () => {
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

describe('a bug of the sandbox', () => {
  test('becomes a 500 with an Error body, and its stack goes to standard error alone', async () => {
    // A process of its own, so that its streams can be read.
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

    const [answer] = await send(
      Number(port),
      head('GET /v1/pets?limit=1 HTTP/1.1', 'Host: x', KEY, 'Connection: close'),
    )
    child.kill()
    await once(child, 'close')

    expectRefusal(answer, 500, 'internal_error')
    expect(answer?.body).not.toContain('broken inside')
    expect(errors.join('')).toMatch(/^Error: broken inside\n +at /)
    expect(output).toEqual([])
  })
})
