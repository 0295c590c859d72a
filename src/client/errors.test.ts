import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createClient, UsageError } from '../client.ts'
import {
  closeServer,
  type ListeningServer,
  serveHttp,
  serveSandbox,
  serveTcp,
  stopServers,
} from '../testing/servers.ts'

afterEach(async () => {
  vi.unstubAllGlobals()
  await stopServers()
})

/** The code and the message of the UsageError that a call rejects with. */
async function errorOf(call: Promise<unknown>, origin = ''): Promise<string> {
  const error = await call.catch((reason: unknown) => reason)
  if (!(error instanceof UsageError))
    throw new TypeError(`The call did not end with a UsageError: ${String(error)}`)
  return `${error.code}: ${origin === '' ? error.message : error.message.replace(origin, 'ORIGIN')}`
}

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type }).end(body)
}

describe('the error of a call', () => {
  test('says that no server listens', async () => {
    const closed = await serveHttp(() => undefined)
    await closeServer(closed)

    expect(await errorOf(createClient(closed.origin).reset(), closed.origin)).toBe(
      'unreachable: Cannot reach the sandbox at ORIGIN: no server listens at this address. Start it with: pet-sandbox, or check the address.',
    )
  })

  test.each([
    ['/foo', '/foo'],
    ['/v1x/', '/v1x'],
    ['/v1/../v2', '/v2'],
    ['/worlds/one/foo', '/foo'],
  ])('says where the API is when the URL has the wrong path %s', async (end, path) => {
    const { sandbox, origin } = await serveSandbox()

    expect(
      await errorOf(
        createClient(origin + end)
          .collection('pets')
          .remove(1),
      ),
    ).toBe(
      `no_base: Cannot connect to the sandbox at ${origin}${path}: its API is at /v1, not at ${path}. ` +
        `Give ${origin}, ${origin}/v1, or ${origin}/worlds/NAME/v1 for a world.`,
    )
    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  test('says once which name was meant', async () => {
    const { origin } = await serveSandbox()

    const { journal } = createClient(origin)
    const error = await errorOf(journal.find({ operatoin: 'getPet' } as object))

    expect(error.match(/did you mean/gi)).toHaveLength(1)
  })

  test('says that the host name is unknown', async () => {
    const site = 'http://nowhere.invalid:4010'

    expect(await errorOf(createClient(site).reset())).toMatch(
      /^unreachable: Cannot reach the sandbox at http:\/\/nowhere\.invalid:4010: (?:the host name is unknown|the request failed)/,
    )
  })

  test.each<[string, () => Promise<ListeningServer>]>([
    ['accepts connections only', () => serveTcp(() => undefined)],
    ['never answers', () => serveHttp(() => undefined)],
    [
      'stops in the middle of a response',
      () => serveHttp((_, response) => void response.writeHead(200).write('{"title":')),
    ],
  ])('names the timeout for a server that %s', async (_how, serve) => {
    const { origin } = await serve()

    expect(await errorOf(createClient(origin, { timeout: '50ms' }).reset(), origin)).toBe(
      'no_answer: Cannot reach the sandbox at ORIGIN: it did not answer within 50 ms. Check that it is a sandbox, or set a longer timeout.',
    )
  })

  test.each<[string, () => Promise<ListeningServer>]>([
    ['closes the connection', () => serveTcp((socket) => socket.destroy())],
    [
      'closes the connection after a request',
      () => serveTcp((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    ],
    [
      'closes the connection in the middle of a response',
      () =>
        serveHttp((_, response) => {
          response.writeHead(200, { 'Content-Length': 100 }).write('{"title":')
          setTimeout(() => response.destroy(), 10)
        }),
    ],
  ])('names the closed connection for a server that %s', async (_how, serve) => {
    const { origin } = await serve()

    expect(await errorOf(createClient(origin).reset(), origin)).toBe(
      'unreachable: Cannot reach the sandbox at ORIGIN: the server closed the connection. Start it with: pet-sandbox, or check the address.',
    )
  })

  test('says that the server does not speak HTTP', async () => {
    const { origin } = await serveTcp((socket) => socket.end('220 ready\r\n'))

    expect(await errorOf(createClient(origin).reset(), origin)).toContain(
      'unreachable: Cannot reach the sandbox at ORIGIN: the server does not speak HTTP. Start it with: pet-sandbox, or check the address.',
    )
  })

  test.each<[string, number, string, string]>([
    ['HTML', 200, 'text/html', '<!doctype html>'],
    ['a 404 with HTML', 404, 'text/html', 'Cannot GET /'],
    ['no content', 200, 'text/plain', ''],
    ['other JSON', 200, 'application/json', '{"status":"UP"}'],
    ['an array', 200, 'application/json', '[]'],
    ['an error of another form', 500, 'application/json', '{"error":"no"}'],
  ])('says that a server that sends %s is not a sandbox', async (_what, status, type, body) => {
    const { origin } = await serveHttp((_, response) => respond(response, status, type, body))

    expect(await errorOf(createClient(origin).reset(), origin)).toBe(
      `no_sandbox: Cannot connect to the sandbox at ORIGIN: the server there (status ${status}) has no control interface of pet-sandbox. ` +
        'Check the address, and that the sandbox was not started with --no-control.',
    )
  })

  test('says that a sandbox has no control interface', async () => {
    const { origin } = await serveSandbox({ control: false })

    expect(await errorOf(createClient(origin).reset(), origin)).toMatch(
      /^no_sandbox: .*--no-control/,
    )
  })

  test('says that a sandbox has another version', async () => {
    const { origin } = await serveHttp((_, response) => {
      const operations = ['GET /__sandbox/health: Get the health of the sandbox']
      const index = { title: 'Control interface of pet-sandbox', operations }
      respond(response, 200, 'application/json', JSON.stringify(index))
    })

    expect(await errorOf(createClient(origin).reset(), origin)).toBe(
      'other_version: Cannot use the sandbox at ORIGIN: its version of pet-sandbox does not have POST /__sandbox/reset. ' +
        'Use the same version of pet-sandbox on both sides.',
    )
  })

  test('suggests --control-origin in a page, because browsers do not reveal why a request failed', async () => {
    vi.stubGlobal('location', { origin: 'http://shop.test:3000' })
    const client = createClient('http://127.0.0.1:4010', {
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    })

    expect(await errorOf(client.reset())).toBe(
      'unreachable: Cannot reach the sandbox at http://127.0.0.1:4010: the request failed (Failed to fetch). ' +
        'Start it with: pet-sandbox --control-origin http://shop.test:3000, or check the address.',
    )
  })
})

test('a client connects to a sandbox that is started after a failed call', async () => {
  const closed = await serveHttp(() => undefined)
  await closeServer(closed)
  const client = createClient(closed.origin)
  await errorOf(client.ready())

  await serveSandbox({ port: closed.port })

  expect(await client.health()).toMatchObject({ status: 'ready' })
})

const INDEX = JSON.stringify({
  title: 'Control interface of pet-sandbox',
  basePath: '/v1',
  operations: ['GET /__sandbox/clock: Get the time', 'GET /__sandbox/snapshot: Take a snapshot'],
})

/** A server that sends the index of a sandbox, and an endless body to every other request. */
function serveEndless(status: number, headers: Record<string, string>, chunk: Buffer) {
  return serveHttp((request, response) => {
    if (request.url === '/__sandbox/') return respond(response, 200, 'application/json', INDEX)
    response.writeHead(status, headers)
    const write = (): void => {
      while (response.write(chunk));
      response.once('drain', write)
    }
    write()
  })
}

describe('a client limits the response', () => {
  test.each([
    ['of an unknown server to 1 MiB', 'reset', 200, '1 MiB'],
    ['of the clock to 16 MiB', 'now', 200, '16 MiB'],
    ['of an error to 1 MiB', 'now', 500, '1 MiB'],
  ] as const)('%s', async (_what, method, status, limit) => {
    const { origin } = await (method === 'reset'
      ? serveHttp((_, response) => {
          const write = (): void => {
            while (response.write(Buffer.alloc(65_536, '[')));
            response.once('drain', write)
          }
          write()
        })
      : serveEndless(status, {}, Buffer.alloc(65_536, '[')))
    const client = createClient(origin)

    expect(await errorOf(method === 'reset' ? client.reset() : client.clock.now(), origin)).toBe(
      `answer_too_long: Cannot read the response of the sandbox at ORIGIN: it is longer than ${limit}. ` +
        'Check that it is a sandbox, or request less at a time, for example with a limit.',
    )
  })

  test('of a compressed response after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024), { level: 1 })
    const { origin } = await serveHttp((request, response) => {
      if (request.url === '/__sandbox/') return respond(response, 200, 'application/json', INDEX)
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb)
    })

    expect(await errorOf(createClient(origin).clock.now())).toMatch(/^answer_too_long: .*16 MiB/)
  })
})

describe('a client rejects with a UsageError:', () => {
  test('a deeply nested response is not parsed', async () => {
    const { origin } = await serveHttp((request, response) =>
      respond(
        response,
        200,
        'application/json',
        request.url === '/__sandbox/' ? INDEX : '['.repeat(1_000_000),
      ),
    )

    expect(await errorOf(createClient(origin).snapshot(), origin)).toBe(
      'answer_too_deep: Cannot read the response of the sandbox at ORIGIN: it is nested more than 1000 levels deep. ' +
        'Check that it is a sandbox.',
    )
  })

  test('a slow response ends with the timeout, even if fetch ignores its signal', async () => {
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) =>
          new Promise((resolve) => {
            controller.enqueue(new Uint8Array([0x20]))
            setTimeout(resolve, 5)
          }),
      })
    const client = createClient('http://127.0.0.1:4010', {
      timeout: '50ms',
      fetch: async () => new Response(body()),
    })

    expect(await errorOf(client.reset())).toMatch(/^no_answer: /)
  })
})

