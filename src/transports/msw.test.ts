import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { getResponse, HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox as createInstalledSandbox } from 'pet-sandbox'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { contract } from '../generated/contract.ts'
import { version } from '../generated/package.ts'
import { handlers, sandbox as readyMade, strict, toHandlers } from '../msw.ts'
import { createSandbox, type ShippedSandbox } from '../sandbox/sandbox.ts'
import { startCommand, stopCommands } from '../testing/command.ts'
import { BLOCKED, blockPackage } from '../testing/module-hooks.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { HandlerOptions } from './msw.ts'

const run = promisify(execFile)

const PRODUCTION = 'https://petstore.test/v1'
const STAGING = 'https://staging.petstore.test/v1'
const KEY = { Authorization: 'Bearer sk_sandbox_free' }

const server = setupServer()

afterEach(async () => {
  server.close()
  server.resetHandlers()
  readyMade.reset()
  await stopCommands()
  vi.restoreAllMocks()
})

/** Lets a new sandbox answer the requests of the running test. All other requests are errors. */
function listen(options?: HandlerOptions, sandbox = createSandbox()): ShippedSandbox {
  server.use(...toHandlers(sandbox, options))
  server.listen(strict)
  return sandbox
}

/** Keeps MSW from printing the requests that it refuses. */
function silence(): void {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
}

function headersOf(options?: HandlerOptions): string[] {
  return toHandlers(createSandbox(), options).map(({ info }) => info.header)
}

