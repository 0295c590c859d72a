import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  launchCommand,
  runCommand,
  type StartedCommand,
  startCommand,
  stopCommands,
} from '../testing/command.ts'
import { findFreePort } from '../testing/free-port.ts'
import { beginRequest, untilClosed } from '../testing/request-in-progress.ts'
import { linkOf } from '../testing/responses.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const LIBRARY = 'src/testing/library.yaml'
const FREE = { Authorization: 'Bearer sk_sandbox_free' }

const folder = useTemporaryDirectory()

afterEach(stopCommands)

async function write(file: string, text: string): Promise<string> {
  await writeFile(join(folder(), file), text)
  return join(folder(), file)
}

function get({ base }: StartedCommand, path = '/pets', headers: Record<string, string> = FREE) {
  return fetch(base + path, { headers })
}

describe('the document of the API', () => {
  test('is that of the package by default, and has the changes of overlays', async () => {
    const overlay = join(folder(), 'overlay.yaml')
    await writeFile(
      overlay,
      'overlay: 1.0.0\ninfo: { title: Title, version: 1 }\nactions: [{ target: $.info, update: { title: Changed } }]\n',
    )
    const shipped = await startCommand()
    const changed = await startCommand([LIBRARY, '--overlay', overlay])
    const titleOf = async ({ base }: StartedCommand): Promise<string> => {
      const response = await fetch(new URL('/openapi.json', base))
      return (await response.json()).info.title
    }

    expect(await titleOf(shipped)).toBe('Pet Adoption Store')
    expect(await titleOf(changed)).toBe('Changed')
  })
})

describe('the start', () => {
  test('prints the address, the keys with their plans, and a curl command', async () => {
    const sandbox = await startCommand(['--key', 'mine=gold', '--plan', 'gold=7/70'])

    const { stdout, stderr, code } = await sandbox.stop()

    const { origin } = new URL(sandbox.base)
    const text = stdout.replaceAll(sandbox.base, 'BASE').replaceAll(origin, 'ORIGIN')
    expect(text).toMatchInlineSnapshot(`
      "
      Pet Adoption Store 1.0.0, sandbox at BASE
      3 operations

        KEY                       PLAN        REQUESTS
        sk_sandbox_free           free        60 a minute, 1,000 a day
        sk_sandbox_pro            pro         300 a minute, 10,000 a day
        sk_sandbox_business       business    1,000 a minute, 100,000 a day
        sk_sandbox_enterprise     enterprise  10,000 a minute, 1,000,000 a day
        sk_sandbox_rate_limited   free        always 429: the quota of the minute is exhausted
        sk_sandbox_day_exhausted  free        always 429: the quota of the day is exhausted
        sk_sandbox_banned         free        always 429: the key is banned
        mine                      gold        7 a minute, 70 a day

      Try it:
        curl -i -H 'Authorization: Bearer sk_sandbox_free' 'BASE/pets'

      Dashboard and control interface: ORIGIN/__sandbox

      Press Ctrl+C to stop. For options, run: pet-sandbox --help

      "
    `)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test('prints a curl command that can be pasted into a shell', async () => {
    const sandbox = await startCommand()
    const line = /^ {2}(curl .*)$/m.exec(sandbox.output())?.[1] ?? ''

    const { stdout } = await promisify(execFile)('sh', ['-c', line])

    expect(stdout).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(JSON.parse(stdout.split('\r\n\r\n')[1] ?? '')).toHaveLength(20)
  })

  test('prints no colours when the output is not a terminal', async () => {
    const sandbox = await startCommand()
    await get(sandbox, '/nothing')

    const { stdout } = await sandbox.stop()

    expect(stdout).not.toContain('\u001b')
  })

  test('listens on the port of --port', async () => {
    const port = await findFreePort()

    const sandbox = await startCommand(['--port', String(port)])

    expect(sandbox.base).toBe(`http://127.0.0.1:${port}/v1`)
    expect((await get(sandbox)).status).toBe(200)
  })
})

describe('--help and --version', () => {
  test.each([
    [['--help'], /^Usage: pet-sandbox /],
    [
      ['serve', '--help'],
      /^Usage: pet-sandbox serve [\s\S]*--port <number>[\s\S]*\.yaml,\s+\.yml\s+or\s+\.json\)/,
    ],
    [['report', '--help'], /^Usage: pet-sandbox report [\s\S]*\.yaml,\s+\.yml\s+or\s+\.json\)/],
    [['explain', '-h'], /^Usage: pet-sandbox explain /],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['-v'], /^\d+\.\d+\.\d+\n$/],
  ])('%j prints text to standard output and ends with 0', async (args, message) => {
    const result = await runCommand(args)

    expect(result).toEqual({ code: 0, stdout: expect.stringMatching(message), stderr: '' })
  })
})