describe('a request body', () => {
  function nested(levels: number): unknown {
    let value: unknown = 0
    for (let level = 0; level < levels; level += 1) value = [value]
    return value
  }
  test('is refused when it is nested too deeply to serialize it', async () => {
    const client = createClient((await serveSandbox()).origin)

    expect(await errorOf(client.restore(nested(50_000)))).toBe(
      'invalid_request: Cannot send the body: it must not be nested more than 100 levels deep. Flatten it.',
    )
  })

  test('is refused when JSON cannot represent it', async () => {
    const client = createClient((await serveSandbox()).origin)

    expect(await errorOf(client.restore({ size: 1n }))).toMatch(
      /^invalid_request: Cannot send the body: it is not valid JSON data/,
    )
  })
})

describe('a client cannot be created', () => {
  test.each(['', '127.0.0.1:4010', 'localhost:4010', 'file:///tmp', 'nonsense'])(
    'with the URL "%s"',
    (url) => {
      expect(() => createClient(url)).toThrow(
        `Cannot connect to the sandbox at "${url}": it is not an http or https URL. Write it as http://127.0.0.1:4010.`,
      )
    },
  )

  test.each<[string, object, string]>([
    ['an unknown name', { tokens: 'x' }, 'Did you mean "token"?'],
    [
      'a token with invalid characters',
      { token: 'a\nb' },
      'Cannot send the token: no HTTP header can carry it',
    ],
    ['an invalid duration', { timeout: 'soon' }, 'Cannot read the duration "soon"'],
  ])('with an option that has %s', (_what, options, message) => {
    expect(() => createClient('http://127.0.0.1:4010', options)).toThrow(message)
  })
})
