import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { contract } from '../generated/contract.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { toExpress } from './express.ts'

const KEY = 'Authorization: Bearer sk_sandbox_free'
const JSON_TYPE = 'Content-Type: application/json'
const MIB = 1024 * 1024

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

/** Listens on any free port; gives it. */
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

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A bare connection, so that requests go out as they are written. */
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

  /** Writes a head, and the body behind it; the line with the host is added. */
  write(lines: readonly string[], body: string | Uint8Array = ''): void {
    const [first = '', ...rest] = lines
    this.send([first, 'Host: pets.test', ...rest, '', ''].join('\r\n'))
    this.send(body)
  }

  /** Writes as it is. */
  send(text: string | Uint8Array): void {
    this.#socket.write(text)
  }

  /** Writes a POST with a JSON body of this many bytes. */
  post(body: string | Uint8Array): void {
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    this.write(['POST /v1/pets HTTP/1.1', KEY, JSON_TYPE, length], body)
  }

  /** The next answer; `hasBody` is false for the answer to HEAD. */
  async read(hasBody = true): Promise<Answer> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      const [start = '', ...lines] = this.#received.slice(0, end).split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 2),
        ]),
      )
      const length = hasBody ? Number(headers['content-length'] ?? 0) : 0
      if (end !== -1 && this.#received.length >= end + 4 + length) {
        const body = this.#received.slice(end + 4, end + 4 + length)
        this.#received = this.#received.slice(end + 4 + length)
        return { status: Number(start.split(' ')[1]), headers, body }
      }
      if (this.#isClosed) throw new Error(`The connection ended after "${this.#received}"`)
      await this.#change()
    }
  }

  /** Goes away without a word. */
  leave(): void {
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

async function get(port: number, target: string, ...headers: readonly string[]): Promise<Answer> {
  const wire = await Wire.open(port)
  wire.write([`GET ${target} HTTP/1.1`, KEY, ...headers])
  return wire.read()
}

function linkOf({ headers }: Answer): string | undefined {
  return /^<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1]
}

