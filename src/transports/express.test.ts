import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { contract } from '../generated/contract.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { RawResponse } from '../testing/raw-connection.ts'
import { toExpress } from './express.ts'

const KEY = 'Authorization: Bearer sk_sandbox_free'
const JSON_TYPE = 'Content-Type: application/json'
const MIB = 1024 * 1024

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

/** Starts a server on a free port, and returns the port. */
async function listen(app: RequestListener): Promise<number> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  return (server.address() as AddressInfo).port
}

function openSandbox(basePath?: string): Sandbox {
  if (basePath === undefined) return createSandbox({ records: 3 })
  const moved: Contract = { ...contract, basePath }
  return createSandbox({ contract: moved, records: 3 })
}

/** A TCP connection that sends requests byte for byte. */
class Wire {
  readonly #socket: Socket
  #received = ''
  #isClosed = false
  #wake: () => void = () => undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#received += text
      this.#wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    closers.push(async () => void socket.destroy())
    return new Wire(socket)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Writes the head with a Host header, and the body. */
  write(lines: readonly string[], body: string | Uint8Array = ''): void {
    const [first = '', ...rest] = lines
    this.send([first, 'Host: pets.test', ...rest, '', ''].join('\r\n'))
    this.send(body)
  }

  /** Writes the text unchanged. */
  send(text: string | Uint8Array): void {
    this.#socket.write(text)
  }

  /** Writes a POST with this body as JSON. */
  post(body: string | Uint8Array): void {
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    this.write(['POST /v1/pets HTTP/1.1', KEY, JSON_TYPE, length], body)
  }