describe('a request that its client aborts', () => {
  it('rejects, prints nothing, and is in the journal with its response', async () => {
    const sandbox = listen({}, createSandbox({ latency: '1h' }))
    await sandbox.ready
    const print = vi.spyOn(console, 'error')
    const client = new AbortController()
    const headers = { ...KEY, 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' }
    const response = fetch(`${PRODUCTION}/pets`, { ...init, signal: client.signal })
    await expect.poll(() => sandbox.collection('pets').count()).toBe(51)

    client.abort()

    await expect(response).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    await expect.poll(() => sandbox.journal.exchanges).toMatchObject([{ status: 201 }])
    expect(print).not.toHaveBeenCalled()
  })

  it('before it is sent creates nothing and is not in the journal', async () => {
    const sandbox = listen()
    const print = vi.spyOn(console, 'error')
    const signal = AbortSignal.abort()

    const response = fetch(`${PRODUCTION}/pets`, { method: 'POST', headers: KEY, signal })

    await expect(response).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(sandbox.journal.exchanges).toEqual([])
    expect(print).not.toHaveBeenCalled()
  })
})

describe('the handlers of a sandbox', () => {
  it.each([
    [undefined, '*/v1/*'],
    [PRODUCTION, 'https://petstore.test/v1/*'],
    [['/api', '*/v1/'], '/api/*, */v1/*'],
    [[PRODUCTION, STAGING], 'https://petstore.test/v1/*, https://staging.petstore.test/v1/*'],
    [new URL('https://u.rl/v1'), 'https://u.rl/v1/*'],
    [[new URL('https://u.rl'), '/api'], 'https://u.rl/*, /api/*'],
  ])('for %s are one handler, whose header in the log of MSW is %s', (baseUrl, header) => {
    expect(headersOf(baseUrl === undefined ? {} : { baseUrl })).toEqual([header])
  })

  it('are one handler for any number of operations', () => {
    const operations = contract.operations.flatMap((one) =>
      Array.from({ length: 100 }, (_, at) => ({
        ...one,
        id: `${one.id}${at}`,
        path: `/pets${at}`,
      })),
    )
    const many = { ...contract, operations }

    expect(toHandlers(createSandbox({ contract: many, records: 0 }))).toHaveLength(1)
  })

  it('answer with objects of the class Response', async () => {
    const response = await getResponse(
      toHandlers(createSandbox()),
      new Request(`${PRODUCTION}/pets`, { headers: KEY }),
    )

    expect(Object.getPrototypeOf(response)).toBe(Response.prototype)
  })

  it('without baseUrl answer requests to every origin below the base path', async () => {
    listen()

    const responses = await Promise.all(
      [PRODUCTION, STAGING, 'http://localhost:8080/v1'].map((base) =>
        fetch(`${base}/pets/1`, { headers: KEY }),
      ),
    )

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('answer requests to each of several base URLs, and to no other', async () => {
    silence()
    listen({ baseUrl: [PRODUCTION, `${STAGING}/`] })

    const production = await fetch(`${PRODUCTION}/pets`, { headers: KEY })
    const staging = await fetch(`${STAGING}/pets`, { headers: KEY })
    const elsewhere = fetch('https://elsewhere.test/v1/pets', { headers: KEY })

    expect(await staging.text()).toBe(await production.text())
    await expect(elsewhere).rejects.toThrow()
  })

  it.each(['https://petstore.test/api/next', 'https://petstore.test', 'http://[::1]:4010/v1'])(
    'answer requests to the baseUrl %s instead of the base path of the contract',
    async (baseUrl) => {
      listen({ baseUrl })

      const response = await fetch(`${baseUrl}/pets?limit=1`, { headers: KEY })

      expect(response.status).toBe(200)
      expect(response.headers.get('Link')).toContain(`<${baseUrl}/pets?limit=1&cursor=`)
    },
  )

  it('send links below the base URL of the request', async () => {
    listen({ baseUrl: [PRODUCTION, STAGING] })

    const created = await fetch(`${STAGING}/pets`, {
      method: 'POST',
      headers: { ...KEY, 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    })

    expect(created.status).toBe(201)
    expect(created.headers.get('Location')).toBe(`${STAGING}/pets/51`)
  })

  it.each([
    ['/api', 'https://one.test/api', 'https://one.test/x/api'],
    ['/api/', 'http://localhost:3000/api', 'http://localhost:3000/v1'],
    ['/an api', 'https://one.test/an%20api', 'https://one.test/api'],
    ['*/api', 'https://one.test/api', 'https://one.test/apis'],
    ['*/api', 'https://one.test/deep/down/api', 'https://one.test/v1'],
    ['*', 'https://one.test/any/thing', 'ftp://one.test'],
    ['/*/api', 'https://one.test/x/y/api', 'https://one.test/api'],
    ['https://*.one.test/v1', 'https://api.one.test/v1', 'https://one.test/v1'],
    ['HTTPS://*.One.test/v1', 'https://api.one.test/v1', 'http://api.one.test/v1'],
    ['*.one.test/v1', 'http://api.one.test/v1', 'http://api.two.test/v1'],
    ['http://localhost:*/v1', 'http://localhost:3000/v1', 'http://localhost/v1'],
    ['*://one.test/v1', 'http://one.test/v1', 'http://two.test/v1'],
    ['https://one.test/*/v1', 'https://one.test/eu/v1', 'https://one.test/v1'],
    ['*/a*a*a*b', `https://one.test/${'a'.repeat(5000)}b`, `https://one.test/${'a'.repeat(5000)}c`],
  ])(
    'with the baseUrl %s answer requests to %s, and not to %s',
    async (baseUrl, here, elsewhere) => {
      const handlers = toHandlers(createSandbox(), { baseUrl })
      const send = (base: string) =>
        getResponse(handlers, new Request(`${base}/pets?limit=1`, { headers: KEY }))

      const response = await send(here)

      expect(response?.status).toBe(200)
      expect(response?.headers.get('Link')).toContain(`<${here}/pets?limit=1&cursor=`)
      expect(await send(elsewhere)).toBeUndefined()
    },
  )

  it.each([
    ['http://localhost:3000', 'http://localhost:3000/api/pets', 'https://one.test/api/pets'],
    ['null', 'https://one.test/api/pets', 'https://one.test/pets'],
  ])(
    'with the baseUrl /api and the page origin %s answer requests to %s, and not to %s',
    async (origin, here, elsewhere) => {
      vi.stubGlobal('location', { origin })
      onTestFinished(() => void vi.unstubAllGlobals())
      const handlers = toHandlers(createSandbox(), { baseUrl: '/api' })

      const handled = await getResponse(handlers, new Request(here, { headers: KEY }))
      const unhandled = await getResponse(handlers, new Request(elsewhere, { headers: KEY }))

      expect(handled?.status).toBe(200)
      expect(unhandled).toBeUndefined()
    },
  )

  it('of two worlds answer only the requests of their own boundary, also concurrently', async () => {
    const sandbox = createSandbox({ records: 2 })
    server.listen(strict)
    let enter: (value?: unknown) => void = () => undefined
    const entered = new Promise((resolve) => {
      enter = resolve
    })
    const count = async (): Promise<number> => {
      const response = await fetch(`${PRODUCTION}/pets`, { headers: KEY })
      return (await response.json()).length
    }
    const inWorld = (name: string, run: () => Promise<unknown>): Promise<unknown> =>
      server.boundary(() => {
        server.use(...toHandlers(sandbox.world(name)))
        return run()
      })()

    const counts = await Promise.all([
      inWorld('a > b / c', async () => {
        await entered
        await fetch(`${PRODUCTION}/pets`, {
          method: 'POST',
          headers: { ...KEY, 'Content-Type': 'application/json' },
          body: '{"name":"Rex","categoryId":1}',
        })
        return count()
      }),
      inWorld('another', async () => {
        const before = await count()
        enter()
        return before + (await count())
      }),
    ])

    expect(counts).toEqual([3, 4])
    expect(sandbox.worlds.list()).toMatchObject([
      { name: 'default', requests: 0 },
      { name: 'another', requests: 2 },
      { name: 'a > b / c', requests: 2 },
    ])
  })

  it('are overridden by a handler that the test adds later', async () => {
    listen()
    server.use(http.get('*/v1/pets/:petId', () => HttpResponse.json({ id: 7, name: 'Mine' })))

    const overridden = await fetch(`${PRODUCTION}/pets/7`, { headers: KEY })
    const list = await fetch(`${PRODUCTION}/pets`, { headers: KEY })

    expect(await overridden.json()).toEqual({ id: 7, name: 'Mine' })
    expect(await list.json()).toHaveLength(20)
  })

  it('are overridden by a handler before them', async () => {
    server.use(
      http.get('*/v1/pets', () => HttpResponse.json(['mine'])),
      ...toHandlers(createSandbox()),
    )
    server.listen(strict)

    const overridden = await fetch(`${PRODUCTION}/pets`, { headers: KEY })
    const created = await fetch(`${PRODUCTION}/pets`, { method: 'POST', headers: KEY })

    expect(await overridden.json()).toEqual(['mine'])
    expect(created.status).toBe(400)
  })

  it.each(['/v1/horses', '/v1', '/v1/pets/1/photos', '/v2/pets', '/api/v1/pets'])(
    'leave %s unhandled, which a strict server rejects',
    async (path) => {
      silence()
      listen()

      const response = fetch(`https://petstore.test${path}`, { headers: KEY })

      await expect(response).rejects.toThrow()
    },
  )

  it.each([
    [
      {},
      'https://petstore.test/v2/pets?status=sold',
      'Its handlers answer */v1/*. The contract has the path /pets: set the option baseUrl to "https://petstore.test/v2".',
    ],
    [
      { baseUrl: 'http://localhost:3000/wrong' },
      'http://localhost:3000/api/v1/pets/7',
      'Its handlers answer http://localhost:3000/wrong/*. The contract has the path /pets/7: set the option baseUrl to "http://localhost:3000/api/v1".',
    ],
    [
      { baseUrl: 'http://localhost:3000/wrong' },
      'http://localhost:3000/wrong/pest',
      'Its handlers answer http://localhost:3000/wrong/*. The operations are: GET /pets, POST /pets, GET /pets/{petId}.',
    ],
  ])(
    'with %j, a strict server fails a request for %s, and says what is served',
    async (options, url, reason) => {
      const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
      listen(options)

      await expect(fetch(url)).rejects.toThrow(TypeError)

      const [address] = url.split('?')
      expect(print).toHaveBeenCalledWith(`pet-sandbox does not answer GET ${address}. ${reason}`)
    },
  )

  it('a strict server without them says so, and lets common assets pass', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    server.listen(strict)

    await expect(fetch('https://petstore.test/v1/pets')).rejects.toThrow(TypeError)
    expect(print).toHaveBeenCalledWith(
      expect.stringMatching(/^pet-sandbox does not answer .* MSW has no handlers/),
    )
    print.mockClear()
    await expect(fetch('https://petstore.invalid/logo.png')).rejects.toThrow()
    expect(print).not.toHaveBeenCalled()
  })

  it('answer an unsupported method with a 405', async () => {
    listen()

    const response = await fetch(`${PRODUCTION}/pets`, { method: 'DELETE', headers: KEY })

    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('GET, HEAD, POST, OPTIONS')
  })

  it('answer HEAD like GET, without a body', async () => {
    listen()

    const response = await fetch(`${PRODUCTION}/pets`, { method: 'HEAD', headers: KEY })

    expect(response.status).toBe(200)
    expect(Number(response.headers.get('Content-Length'))).toBeGreaterThan(0)
    expect(await response.text()).toBe('')
  })

  it('answer a preflight', async () => {
    listen()

    const response = await fetch(`${PRODUCTION}/pets`, {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'POST' },
    })

    expect(response.status).toBe(204)
    expect(response.headers.get('Allow')).toBe('GET, HEAD, POST, OPTIONS')
  })

  it('answer a path of the API with a trailing slash with a 404', async () => {
    listen()

    const response = await fetch(`${PRODUCTION}/pets/`, { headers: KEY })

    expect(response.status).toBe(404)
  })

  it('answer a path with invalid percent-encoding with a 404', async () => {
    listen()

    const response = await fetch(`${PRODUCTION}/pets/%zz`, { headers: KEY })

    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  })

  it('share the state of the sandbox', async () => {
    const sandbox = listen({ baseUrl: PRODUCTION })

    sandbox.force('rate-limited', { operation: 'listPets', times: 1, retryAfter: 2 })
    const refused = await fetch(`${PRODUCTION}/pets`, { headers: KEY })
    const created = await sandbox.collection('pets').create({ name: 'Rex', categoryId: 1 })
    const read = await fetch(`${PRODUCTION}/pets/${created.id}`, { headers: KEY })

    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '2'])
    expect(await read.json()).toEqual(created)
    expect(sandbox.journal.exchanges).toHaveLength(2)
  })

  it('have the base path of another contract', () => {
    const sandbox = createSandbox({ contract: { ...contract, basePath: '/api/v3' } })

    const [first] = toHandlers(sandbox)

    expect(first?.info.header).toBe('*/api/v3/*')
  })
})