describe('a mistake ends the command with one line and exit code 2:', () => {
  test.each([
    [['--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['--port'], "option '--port <number>' argument missing"],
    [
      ['a.yaml', 'b.yaml'],
      'Cannot serve a.yaml and b.yaml: a sandbox serves one document. Start a sandbox for each document.',
    ],
    [
      ['https://me:secret@example.com/a.json', 'b.yaml'],
      'Cannot serve https://example.com/a.json and b.yaml: a sandbox serves one document. Start a sandbox for each document.',
    ],
    [
      ['srve'],
      'Cannot run the command: "srve" is neither a command nor a document. Did you mean "serve"?',
    ],
    [
      ['explian', 'books.yaml'],
      'Cannot run the command: "explian" is neither a command nor a document. Did you mean "explain"?',
    ],
    [['--port', 'x'], 'Cannot use --port: it must be an integer from 0 to 65535 (got x).'],
    [
      ['--log', 'xml'],
      "option '--log <format>' argument 'xml' is invalid. Allowed choices are pretty, json, silent.",
    ],
    [['books.yaml'], 'Cannot load books.yaml: the file does not exist. Check the path.'],
    [['explain', 'books.yaml'], 'Cannot load books.yaml: the file does not exist. Check the path.'],
    [
      ['--plan', 'free'],
      'Cannot use --plan: it must be PLAN=MINUTE/DAY (got free). Write the requests per minute and per day, for example free=60/1000.',
    ],
    [
      ['--plan', 'free=0/5'],
      'Cannot use the option plans.free.minute: the value must be an integer ≥ 1 (got 0).',
    ],
    [
      ['--key', 'mine=busines'],
      'Cannot assign the API key mine to a plan: unknown plan "busines". Did you mean "business"?',
    ],
    [
      ['--key', 'a"b=pro'],
      'Cannot add the API key "a"b": a bearer token consists of letters, digits and -._~+/ only (RFC 6750, section 2.1). Choose another key.',
    ],
    [['--force', ''], 'Cannot use --force: it must be a text that is not empty (got "").'],
    [['--plan', ' '], 'Cannot use --plan: it must be a text that is not empty (got "").'],
    [['--key', ''], 'Cannot use --key: it must be a text that is not empty (got "").'],
    [
      ['--force', 'rate-limted'],
      'Cannot force the outcome: unknown outcome "rate-limted". Did you mean "rate-limited"?',
    ],
    [
      ['--force', 'banned:listPet'],
      'Cannot force "banned": unknown operation "listPet". Did you mean "listPets"?',
    ],
    [
      ['--public-url', 'http://x.test/v1/'],
      'Cannot use the public URL "http://x.test/v1": links would start with http://x.test/v1/v1. Write the URL without /v1, as http://x.test.',
    ],
    [
      ['--config', 'no.yaml'],
      'Cannot read no.yaml: the file does not exist. Name a YAML or JSON file with --config.',
    ],
    [
      ['--host', '203.0.113.1'],
      'Cannot listen on 203.0.113.1:4010: this machine does not have this address. Choose one of its addresses with --host.',
    ],
  ])('%j', async (args, message) => {
    const result = await runCommand(args, { cwd: folder() })

    expect(result).toEqual({ code: 2, stdout: '', stderr: `pet-sandbox: ${message}\n` })
  })

  test('a port that another program uses', async () => {
    const { port } = await serveHttp(() => undefined)

    const result = await runCommand(['--port', String(port)])
    await stopServers()

    expect(result).toEqual({
      code: 2,
      stdout: '',
      stderr: `pet-sandbox: Cannot listen on 127.0.0.1:${port}: another program uses this port. Stop it, or choose another port with --port (0: any free one).\n`,
    })
  })

  test('an invalid setting in the configuration file, with its location', async () => {
    await write('pet-sandbox.config.yaml', 'seed: 1\nport: many\n')

    const { code, stderr } = await runCommand([], { cwd: folder() })

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot use port (pet-sandbox.config.yaml:2:1): it must be an integer from 0 to 65535 (got many).\n',
    )
  })

  test('an invalid environment variable', async () => {
    const { code, stderr } = await runCommand([], { env: { PET_SANDBOX_RECORDS: 'all' } })

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot use PET_SANDBOX_RECORDS: it must be an integer from 0 to 1000000 (got all).\n',
    )
  })

  test('an invalid document, with the location', async () => {
    await write('books.yaml', 'openapi: 3.1.1\ninfo: { title: Books, version: 1.0 }\npaths: {}\n')

    const { code, stderr } = await runCommand(['books.yaml', '--strict'], { cwd: folder() })

    expect(code).toBe(2)
    expect(stderr).toBe(
      `pet-sandbox: Cannot load books.yaml: "version" must be a string, not a number (books.yaml:2:32). Put it in quotes, for example '1.0.0'.\n`,
    )
  })

  test('a document with several mistakes, each on a line of its own', async () => {
    const schemas = ['A', 'B'].map((name) => `    ${name}: { type: strng }\n`).join('')
    const head = 'openapi: 3.1.1\ninfo: { title: Books, version: "1" }\n'
    const paths = 'paths:\n  /books:\n    get: { responses: { "200": { description: All. } } }\n'
    await write('books.yaml', `${head}${paths}components:\n  schemas:\n${schemas}`)

    const { code, stderr } = await runCommand(['books.yaml', '--strict'], { cwd: folder() })

    expect(code).toBe(2)
    expect(stderr).toBe(
      [
        'pet-sandbox: Cannot load books.yaml: 2 mistakes.',
        '  "type" has the invalid value "strng" (books.yaml:8:16). Did you mean "string"?',
        '  "type" has the invalid value "strng" (books.yaml:9:16). Did you mean "string"?',
        '',
      ].join('\n'),
    )
  })
})

