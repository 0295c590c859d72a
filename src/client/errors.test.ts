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

/** How the first call to it ends. */
async function fault(deed: Promise<unknown>, origin = ''): Promise<string> {
  const error = await deed.catch((reason: unknown) => reason)
  if (!(error instanceof UsageError)) throw new TypeError(`It ended otherwise: ${String(error)}`)
  return `${error.code}: ${origin === '' ? error.message : error.message.replace(origin, 'ORIGIN')}`
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type }).end(body)
}

describe('a client says what is wrong where', () => {
  test('nothing listens', async () => {
    const other = await serveHttp(() => undefined)
    await closeServer(other)

    expect(await fault(createClient(other.origin).reset(), other.origin)).toBe(
      'unreachable: Cannot reach the sandbox at ORIGIN: no server listens at this address. Start it with: pet-sandbox, or check the address.',
    )
  })

  test.each([
    ['/foo', '/foo'],
    ['/v1x/', '/v1x'],
    ['/v1/../v2', '/v2'],
    ['/worlds/one/foo', '/foo'],
  ])('the API is not: at %s', async (end, path) => {
    const { sandbox, origin } = await serveSandbox()

    expect(
      await fault(
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

  test('there is no such machine', async () => {
    const site = 'http://nowhere.invalid:4010'

    expect(await fault(createClient(site).reset())).toMatch(
      /^unreachable: Cannot reach the sandbox at http:\/\/nowhere\.invalid:4010: (?:the host name is unknown|the request failed)/,
    )
  })

  test.each<[string, () => Promise<ListeningServer>]>([
    ['accepts and says nothing', () => serveTcp(() => undefined)],
    ['reads and never answers', () => serveHttp(() => undefined)],
    [
      'stops in the middle of an answer',
      () => serveHttp((_, response) => void response.writeHead(200).write('{"title":')),
    ],
  ])('a server %s', async (_how, serve) => {
    const { origin } = await serve()

    expect(await fault(createClient(origin, { timeout: '50ms' }).reset(), origin)).toBe(
      'no_answer: Cannot reach the sandbox at ORIGIN: it did not answer within 50 ms. Check that it is a sandbox, or set a longer timeout.',
    )
  })

  test.each<[string, () => Promise<ListeningServer>]>([
    ['closes the connection', () => serveTcp((socket) => socket.destroy())],
    [
      'closes it once asked',
      () => serveTcp((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    ],
    [
      'closes it in the middle of an answer',
      () =>
        serveHttp((_, response) => {
          response.writeHead(200, { 'Content-Length': 100 }).write('{"title":')
          setTimeout(() => response.destroy(), 10)
        }),
    ],
  ])('a server %s', async (_how, serve) => {
    const { origin } = await serve()

    expect(await fault(createClient(origin).reset(), origin)).toBe(
      'unreachable: Cannot reach the sandbox at ORIGIN: the server closed the connection. Start it with: pet-sandbox, or check the address.',
    )
  })

  test('a server speaks something else', async () => {
    const { origin } = await serveTcp((socket) => socket.end('220 ready\r\n'))

    expect(await fault(createClient(origin).reset(), origin)).toContain(
      'unreachable: Cannot reach the sandbox at ORIGIN: the server does not speak HTTP. Start it with: pet-sandbox, or check the address.',
    )
  })

  test.each<[string, number, string, string]>([
    ['HTML', 200, 'text/html', '<!doctype html>'],
    ['HTML that refuses', 404, 'text/html', 'Cannot GET /'],
    ['nothing', 200, 'text/plain', ''],
    ['another JSON', 200, 'application/json', '{"status":"UP"}'],
    ['a list', 200, 'application/json', '[]'],
    ['a refusal of another form', 500, 'application/json', '{"error":"no"}'],
  ])('a server answers %s', async (_what, status, type, body) => {
    const { origin } = await serveHttp((_, response) => answer(response, status, type, body))

    expect(await fault(createClient(origin).reset(), origin)).toBe(
      `no_sandbox: Cannot connect to the sandbox at ORIGIN: the server there (status ${status}) has no control interface of pet-sandbox. ` +
        'Check the address, and that the sandbox was not started with --no-control.',
    )
  })

  test('a sandbox has no control interface', async () => {
    const { origin } = await serveSandbox({ control: false })

    expect(await fault(createClient(origin).reset(), origin)).toMatch(/^no_sandbox: .*--no-control/)
  })

  test('a sandbox is of another version', async () => {
    const { origin } = await serveHttp((_, response) => {
      const operations = ['GET /__sandbox/health: Tell how the sandbox is']
      const index = { title: 'Control interface of pet-sandbox', operations }
      answer(response, 200, 'application/json', JSON.stringify(index))
    })

    expect(await fault(createClient(origin).reset(), origin)).toBe(
      'other_version: Cannot use the sandbox at ORIGIN: its version of pet-sandbox does not have POST /__sandbox/reset. ' +
        'Use the same version of pet-sandbox on both sides.',
    )
  })

  test('a page may not steer the sandbox, of which the browser says nothing', async () => {
    vi.stubGlobal('location', { origin: 'http://shop.test:3000' })
    const client = createClient('http://127.0.0.1:4010', {
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    })

    expect(await fault(client.reset())).toBe(
      'unreachable: Cannot reach the sandbox at http://127.0.0.1:4010: the request failed (Failed to fetch). ' +
        'Start it with: pet-sandbox --control-origin http://shop.test:3000, or check the address.',
    )
  })
})

test('a client finds a sandbox that is started later', async () => {
  const other = await serveHttp(() => undefined)
  await closeServer(other)
  const client = createClient(other.origin)
  await fault(client.ready())

  await serveSandbox({ port: other.port })

  expect(await client.health()).toMatchObject({ status: 'ready' })
})

const INDEX = JSON.stringify({
  title: 'Control interface of pet-sandbox',
  basePath: '/v1',
  operations: ['GET /__sandbox/clock: Tell the time', 'GET /__sandbox/snapshot: Take a snapshot'],
})

/** A server that ends the first of its answers, which says that it is a sandbox, and none after it. */
function serveEndless(status: number, headers: Record<string, string>, chunk: Buffer) {
  return serveHttp((request, response) => {
    if (request.url === '/__sandbox/') return answer(response, 200, 'application/json', INDEX)
    response.writeHead(status, headers)
    const write = (): void => {
      while (response.write(chunk));
      response.once('drain', write)
    }
    write()
  })
}

describe('a client reads as much of an answer as it may have:', () => {
  test.each([
    ['of a stranger that never ends', 'reset', 200, '1 MiB'],
    ['of the clock that never ends', 'now', 200, '16 MiB'],
    ['of a refusal that never ends', 'now', 500, '1 MiB'],
  ] as const)('%s', async (_what, deed, status, limit) => {
    const { origin } = await (deed === 'reset'
      ? serveHttp((_, response) => {
          const write = (): void => {
            while (response.write(Buffer.alloc(65_536, '[')));
            response.once('drain', write)
          }
          write()
        })
      : serveEndless(status, {}, Buffer.alloc(65_536, '[')))
    const client = createClient(origin)

    expect(await fault(deed === 'reset' ? client.reset() : client.clock.now(), origin)).toBe(
      `answer_too_long: Cannot read the response of the sandbox at ORIGIN: it is longer than ${limit}. ` +
        'Check that it is a sandbox, or request less at a time, for example with a limit.',
    )
  })

  test('a compressed one by what it decompresses to', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024), { level: 1 })
    const { origin } = await serveHttp((request, response) => {
      if (request.url === '/__sandbox/') return answer(response, 200, 'application/json', INDEX)
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb)
    })

    expect(await fault(createClient(origin).clock.now())).toMatch(/^answer_too_long: .*16 MiB/)
  })

  test('one that is nested deeply is not parsed', async () => {
    const { origin } = await serveHttp((request, response) =>
      answer(
        response,
        200,
        'application/json',
        request.url === '/__sandbox/' ? INDEX : '['.repeat(1_000_000),
      ),
    )

    expect(await fault(createClient(origin).snapshot(), origin)).toBe(
      'answer_too_deep: Cannot read the response of the sandbox at ORIGIN: it is nested more than 1000 levels deep. ' +
        'Check that it is a sandbox.',
    )
  })

  test('one that drips ends with the timeout, also where fetch does not heed its signal', async () => {
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

    expect(await fault(client.reset())).toMatch(/^no_answer: /)
  })
})

describe('what is sent', () => {
  function nested(levels: number): unknown {
    let value: unknown = 0
    for (let level = 0; level < levels; level += 1) value = [value]
    return value
  }
  test('is refused when it is nested more deeply than JSON can be written', async () => {
    const client = createClient((await serveSandbox()).origin)

    expect(await fault(client.restore(nested(50_000)))).toBe(
      'invalid_request: Cannot send the body: it must not be nested more than 100 levels deep. Flatten it.',
    )
  })

  test('is refused when JSON cannot hold it', async () => {
    const client = createClient((await serveSandbox()).origin)

    expect(await fault(client.restore({ size: 1n }))).toMatch(
      /^invalid_request: Cannot send the body: it is not valid JSON data/,
    )
  })
})

describe('a client is not made', () => {
  test.each(['', '127.0.0.1:4010', 'localhost:4010', 'file:///tmp', 'nonsense'])(
    'of the address "%s"',
    (url) => {
      expect(() => createClient(url)).toThrow(
        `Cannot connect to the sandbox at "${url}": it is not an http or https URL. Write it as http://127.0.0.1:4010.`,
      )
    },
  )

  test.each<[string, object, string]>([
    ['another name', { tokens: 'x' }, 'Did you mean "token"?'],
    [
      'a token that no header can carry',
      { token: 'a\nb' },
      'Cannot send the token: no HTTP header can carry it',
    ],
    ['no duration', { timeout: 'soon' }, 'Cannot read the duration "soon"'],
  ])('with an option of %s', (_what, options, message) => {
    expect(() => createClient('http://127.0.0.1:4010', options)).toThrow(message)
  })
})