describe('the ready handlers', () => {
  it('answer requests to any origin under /v1 from the exported sandbox', async () => {
    server.use(...handlers)
    server.listen(strict)
    readyMade.force('banned', { times: 1 })

    const banned = await fetch(`${PRODUCTION}/pets`, { headers: KEY })
    const allowed = await fetch('http://localhost/v1/pets', { headers: KEY })

    expect([banned.status, allowed.status]).toEqual([429, 200])
  })
})

describe('an invalid argument of toHandlers', () => {
  it.each<[what: string, make: () => unknown, code: string, message: string]>([
    ...[
      'file:///v1',
      'api.example.com/v1',
      'api',
      './v1',
      '//api.example.com/v1',
      '/\\api.example.com/v1',
      'https://',
      'https://a b/v1',
      'https://*:x/v1',
      '',
    ].map((baseUrl): [string, () => unknown, string, string] => [
      `"${baseUrl}" as baseUrl`,
      () => toHandlers(createSandbox(), { baseUrl: [PRODUCTION, baseUrl] }),
      'invalid_base_url',
      `Cannot use "${baseUrl}" as baseUrl: it is not an http or https URL, a path or a pattern. Write it as https://api.example.com/v1, /v1 or */v1.`,
    ]),
    [
      'a baseUrl with a path parameter',
      () => toHandlers(createSandbox(), { baseUrl: '/api/:version' }),
      'invalid_base_url',
      'Cannot use "/api/:version" as baseUrl: it has the path parameter ":version". Write "*" instead.',
    ],
    [
      'a relative baseUrl with a fragment',
      () => toHandlers(createSandbox(), { baseUrl: '*/v1#x' }),
      'invalid_base_url',
      'Cannot use "*/v1#x" as baseUrl: it has a query or a fragment. Leave that out.',
    ],
    [
      'a baseUrl with a query',
      () => toHandlers(createSandbox(), { baseUrl: `${PRODUCTION}?key=1` }),
      'invalid_base_url',
      'Cannot use "https://petstore.test/v1?key=1" as baseUrl: it has a query or a fragment. Leave that out.',
    ],
    [
      'an empty list as baseUrl',
      () => toHandlers(createSandbox(), { baseUrl: [] }),
      'invalid_base_url',
      'Cannot create handlers: baseUrl is an empty list. Leave it out to match every origin.',
    ],
    [
      'a misspelled option',
      // @ts-expect-error: the option is `baseUrl`.
      () => toHandlers(createSandbox(), { baseURL: PRODUCTION }),
      'unknown_option',
      'Cannot read the toHandlers options: unknown option "baseURL". Did you mean "baseUrl"?',
    ],
    [
      'createSandbox without a call',
      // @ts-expect-error: it must be called.
      () => toHandlers(createSandbox),
      'no_sandbox',
      'Cannot make handlers: a function is not a sandbox. Give what createSandbox() returns.',
    ],
    [
      'no sandbox',
      // @ts-expect-error: it needs a sandbox.
      () => toHandlers(),
      'no_sandbox',
      'Cannot make handlers: undefined is not a sandbox. Give what createSandbox() returns.',
    ],
    [
      'a sandbox of another copy of the package',
      // The compiler would refuse a direct call.
      () => Reflect.apply(toHandlers, undefined, [createInstalledSandbox()]),
      'foreign_sandbox',
      `Cannot make handlers: another copy of pet-sandbox (${version}) created this sandbox, and this copy is ${version}. ` +
        'Import both from one installation; "npm ls pet-sandbox" lists them.',
    ],
  ])('throws a UsageError: %s', (_what, make, code, message) => {
    const error = catchError(make)

    expect(error).toBeInstanceOf(UsageError)
    expect(error).toMatchObject({ code, message })
  })
})

function catchError(make: () => unknown): unknown {
  try {
    return make()
  } catch (error) {
    return error
  }
}

describe('without the package msw', () => {
  const env = { ...process.env, NODE_OPTIONS: blockPackage('msw') }

  function load(...exports: string[]): Promise<{ stdout: string; stderr: string }> {
    const script = `for (const name of ${JSON.stringify(exports)}) await import(name)`
    return run(process.execPath, ['--input-type=module', '-e', script], { env })
  }

  it('every other export can be imported', async () => {
    const { stderr } = await load('pet-sandbox', 'pet-sandbox/express', 'pet-sandbox/load')

    expect(stderr).toBe('')
  })

  it('the server starts and answers', async () => {
    const server = await startCommand([], { env: { NODE_OPTIONS: env.NODE_OPTIONS } })

    const response = await fetch(`${server.base}/pets`, { headers: KEY })
    const { stderr } = await server.stop()

    expect(response.status).toBe(200)
    expect(stderr).toBe('')
  })

  it('importing pet-sandbox/msw fails', async () => {
    await expect(load('pet-sandbox/msw')).rejects.toThrow(BLOCKED)
  })
})