describe('the handler', () => {
  const mounts: [mount: string, mounted: (sandbox: Sandbox) => Express, base: string][] = [
    ['at the root', (sandbox) => express().use(toExpress(sandbox)), '/v1'],
    ['under /api', (sandbox) => express().use('/api', toExpress(sandbox)), '/api/v1'],
    ['under the base path', (sandbox) => express().use('/v1', toExpress(sandbox)), '/v1'],
    [
      'in a router in a router',
      (sandbox) => express().use('/a', express.Router().use('/b', toExpress(sandbox))),
      '/a/b/v1',
    ],
  ]

  it.each(mounts)(
    'mounted %s answers below its base path, with links that lead back',
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

  it.each(mounts)('mounted %s leaves what is outside to the app', async (_mount, mounted, base) => {
    const app = mounted(openSandbox()).use((request, response) => {
      response.send(`app ${request.originalUrl}`)
    })
    const port = await listen(app)

    const targets = [`${base}0/pets`, '/', '/elsewhere?x=1']
    const answers = await Promise.all(targets.map((target) => get(port, target)))

    expect(answers.map(({ body }) => body)).toEqual(targets.map((target) => `app ${target}`))
  })

  it('refuses a value that is not a sandbox with a UsageError', () => {
    const none: object = {}

    expect(() => toExpress(none as never)).toThrowError(
      expect.objectContaining({ name: 'UsageError', code: 'no_sandbox' }),
    )
  })

  it('serves an API that lives at the root', async () => {
    const port = await listen(express().use(toExpress(openSandbox(''))))

    const [found, missing] = [await get(port, '/pets'), await get(port, '/')]

    expect([found.status, missing.status]).toEqual([200, 404])
    expect(JSON.parse(missing.body).message).toMatch(
      /^There is no operation at \/\. The operations are: GET \/pets/,
    )
  })

  it('answers an absolute-form target as the path in it', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))

    const answer = await get(port, 'https://shop.test:9/v1/pets?limit=1')

    expect(answer.status).toBe(200)
    expect(linkOf(answer)).toMatch(/^https:\/\/shop\.test:9\/v1\/pets\?limit=1&cursor=/)
  })

  it.each([
    [true, 'https://shop.test:8443'],
    [false, 'http://pets.test'],
  ])('has the address that a proxy forwards, where it is trusted: %s', async (isTrusted, base) => {
    const app = express().set('trust proxy', isTrusted).use(toExpress(openSandbox()))
    const port = await listen(app)

    const answer = await get(
      port,
      '/v1/pets?limit=1',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: shop.test:8443, proxy.test',
    )

    expect(linkOf(answer)).toMatch(`${base}/v1/pets?limit=1&cursor=`)
  })

  it.each([
    ['a prefix that the proxy removed', ['Prefix: /api/'], 'http://pets.test/api'],
    ['the prefix of the first proxy', ['Prefix: /a, /b'], 'http://pets.test/a'],
    ['a port', ['Host: shop.test', 'Port: 8443', 'Proto: https'], 'https://shop.test:8443'],
    ['no port that the scheme implies', ['Port: 443', 'Proto: https'], 'https://pets.test'],
    ['no other port than that of the host', ['Host: shop.test:1', 'Port: 2'], 'http://shop.test:1'],
    ['no prefix that names another host', ['Prefix: //evil.test'], 'http://pets.test'],
    ['no prefix with a character of headers', ['Prefix: /a>b'], 'http://pets.test'],
    ['no host that is none', ['Host: a/b'], 'http://pets.test'],
    ['no port that is none', ['Port: 99999'], 'http://pets.test'],
    ['no scheme but http and https', ['Proto: javascript'], 'http://pets.test'],
  ])('takes from a trusted proxy %s', async (_what, forwarded, base) => {
    const app = express().set('trust proxy', 'loopback').use(toExpress(openSandbox()))
    const port = await listen(app)
    const headers = forwarded.map((line) => `X-Forwarded-${line}`)

    const answer = await get(port, '/v1/pets?limit=1', ...headers)

    expect(linkOf(answer)?.startsWith(`${base}/v1/pets?limit=1&cursor=`)).toBe(true)
  })

  it('has its public address in links, whatever the request names', async () => {
    const handler = toExpress(openSandbox(), { publicUrl: 'https://shop.test/store/' })
    const port = await listen(express().set('trust proxy', true).use('/mock', handler))

    const answer = await get(port, '/mock/v1/pets?limit=1', 'X-Forwarded-Host: other.test')

    expect(linkOf(answer)).toContain('https://shop.test/store/mock/v1/pets?limit=1&cursor=')
  })

  it.each(['shop.test', 'ftp://shop.test', 'http://a:b@shop.test', 'http://shop.test?a', ''])(
    'takes no public address that is none: %j',
    (publicUrl) => {
      expect(() => toExpress(openSandbox(), { publicUrl })).toThrow(
        expect.objectContaining({ name: 'UsageError', code: 'invalid_public_url' }),
      )
    },
  )

  it.each(['https://shop.test/v1', 'https://shop.test/store/v1/'])(
    'takes no public address that ends with the base path: %s',
    (publicUrl) => {
      expect(() => toExpress(openSandbox(), { publicUrl })).toThrow(
        /^Cannot use the public URL ".*\/v1": .*\. Write the URL without \/v1, as https:/,
      )
    },
  )

  it.each(['https://v1', 'https://shop.test/v1/store', 'https://shop.test/av1'])(
    'takes a public address that only looks as if it ended with the base path: %s',
    async (publicUrl) => {
      const port = await listen(express().use(toExpress(openSandbox(), { publicUrl })))

      const answer = await get(port, '/v1/pets?limit=1')

      expect(linkOf(answer)).toContain(`${publicUrl}/v1/pets?limit=1&cursor=`)
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
  ])('answers the odd target %s with %i by the %s', async (target, status, by) => {
    const app = express().use(toExpress(openSandbox()))
    const port = await listen(app)

    const answer = await get(port, target)

    expect(answer.status).toBe(status)
    expect('x-ratelimit-limit' in answer.headers).toBe(by === 'sandbox')
  })

  it('takes the key that another handler set', async () => {
    const app = express().use((request, _response, next) => {
      request.headers.authorization = 'Bearer sk_sandbox_pro'
      next()
    })
    const port = await listen(app.use(toExpress(openSandbox())))

    const { status } = await fetch(`http://127.0.0.1:${port}/v1/pets`)

    expect(status).toBe(200)
  })

  it('calls itself by its own address when the client’s name for it is none', async () => {
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
  it('tells the length of the body that GET sends, and sends none', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write(['HEAD /v1/pets HTTP/1.1', KEY])
    const head = await wire.read(false)
    wire.write(['GET /v1/pets HTTP/1.1', KEY])
    const got = await wire.read()

    expect(head.status).toBe(200)
    expect(head.headers['content-length']).toBe(String(got.body.length))
    expect(got.body).toMatch(/^\[\{"id":1,/)
  })
})

describe('two Authorization headers', () => {
  it.each([
    ['the same key twice', KEY, KEY],
    ['a key and a wrong one', KEY, 'Authorization: Bearer wrong'],
    ['two spellings of the name', 'AUTHORIZATION: Bearer sk_sandbox_free', KEY],
  ])('with %s are no key', async (_name, one, other) => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write(['GET /v1/pets HTTP/1.1', one, other])
    const { status, headers } = await wire.read()

    expect(status).toBe(401)
    expect(headers['www-authenticate']).toContain('error="invalid_token"')
  })
})