  /** Reads the next response; `hasBody` is false for the response to HEAD. */
  async read(hasBody = true): Promise<RawResponse> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      const [start = '', ...lines] = this.#received.slice(0, end).split('\r\n')
      const headers = new Headers(
        lines.map((line): [name: string, value: string] => [
          line.slice(0, line.indexOf(':')),
          line.slice(line.indexOf(':') + 2),
        ]),
      )
      const length = hasBody ? Number(headers.get('Content-Length')) : 0
      if (end !== -1 && this.#received.length >= end + 4 + length) {
        const body = this.#received.slice(end + 4, end + 4 + length)
        this.#received = this.#received.slice(end + 4 + length)
        return { status: Number(start.split(' ')[1]), headers, body }
      }
      if (this.#isClosed) throw new Error(`The connection ended after "${this.#received}"`)
      await this.#change()
    }
  }

  /** Resets the connection. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  async untilClosed(): Promise<void> {
    while (!this.#isClosed) await this.#change()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

async function get(
  port: number,
  target: string,
  ...headers: readonly string[]
): Promise<RawResponse> {
  const wire = await Wire.open(port)
  wire.write([`GET ${target} HTTP/1.1`, KEY, ...headers])
  return wire.read()
}

function linkOf({ headers }: RawResponse): string | undefined {
  return /^<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
}

describe('the Express handler', () => {
  const mounts: [mount: string, mounted: (sandbox: Sandbox) => Express, base: string][] = [
    ['at the root', (sandbox) => express().use(toExpress(sandbox)), '/v1'],
    ['under /api', (sandbox) => express().use('/api', toExpress(sandbox)), '/api/v1'],
    ['under the base path', (sandbox) => express().use('/v1', toExpress(sandbox)), '/v1'],
    [
      'in a nested router',
      (sandbox) => express().use('/a', express.Router().use('/b', toExpress(sandbox))),
      '/a/b/v1',
    ],
  ]

  it.each(mounts)(
    'mounted %s answers requests below the base path, with links to the next page',
    async (_mount, mounted, base) => {
      const port = await listen(mounted(openSandbox()))

      const page = await get(port, `${base}/pets?limit=2`)
      const next = linkOf(page) ?? ''
      const rest = await get(port, next.replace('http://pets.test', ''))

      expect(page.status).toBe(200)
      expect(next.startsWith(`http://pets.test${base}/pets?limit=2&cursor=`)).toBe(true)
      expect(JSON.parse(rest.body)).toMatchObject([{ id: 3 }])
    },
  )

  it.each(mounts)(
    'mounted %s leaves requests outside the base path to the app',
    async (_mount, mounted, base) => {
      const app = mounted(openSandbox()).use((request, response) => {
        response.send(`app ${request.originalUrl}`)
      })
      const port = await listen(app)

      const targets = [`${base}0/pets`, '/', '/elsewhere?x=1']
      const responses = await Promise.all(targets.map((target) => get(port, target)))

      expect(responses.map(({ body }) => body)).toEqual(targets.map((target) => `app ${target}`))
    },
  )

  it('refuses a value that is not a sandbox with a UsageError', () => {
    const none: object = {}

    expect(() => toExpress(none as never)).toThrowError(
      expect.objectContaining({ name: 'UsageError', code: 'no_sandbox' }),
    )
  })

  it('serves an API without a base path', async () => {
    const port = await listen(express().use(toExpress(openSandbox(''))))

    const [found, missing] = [await get(port, '/pets'), await get(port, '/')]

    expect([found.status, missing.status]).toEqual([200, 404])
    expect(JSON.parse(missing.body).message).toMatch(
      /^There is no operation at \/\. The operations are: GET \/pets/,
    )
  })

  it('answers a request whose target is an absolute URL', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))

    const response = await get(port, 'https://shop.test:9/v1/pets?limit=1')

    expect(response.status).toBe(200)
    expect(linkOf(response)).toMatch(/^https:\/\/shop\.test:9\/v1\/pets\?limit=1&cursor=/)
  })

  it.each([
    [true, 'https://shop.test:8443'],
    [false, 'http://pets.test'],
  ])(
    'uses the address from the X-Forwarded headers in links, trusted proxy: %s',
    async (isTrusted, base) => {
      const app = express().set('trust proxy', isTrusted).use(toExpress(openSandbox()))
      const port = await listen(app)

      const response = await get(
        port,
        '/v1/pets?limit=1',
        'X-Forwarded-Proto: https',
        'X-Forwarded-Host: shop.test:8443, proxy.test',
      )

      expect(linkOf(response)).toMatch(`${base}/v1/pets?limit=1&cursor=`)
    },
  )

  it.each([
    ['the prefix that the proxy removed', ['Prefix: /api/'], 'http://pets.test/api'],
    ['the prefix of the first proxy', ['Prefix: /a, /b'], 'http://pets.test/a'],
    [
      'the forwarded port',
      ['Host: shop.test', 'Port: 8443', 'Proto: https'],
      'https://shop.test:8443',
    ],
    [
      'no port where it is the default port of the scheme',
      ['Port: 443', 'Proto: https'],
      'https://pets.test',
    ],
    [
      'the port of the forwarded host rather than the forwarded port',
      ['Host: shop.test:1', 'Port: 2'],
      'http://shop.test:1',
    ],
    ['no prefix that starts with two slashes', ['Prefix: //evil.test'], 'http://pets.test'],
    ['no prefix with a character that would end the link', ['Prefix: /a>b'], 'http://pets.test'],
    ['no invalid host', ['Host: a/b'], 'http://pets.test'],
    ['no invalid port', ['Port: 99999'], 'http://pets.test'],
    ['no scheme other than http and https', ['Proto: javascript'], 'http://pets.test'],
  ])('with a trusted proxy, links have %s', async (_what, forwarded, base) => {
    const app = express().set('trust proxy', 'loopback').use(toExpress(openSandbox()))
    const port = await listen(app)
    const headers = forwarded.map((line) => `X-Forwarded-${line}`)

    const response = await get(port, '/v1/pets?limit=1', ...headers)

    expect(linkOf(response)?.startsWith(`${base}/v1/pets?limit=1&cursor=`)).toBe(true)
  })

  it('uses the public URL in links, not the address of the request', async () => {
    const handler = toExpress(openSandbox(), { publicUrl: 'https://shop.test/store/' })
    const port = await listen(express().set('trust proxy', true).use('/mock', handler))

    const response = await get(port, '/mock/v1/pets?limit=1', 'X-Forwarded-Host: other.test')

    expect(linkOf(response)).toContain('https://shop.test/store/mock/v1/pets?limit=1&cursor=')
  })

  it.each(['shop.test', 'ftp://shop.test', 'http://a:b@shop.test', 'http://shop.test?a', ''])(
    'rejects the invalid public URL %j',
    (publicUrl) => {
      expect(() => toExpress(openSandbox(), { publicUrl })).toThrow(
        expect.objectContaining({ name: 'UsageError', code: 'invalid_public_url' }),
      )
    },
  )

  it.each(['https://shop.test/v1', 'https://shop.test/store/v1/'])(
    'rejects the public URL %s, which ends with the base path',
    (publicUrl) => {
      expect(() => toExpress(openSandbox(), { publicUrl })).toThrow(
        /^Cannot use the public URL ".*\/v1": .*\. Write the URL without \/v1, as https:/,
      )
    },
  )

  it.each(['https://v1', 'https://shop.test/v1/store', 'https://shop.test/av1'])(
    'accepts the public URL %s, whose path does not end with the base path',
    async (publicUrl) => {
      const port = await listen(express().use(toExpress(openSandbox(), { publicUrl })))

      const response = await get(port, '/v1/pets?limit=1')

      expect(linkOf(response)).toContain(`${publicUrl}/v1/pets?limit=1&cursor=`)
    },
  )

  it.each([
    ['//', 404, 'app'],
    ['//v1/pets', 404, 'app'],
    ['/v1//pets', 404, 'sandbox'],
    ['/v1/pets/', 404, 'sandbox'],
    ['/v1', 404, 'sandbox'],
    ['/V1/pets', 404, 'app'],
    ['/v1/%', 404, 'sandbox'],
  ])('answers the unusual target %s with %i from the %s', async (target, status, by) => {
    const app = express().use(toExpress(openSandbox()))
    const port = await listen(app)

    const response = await get(port, target)

    expect(response.status).toBe(status)
    expect(response.headers.has('X-RateLimit-Limit')).toBe(by === 'sandbox')
  })

  it('uses the API key that another middleware sets', async () => {
    const app = express().use((request, _response, next) => {
      request.headers.authorization = 'Bearer sk_sandbox_pro'
      next()
    })
    const port = await listen(app.use(toExpress(openSandbox())))

    const { status } = await fetch(`http://127.0.0.1:${port}/v1/pets`)

    expect(status).toBe(200)
  })

  it('starts links with the Host header of the request', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write(['GET /v1/pets?limit=1 HTTP/1.0', KEY, 'Connection: keep-alive'])
    const named = await wire.read()
    const bare = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=1`, {
      headers: { Authorization: 'Bearer sk_sandbox_free' },
    })

    expect(linkOf(named)).toMatch(/^http:\/\/pets\.test\/v1\//)
    expect(bare.headers.get('Link')).toContain(`<http://127.0.0.1:${port}/v1/`)
  })
})

describe('HEAD', () => {
  it('sends the Content-Length of GET, without a body', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write(['HEAD /v1/pets HTTP/1.1', KEY])
    const head = await wire.read(false)
    wire.write(['GET /v1/pets HTTP/1.1', KEY])
    const got = await wire.read()

    expect(head.status).toBe(200)
    expect(head.headers.get('Content-Length')).toBe(String(got.body.length))
    expect(got.body).toMatch(/^\[\{"id":1,/)
  })
})

describe('two Authorization headers', () => {
  it.each([
    ['the same key twice', KEY, KEY],
    ['a valid and an invalid key', KEY, 'Authorization: Bearer wrong'],
    ['two spellings of the name', 'AUTHORIZATION: Bearer sk_sandbox_free', KEY],
  ])('with %s are refused', async (_name, one, other) => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write(['GET /v1/pets HTTP/1.1', one, other])
    const { status, headers } = await wire.read()

    expect(status).toBe(401)
    expect(headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
  })
})

describe('the journal of an Express app', () => {
  it('has the headers as they were sent, also repeated ones, with the key masked', async () => {
    const sandbox = openSandbox()
    const port = await listen(express().use(toExpress(sandbox)))

    await get(port, '/v1/pets?limit=1', 'X-TRACE: one', 'x-trace: two')

    expect(sandbox.journal.exchanges[0]?.request).toEqual({
      url: 'http://pets.test/v1/pets?limit=1',
      headers: [
        ['Host', 'pets.test'],
        ['Authorization', 'Bearer …free'],
        ['X-TRACE', 'one'],
        ['x-trace', 'two'],
      ],
    })
  })

  it('has the headers of each request when clients alternate', async () => {
    const sandbox = openSandbox()
    const port = await listen(express().use(toExpress(sandbox)))
    const clients = ['one', 'one', 'two', 'one', 'three']

    for (const client of clients) await get(port, '/v1/pets', `X-Client: ${client}`)

    const recorded = sandbox.journal.exchanges.map(({ request }) =>
      request.headers.find(([name]) => name === 'X-Client'),
    )
    expect(recorded).toEqual(clients.map((client) => ['X-Client', client]))
  })
})

describe('a body', () => {
  const PET = JSON.stringify({ name: 'Zoë 🐶', categoryId: 1 })

  it('that arrives in many chunks is read completely', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)
    const bytes = Buffer.from(PET)

    wire.write(['POST /v1/pets HTTP/1.1', KEY, JSON_TYPE, 'Transfer-Encoding: chunked'])
    for (const byte of bytes) wire.send(Buffer.from([...Buffer.from('1\r\n'), byte, 13, 10]))
    wire.send('0\r\n\r\n')
    const response = await wire.read()

    expect(response.status).toBe(201)
    expect(JSON.parse(Buffer.from(response.body, 'latin1').toString())).toMatchObject({
      name: 'Zoë 🐶',
    })
  })

  it('of 2 MiB gets a 413, and the connection stays open', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.post(Buffer.alloc(2 * MIB, 'x'))
    const refused = await wire.read()
    wire.post(PET)
    const created = await wire.read()

    expect(refused.status).toBe(413)
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'payload_too_large', status: 413 })
    expect(created.status).toBe(201)
    expect(wire.isClosed).toBe(false)
  })

  it('of 40 MiB gets a 413, the connection closes, and the server answers the next request', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.post(Buffer.alloc(40 * MIB, 'x'))
    const refused = await wire.read()
    await wire.untilClosed()
    const next = await get(port, '/v1/pets')

    expect(refused.status).toBe(413)
    expect(next.status).toBe(200)
  })

  it('in chunks of 40 MiB gets a 413, and the connection closes', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write(['POST /v1/pets HTTP/1.1', KEY, JSON_TYPE, 'Transfer-Encoding: chunked'])
    for (let sent = 0; sent < 40; sent += 1) {
      wire.send(`${MIB.toString(16)}\r\n`)
      wire.send(Buffer.alloc(MIB, 'x'))
      wire.send('\r\n')
    }
    const refused = await wire.read()
    await wire.untilClosed()

    expect(refused.status).toBe(413)
    expect(refused.headers.get('Connection')).toBe('close')
  })

  it('whose length is above the limit gets a 413 before any of it is sent', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write(['POST /v1/pets HTTP/1.1', KEY, JSON_TYPE, `Content-Length: ${40 * MIB}`])
    const refused = await wire.read()

    expect(refused.status).toBe(413)
    expect(wire.isClosed).toBe(false)
  })

  it.each([
    ['that is never read', 'GET /v1/pets HTTP/1.1', 200],
    ['of a request for an unknown path', 'POST /v1/nowhere HTTP/1.1', 404],
    ['of an unsupported type', 'POST /v1/pets HTTP/1.1', 415],
  ])('%s leaves the connection usable', async (_name, start, status) => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write([start, KEY, 'Content-Type: text/plain', `Content-Length: ${MIB}`], 'x'.repeat(MIB))
    const first = await wire.read()
    wire.post(PET)
    const second = await wire.read()

    expect([first.status, second.status]).toEqual([status, 201])
  })

  it('that ends too early changes nothing, and the server answers the next request', async () => {
    const sandbox = openSandbox()
    const errors: unknown[] = []
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error)
      response.status(500).end()
    }
    const port = await listen(express().use(toExpress(sandbox)).use(onError))
    const wire = await Wire.open(port)

    wire.write(['POST /v1/pets HTTP/1.1', KEY, JSON_TYPE, 'Content-Length: 1000'], PET)
    await get(port, '/v1/pets')
    wire.reset()
    await wire.untilClosed()
    const next = await get(port, '/v1/pets')

    expect(next.status).toBe(200)
    expect(JSON.parse(next.body)).toHaveLength(3)
    expect(await sandbox.collection('pets').count()).toBe(3)
    expect(errors).toEqual([])
  })

  it('that another middleware has read is a UsageError with the code body_taken', async () => {
    const errors: unknown[] = []
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error)
      response.status(500).end()
    }
    const app = express().use(express.json(), toExpress(openSandbox()), onError)
    const wire = await Wire.open(await listen(app))

    wire.post(PET)
    const { status } = await wire.read()

    expect(status).toBe(500)
    expect(errors).toMatchObject([
      {
        code: 'body_taken',
        message:
          'Cannot read the body: another middleware has read it already. Mount the sandbox before body parsers.',
      },
    ])
  })
})

describe('a bug of the sandbox', () => {
  it('reaches the error handler of the app', async () => {
    const [list, ...others] = contract.operations
    if (!list) throw new Error('The contract has no operations')
    const broken = list.parameters.map((parameter) => ({
      ...parameter,
      validate: () => {
        throw new RangeError('a bug')
      },
    }))
    const operations = [{ ...list, parameters: broken }, ...others]
    const sandbox = createSandbox({ contract: { ...contract, operations }, records: 0 })
    const errors: unknown[] = []
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error)
      response.status(500).send('from the app')
    }
    const port = await listen(express().use(toExpress(sandbox)).use(onError))

    const response = await get(port, '/v1/pets?limit=1')

    expect([response.status, response.body]).toEqual([500, 'from the app'])
    expect(errors).toEqual([new RangeError('a bug')])
  })
})