describe('settings', () => {
  test.each(['pet-sandbox.config.yaml', 'pet-sandbox.config.yml', 'pet-sandbox.config.json'])(
    'are read from %s in the working directory',
    async (file) => {
      await write(file, '{ "plans": { "free": { "minute": 7, "day": 70 } } }')

      const sandbox = await startCommand([], { cwd: folder() })

      expect((await get(sandbox)).headers.get('X-RateLimit-Limit')).toBe('7')
    },
  )

  test('of flags override those of the environment, which override those of the file', async () => {
    const config = await write('c.yaml', 'plans: { free: 1/10, pro: 1/10, business: 1/10 }\n')
    const env = { PET_SANDBOX_PLANS: 'pro=2/20 business=2/20' }

    const sandbox = await startCommand(['--config', config, '--plan', 'business=3/30'], { env })
    const limits = ['free', 'pro', 'business'].map(async (plan) => {
      const response = await get(sandbox, '/pets', { Authorization: `Bearer sk_sandbox_${plan}` })
      return response.headers.get('X-RateLimit-Limit')
    })

    expect(await Promise.all(limits)).toEqual(['1', '2', '3'])
  })

  test('resolve the path of a document from the configuration file', async () => {
    await write('books.yaml', BOOKS)
    const config = await write('c.yaml', 'openapi: ./books.yaml\n')

    const sandbox = await startCommand(['--config', config])

    expect(sandbox.output()).toContain('Books 1, sandbox at ')
  })

  test('can come from the environment alone', async () => {
    const env = { PET_SANDBOX_AUTH: 'false', PET_SANDBOX_RECORDS: '3', PET_SANDBOX_LOG: 'json' }

    const sandbox = await startCommand([], { env })
    const response = await get(sandbox, '/pets', {})

    expect(await response.json()).toHaveLength(3)
    expect(sandbox.output()).toMatch(/^\{"listening"/)
  })
})

const BOOKS = `openapi: 3.1.1
info: { title: Books, version: '1' }
paths:
  /books:
    get:
      operationId: books:list
      responses:
        '200':
          description: All.
          content: { application/json: { schema: { type: array, items: { type: object } } } }
`

describe('an unknown PET_SANDBOX_ variable', () => {
  test('prints a warning when it resembles a known one, and the sandbox starts', async () => {
    const env = { PET_SANDBOX_PROT: '5000', PET_SANDBOX_KEY: 'x', PET_SANDBOX_SOMETHING: 'y' }

    const sandbox = await startCommand([], { env })
    const { stderr } = await sandbox.stop()

    expect(stderr).toBe(
      'pet-sandbox: The environment variable PET_SANDBOX_PROT is not a setting. Did you mean "PET_SANDBOX_PORT"?\n',
    )
  })
})

describe('flags', () => {
  test('--base-path replaces the base path of the document', async () => {
    const sandbox = await startCommand(['--base-path', '/shop/api'])

    const inside = await get(sandbox)
    const outside = await fetch(new URL('/v1/pets', sandbox.base))

    expect(new URL(sandbox.base).pathname).toBe('/shop/api')
    expect([inside.status, outside.status]).toEqual([200, 404])
    expect(sandbox.output()).toContain(`'${sandbox.base}/pets'`)
  })

  test('--no-quota disables quotas', async () => {
    const sandbox = await startCommand(['--no-quota', '--plan', 'free=1/1'])

    const statuses = [await get(sandbox), await get(sandbox)].map(({ status }) => status)

    expect(statuses).toEqual([200, 200])
  })

  test('--no-auth serves requests without a key', async () => {
    const sandbox = await startCommand(['--no-auth'])

    const response = await get(sandbox, '/pets', {})

    expect(response.status).toBe(200)
  })

  test('--plan and --key add a plan and a key with that plan', async () => {
    const sandbox = await startCommand(['--plan', 'gold=2/5', '--key', 'mine=gold'])
    const mine = { Authorization: 'Bearer mine' }

    const responses = [
      await get(sandbox, '/pets', mine),
      await get(sandbox, '/pets', mine),
      await get(sandbox, '/pets', mine),
    ]

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  test('--force forces an outcome for one operation', async () => {
    const sandbox = await startCommand(['--force', 'rate-limited:listPets'])

    const statuses = [await get(sandbox), await get(sandbox, '/pets/1')].map(({ status }) => status)

    expect(statuses).toEqual([429, 200])
  })

  test('--force accepts an operation whose id contains a colon', async () => {
    const document = await write('books.yaml', BOOKS)

    const sandbox = await startCommand([document, '--force', 'banned:books:list'])

    expect((await get(sandbox, '/books')).status).toBe(429)
  })

  test('--journal and PET_SANDBOX_JOURNAL limit the number of recorded exchanges', async () => {
    const given = [{ args: ['--journal', '2'] }, { env: { PET_SANDBOX_JOURNAL: '2' } }]

    for (const { args = [], env = {} } of given) {
      const sandbox = await startCommand(args, { env })
      for (let request = 0; request < 3; request += 1) await get(sandbox)
      const journal = await fetch(new URL('/__sandbox/journal', sandbox.base))

      expect(await journal.json()).toMatchObject({ exchanges: [{ id: 2 }, { id: 3 }], dropped: 1 })
    }
  })

  test('--seed and --records generate the same records at each start', async () => {
    const records = async (): Promise<string> => {
      const sandbox = await startCommand(['--seed', '7', '--records', '3'])
      return (await get(sandbox)).text()
    }

    const [once, again] = [await records(), await records()]

    expect(again).toBe(once)
    expect(JSON.parse(once)).toHaveLength(3)
  })
})

describe('the control interface', () => {
  async function reset(
    { base }: StartedCommand,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const address = new URL('/__sandbox/reset', base)
    return (await fetch(address, { method: 'POST', headers })).status
  }

  test('changes the records that the sandbox serves', async () => {
    const sandbox = await startCommand()

    await fetch(new URL('/__sandbox/records/pets/1', sandbox.base), {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"status":"sold"}',
    })

    expect(await (await get(sandbox, '/pets/1')).json()).toMatchObject({ id: 1, status: 'sold' })
  })

  test('is neither served nor printed with --no-control', async () => {
    const sandbox = await startCommand(['--no-control'])

    expect(await reset(sandbox)).toBe(404)
    expect(sandbox.output()).not.toContain('Control interface')
  })

  test('accepts pages of --control-origin, and no others', async () => {
    const sandbox = await startCommand(['--control-origin', 'http://shop.test'])

    expect(await reset(sandbox, { Origin: 'http://shop.test' })).toBe(204)
    expect(await reset(sandbox, { Origin: 'http://evil.test' })).toBe(403)
  })

  test('generates and prints a token when other machines can connect', async () => {
    const sandbox = await startCommand(['--host', '0.0.0.0'])
    const [, token = ''] = /Authorization: Bearer ([\w-]{24})\n/.exec(sandbox.output()) ?? []
    const proxied = { 'X-Forwarded-For': '203.0.113.7' }

    expect(await reset(sandbox, proxied)).toBe(401)
    expect(await reset(sandbox, { ...proxied, Authorization: `Bearer ${token}` })).toBe(204)
  })

  test('accepts the given token, and does not print it', async () => {
    const env = { PET_SANDBOX_CONTROL_TOKEN: 'sesame' }
    const sandbox = await startCommand(['--host', '0.0.0.0'], { env })
    const proxied = { 'X-Forwarded-For': '203.0.113.7' }

    expect(await reset(sandbox, { ...proxied, Authorization: 'Bearer sesame' })).toBe(204)
    expect(sandbox.output()).not.toContain('sesame')
  })

  test.each([
    ['--control-token', 'two words', 'no HTTP header can carry it'],
    ['--control-origin', 'shop.test', 'it is not an origin'],
  ])('does not start with %s %s', async (flag, value, message) => {
    const { code, stderr } = await runCommand([flag, value])

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('a signal', () => {
  test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    '%s ends the command with 0 after the responses to requests in progress',
    async (signal) => {
      const sandbox = await startCommand()
      const headers = { ...FREE, 'Content-Type': 'application/json' }
      const request = await beginRequest(`${sandbox.base}/pets`, { method: 'POST', headers })

      const ended = sandbox.stop(signal)
      await untilClosed(sandbox)
      request.end('{"name":"Rex","categoryId":1}')

      const { status, body } = await request.response
      const { code, stderr } = await ended
      expect(status).toBe(201)
      expect(JSON.parse(body)).toMatchObject({ name: 'Rex' })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    },
  )

  test('ends the command immediately while clients follow the journal and wait for exchanges', async () => {
    const sandbox = await startCommand()
    const events = await fetch(new URL('/__sandbox/journal/events', sandbox.base))
    const address = new URL('/__sandbox/journal/wait?timeout=60000', sandbox.base)
    const waiting = await beginRequest(address)
    waiting.end()

    const { code, stderr } = await sandbox.stop('SIGINT')

    expect(await events.text()).toBe('retry: 1000\n\n')
    expect((await waiting.response).status).toBe(503)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test('ends the command immediately while a client waits for a forced timeout', async () => {
    const sandbox = await startCommand(['--force', 'timeout'])
    const request = get(sandbox).catch((error: unknown) => error)
    await sandbox.waitForOutput(/forced timeout/)

    const { code } = await sandbox.stop()

    expect(await request).toBeInstanceOf(Error)
    expect(code).toBe(0)
  })

  test('ends the command immediately while a client has an idle connection', async () => {
    const sandbox = await startCommand()
    const socket = connect(Number(new URL(sandbox.base).port), '127.0.0.1')
    const closed = once(socket.resume(), 'close')
    await get(sandbox)

    const before = performance.now()
    const { code } = await sandbox.stop('SIGINT')

    await closed
    expect(code).toBe(0)
    // The server itself closes an idle connection after ten seconds.
    expect(performance.now() - before).toBeLessThan(9000)
  })

  test('ends the command without waiting when it is sent twice', async () => {
    const sandbox = await startCommand(['--latency', '10m'])
    const request = await beginRequest(`${sandbox.base}/pets`, { headers: FREE })
    request.end()

    const ended = sandbox.stop('SIGINT')
    await untilClosed(sandbox)
    await sandbox.stop('SIGINT')

    await expect(request.response).rejects.toThrow()
    expect((await ended).stderr).toBe('')
  })
})

describe('the log', () => {
  test('has a line for each request', async () => {
    const sandbox = await startCommand()
    const start = sandbox.output()
    await get(sandbox, '/pets?limit=1')
    await get(sandbox, '/pets?limit=500')
    await get(sandbox, '/pets', {})
    await sandbox.waitForOutput(/(.*ms.*\n){3}/)

    const { stdout } = await sandbox.stop()
    const lines = stdout.slice(start.length).trimEnd().split('\n')
    const normalized = lines.map((line) =>
      line.replace(/^\d\d:\d\d:\d\d/, 'TIME').replace(/\d+\.\d ms/, 'N ms'),
    )

    expect(normalized).toEqual([
      'TIME  GET     200  /v1/pets?limit=1  free, 59 left, N ms',
      'TIME  GET     400  /v1/pets?limit=500  free, 58 left, N ms  query.limit must be <= 100',
      'TIME  GET     401  /v1/pets  no key, 59 left, N ms  No API key was sent. Send one in the header "Authorization: Bearer <API_KEY>".',
    ])
  })

  test('has a line for a path without an operation, and for an evicted world', async () => {
    const sandbox = await startCommand(['--worlds', '1'])
    const { origin } = new URL(sandbox.base)
    const start = sandbox.output()

    await fetch(`${origin}/nothing?a=b`, { method: 'DELETE' })
    await get({ ...sandbox, base: `${origin}/worlds/one/v1` })
    await get({ ...sandbox, base: `${origin}/worlds/two/v1` })
    await sandbox.waitForOutput(/two/)
    const { stdout } = await sandbox.stop()
    const lines = stdout.slice(start.length).trimEnd().split('\n')

    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''))).toEqual([
      'DELETE  404  /nothing?a=b  nothing is at this path; the API "Pet Adoption Store" is at /v1',
      expect.stringContaining('/worlds/one/v1/pets'),
      'world one was evicted: --worlds limits the number of worlds',
      expect.stringContaining('/worlds/two/v1/pets'),
    ])
  })

  test('is one JSON object per line with --log json, and the first line has the address', async () => {
    const sandbox = await startCommand(['--log', 'json', '--force', 'not-found:getPet'])
    await get(sandbox, '/pets?limit=1&page=2')
    await get(sandbox, '/pets/1')
    await sandbox.waitForOutput(/(.*\n){3}/)

    const { stdout } = await sandbox.stop()
    const lines = stdout.trimEnd().split('\n')

    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        listening: sandbox.base,
        title: 'Pet Adoption Store',
        version: '1.0.0',
        operations: 3,
        keys: expect.objectContaining({ sk_sandbox_free: 'free', sk_sandbox_pro: 'pro' }),
        firstRequest: {
          curl: `curl -i -H 'Authorization: Bearer sk_sandbox_free' '${sandbox.base}/pets'`,
          status: 200,
        },
        dashboard: `${new URL(sandbox.base).origin}/__sandbox`,
        control: `${new URL(sandbox.base).origin}/__sandbox`,
      },
      {
        id: 1,
        delivery: {
          received: expect.any(Number),
          connection: expect.any(Number),
          opened: expect.any(Number),
        },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        method: 'GET',
        target: '/pets?limit=1&page=2',
        operation: 'listPets',
        caller: 'valid',
        key: '…free',
        client: expect.stringMatching(/^\w{13}$/),
        plan: 'free',
        status: 200,
        quota: { before: { minute: 60, day: 1000 }, after: { minute: 59, day: 999 } },
        source: 'record',
        notes: [{ kind: 'unknown-parameter', place: 'query.page' }],
        milliseconds: expect.any(Number),
      },
      expect.objectContaining({
        id: 2,
        status: 404,
        forced: 'not-found',
        refusal: { code: 'not_found', message: 'No resource was found at /pets/1.' },
      }),
    ])
  })

  test('prints nothing with --log silent but the address when the system chooses the port', async () => {
    const sandbox = await startCommand(['--log', 'silent'])
    await get(sandbox)
    const { stdout, stderr } = await sandbox.stop()

    expect({ stdout, stderr }).toEqual({ stdout: `${sandbox.base}\n`, stderr: '' })
  })

  test('prints with --log silent the address of the metrics when the system chooses their port', async () => {
    const sandbox = await startCommand(['--log', 'silent', '--metrics-port', '0'])
    const { stdout } = await sandbox.stop()

    const [address, metrics] = stdout.trim().split('\n')
    expect(address).toBe(sandbox.base)
    expect(metrics).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  })

  test('prints nothing with --log silent and a port', async () => {
    const port = await findFreePort()
    const sandbox = launchCommand(['--log', 'silent', '--port', String(port)])
    const base = `http://127.0.0.1:${port}/v1`
    await vi.waitFor(async () => expect((await fetch(`${base}/pets`)).status).toBe(401), 20_000)

    expect(sandbox.output()).toBe('')
  })

  test.each(['pretty', 'json'])(
    'in the format %s has no control characters that a client sent',
    async (log) => {
      const sandbox = await startCommand(['--log', log])
      const start = sandbox.output()
      await fetch(`${sandbox.base}/pets`, {
        method: 'POST',
        headers: { ...FREE, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'A', categoryId: 1, '\u001b[31m\u009b2Jred\u007f': 1 }),
      })
      await sendRaw(
        sandbox,
        'GET /v1/pets\u001b[31m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      )
      await sendRaw(
        sandbox,
        'GET /v1/pets\u009b31m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      )
      await get(sandbox, '/pets%1B%5B31m')
      await sandbox.waitForOutput(/pets%1B/)

      const { stdout } = await sandbox.stop()

      expect(stdout.slice(start.length).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    },
  )

  test('ends the command with 0 when the reader of its output stops', async () => {
    const result = await runCommand([], {
      program: [
        'sh',
        '-c',
        `{ ${process.execPath} bin/pet-sandbox.js serve --help; echo "exit $?" >&2; } | true`,
      ],
    })

    expect(result.stderr).toBe('exit 0\n')
  })

  test.runIf(existsSync('/dev/full'))(
    'ends the command with one line when the disk is full',
    async () => {
      const result = await runCommand([], {
        program: [
          'sh',
          '-c',
          `exec ${process.execPath} bin/pet-sandbox.js serve --help > /dev/full`,
        ],
      })

      expect(result.code).toBe(2)
      expect(result.stderr).toMatch(/^pet-sandbox: Cannot write the output: ENOSPC[^\n]*\n$/)
    },
  )
})

function sendRaw({ base }: StartedCommand, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1')
    socket.on('close', () => resolve()).resume()
    socket.write(Buffer.from(text, 'latin1'))
  })
}

describe('another document', () => {
  test('is served with state by all of its operations', async () => {
    const sandbox = await startCommand(['serve', LIBRARY])
    const send = (method: string, path: string, body: object): Promise<Response> =>
      fetch(sandbox.base + path, {
        method,
        headers: { ...FREE, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    const emma = { title: 'Emma', genre: 'novel', author: { name: 'Jane Austen', born: 1775 } }

    const created = await send('POST', '/books', emma)
    const book: { id: string } = await created.json()
    const address = created.headers.get('Location') ?? ''
    const read = await get(sandbox, `/books/${book.id}`)
    const replaced = await send('PUT', `/books/${book.id}`, {
      title: 'Lady Susan',
      author: { name: 'Jane Austen' },
    })
    const updated = await send('PATCH', `/books/${book.id}`, { tags: ['letters'] })
    const refused = await send('PATCH', `/books/${book.id}`, { author: { born: 1775 } })
    const readAgain = await get(sandbox, `/books/${book.id}`)
    const removed = await fetch(`${sandbox.base}/books/${book.id}`, {
      method: 'DELETE',
      headers: FREE,
    })
    const gone = await get(sandbox, `/books/${book.id}`)

    expect(sandbox.base).toMatch(/\/api$/)
    expect(created.status).toBe(201)
    expect(book).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), ...emma })
    expect(new URL(address, sandbox.base).pathname).toBe(`/api/books/${book.id}`)
    expect(await read.json()).toEqual(book)
    const susan = {
      id: book.id,
      title: 'Lady Susan',
      genre: 'novel',
      author: { name: 'Jane Austen' },
    }
    expect(await replaced.json()).toEqual(susan)
    expect(await updated.json()).toEqual({ ...susan, tags: ['letters'] })
    expect(refused.status).toBe(400)
    expect(await readAgain.json()).toEqual({ ...susan, tags: ['letters'] })
    expect(removed.status).toBe(204)
    expect(gone.status).toBe(404)
  })

  test('is filtered by the parameters that it declares', async () => {
    const sandbox = await startCommand([LIBRARY])

    const poetry: { genre: string }[] = await (await get(sandbox, '/books?genre=poetry')).json()
    const unknown = await get(sandbox, '/books?genre=cookery')

    expect(new Set(poetry.map(({ genre }) => genre))).toEqual(new Set(['poetry']))
    expect(unknown.status).toBe(400)
  })

  test('is paginated with cursors', async () => {
    const sandbox = await startCommand([LIBRARY, '--records', '23'])
    const pages: { id: string }[][] = []

    let next: string | undefined = `${sandbox.base}/books`
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers: FREE })
      pages.push(await response.json())
      next = linkOf(response, 'next')
    }

    expect(pages.map(({ length }) => length)).toEqual([10, 10, 3])
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(23)
  })
})