describe('the journal', () => {
  it('tells headers as they were written, repeated ones too, and no key', async () => {
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

  it('tells each request’s own headers, whoever sent the one before', async () => {
    const sandbox = openSandbox()
    const port = await listen(express().use(toExpress(sandbox)))
    const clients = ['one', 'one', 'two', 'one', 'three']

    for (const client of clients) await get(port, '/v1/pets', `X-Client: ${client}`)

    const told = sandbox.journal.exchanges.map(({ request }) =>
      request.headers.find(([name]) => name === 'X-Client'),
    )
    expect(told).toEqual(clients.map((client) => ['X-Client', client]))
  })
})

describe('a body', () => {
  const PET = JSON.stringify({ name: 'Zoë 🐶', categoryId: 1 })

  it('is read whole, in whatever pieces it comes', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)
    const bytes = Buffer.from(PET)

    wire.write(['POST /v1/pets HTTP/1.1', KEY, JSON_TYPE, 'Transfer-Encoding: chunked'])
    for (const byte of bytes) wire.send(Buffer.from([...Buffer.from('1\r\n'), byte, 13, 10]))
    wire.send('0\r\n\r\n')
    const answer = await wire.read()

    expect(answer.status).toBe(201)
    expect(JSON.parse(Buffer.from(answer.body, 'latin1').toString())).toMatchObject({
      name: 'Zoë 🐶',
    })
  })

  it('of 2 MiB gets its 413, and the connection goes on', async () => {
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

  it('without end gets its 413, and the connection closes; the server goes on', async () => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.post(Buffer.alloc(40 * MIB, 'x'))
    const refused = await wire.read()
    await wire.untilClosed()
    const next = await get(port, '/v1/pets')

    expect(refused.status).toBe(413)
    expect(refused.headers.connection).toBe('close')
    expect(next.status).toBe(200)
  })

  it.each([
    ['that is never read', 'GET /v1/pets HTTP/1.1', 200],
    ['of a request that is refused before', 'POST /v1/nowhere HTTP/1.1', 404],
    ['of a type that is refused', 'POST /v1/pets HTTP/1.1', 415],
  ])('%s leaves the connection usable', async (_name, start, status) => {
    const port = await listen(express().use(toExpress(openSandbox())))
    const wire = await Wire.open(port)

    wire.write([start, KEY, 'Content-Type: text/plain', `Content-Length: ${MIB}`], 'x'.repeat(MIB))
    const first = await wire.read()
    wire.post(PET)
    const second = await wire.read()

    expect([first.status, second.status]).toEqual([status, 201])
  })

  it('that breaks off in the middle changes nothing, and the server goes on', async () => {
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
    wire.leave()
    await wire.untilClosed()
    const next = await get(port, '/v1/pets')

    expect(next.status).toBe(200)
    expect(JSON.parse(next.body)).toHaveLength(3)
    expect(await sandbox.collection('pets').count()).toBe(3)
    expect(errors).toEqual([])
  })

  it('that another handler has read is told as the mistake it is', async () => {
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
  it('reaches the app’s error handler', async () => {
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
      response.status(500).send('the app answers')
    }
    const port = await listen(express().use(toExpress(sandbox)).use(onError))

    const answer = await get(port, '/v1/pets?limit=1')

    expect([answer.status, answer.body]).toEqual([500, 'the app answers'])
    expect(errors).toEqual([new RangeError('a bug')])
  })
})