describe('explain', () => {
  test('prints the behaviour of each operation of the default document, with the reason', async () => {
    const { stdout, stderr, code } = await runCommand(['explain'])

    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      OPERATION  REQUEST            BEHAVIOUR  CERTAINTY  RESOURCE  REASON
      listPets   GET /pets          list       sure       pets      GET on the collection /pets
      createPet  POST /pets         create     sure       pets      POST on the collection /pets
      getPet     GET /pets/{petId}  read       sure       pets      GET on a record of pets, found by its id; deprecated
      "
    `)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  })

  test('prints the behaviour of each operation of another document', async () => {
    const { stdout, stderr, code } = await runCommand(['explain', LIBRARY])

    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      OPERATION    REQUEST                 BEHAVIOUR  CERTAINTY  RESOURCE  REASON
      listBooks    GET /books              list       sure       books     GET on the collection /books
      createBook   POST /books             create     sure       books     POST on the collection /books
      readBook     GET /books/{bookId}     read       sure       books     GET on a record of books, found by its id
      replaceBook  PUT /books/{bookId}     replace    sure       books     PUT on a record of books, found by its id
      updateBook   PATCH /books/{bookId}   update     sure       books     PATCH on a record of books, found by its id
      deleteBook   DELETE /books/{bookId}  remove     sure       books     DELETE on a record of books, found by its id
      "
    `)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  })
})
