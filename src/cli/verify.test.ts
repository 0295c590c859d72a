import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { serveCarelessly } from '../testing/careless-service.ts'
import { type CommandResult, launchCommand, runCommand, stopCommands } from '../testing/command.ts'
import { closeServer, serveHttp, serveSandbox, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import type { Progress } from '../verify/session/options.ts'
import { createProgress } from './verify.ts'

const KEY = 'sk_sandbox_pro'

const USER = {
  type: 'object',
  required: ['name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
}
const answer = (status: number, schema: object): object => ({
  [status]: { description: 'An answer.', content: { 'application/json': { schema } } },
})
const USERS = {
  openapi: '3.1.0',
  info: { title: 'Users', version: '1' },
  paths: {
    '/users': {
      get: { responses: answer(200, { type: 'array', items: USER }) },
      post: {
        requestBody: { content: { 'application/json': { schema: USER } } },
        responses: answer(201, USER),
      },
    },
    '/users/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { responses: answer(200, USER) },
      delete: { responses: { 204: { description: 'Removed.' } } },
    },
  },
}

const folder = useTemporaryDirectory()

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

function verify(...args: string[]): Promise<CommandResult> {
  return runCommand(['verify', ...args], { env: { PET_SANDBOX_KEY: KEY } })
}

/** The output with a fixed address. */
function plain(text: string, origin: string): string {
  return text.replaceAll(origin, 'http://127.0.0.1:4010')
}

describe('verify', () => {
  test('prints the number of passed checks, and why others were left out', async () => {
    const { origin } = await serveSandbox()

    const { code, stdout, stderr } = await verify(`${origin}/v1`, '--allow-writes')

    expect(plain(stdout, origin)).toMatchInlineSnapshot(`
      "Pet Adoption Store 1.0.0 at http://127.0.0.1:4010/v1
      Creates records that no operation removes: up to 35 in /pets

      Left out:
        20  a decision that the document need not make (x-decision), needs --decisions
        18  no response to which the check applies
         5  uses up the quota, needs --exhaust

      Exercised 3 of 3 operations.

      Created 14 records. Left on the server:
        /pets/64, /pets/63, /pets/62, /pets/61, /pets/60, /pets/59, /pets/58, /pets/57, /pets/56, /pets/55, /pets/54, /pets/53, /pets/52, /pets/51: no operation of the document removes it

      none failed, 144 passed, 43 left out; 72 requests
      "
    `)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test('ends with 1 when a check failed, and prints the exchange', async () => {
    const { origin } = await serveHttp((request, response) => {
      const isKeyed = request.headers.authorization?.startsWith(`Bearer ${KEY}`)
      response.writeHead(isKeyed ? 200 : 401, { 'Content-Type': 'application/json' })
      response.end('[]')
    })

    const { code, stdout } = await verify(`${origin}/v1`, '--check', 'wrong-key')

    expect(plain(stdout, origin)).toMatchInlineSnapshot(`
      "Pet Adoption Store 1.0.0 at http://127.0.0.1:4010/v1

      ✗ listPets rejects an invalid key with a 401
        OpenAPI, security [listPets/wrong-key]
        expected  401
        received  200 []
        curl -i -H "Authorization: Bearer \${PET_SANDBOX_KEY}x" 'http://127.0.0.1:4010/v1/pets'
        so, too: getPet rejects an invalid key with a 401

      Left out:
        1  can change records, needs --allow-writes

      Exercised 1 of 3 operations. Not exercised:
        2  not selected: createPet, getPet

      1 failed, 0 passed, 1 left out; 5 requests
      "
    `)
    expect(code).toBe(1)
  })

  test('ends with 2 and one line when the server cannot be tested', async () => {
    const gone = await serveHttp(() => undefined)
    await closeServer(gone)

    const { code, stdout, stderr } = await verify(`${gone.origin}/v1`)

    expect(stderr).toBe(
      `pet-sandbox: Cannot test ${gone.origin}/v1: no server listens at this address (connection refused).\n`,
    )
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test.each([
    [
      ['nowhere'],
      'Cannot verify "nowhere": it is not a base URL. Write it as https://api.example.com/v1.',
    ],
    [
      ['http://127.0.0.1:1/v1', '--budget', 'many'],
      'Cannot use the option budget: the value must be an integer ≥ 1 (got string).',
    ],
    [['http://127.0.0.1:1/v1', '--timeout', 'long'], 'Cannot read the duration "long"'],
    [
      ['http://127.0.0.1:1/v1', '--max-wait', '48h'],
      'Cannot use the option maxWait: the value must be',
    ],
    [['http://127.0.0.1:1/v1', 'no.yaml'], 'Cannot load no.yaml: '],
    [
      ['http://127.0.0.1:1/v1', '--key', ''],
      'the document requires an API key, and none was given',
    ],
    [['http://127.0.0.1:1/v1', '--key', 'two\nlines'], 'no HTTP header can carry the key'],
    [['http://127.0.0.1:1/v1', '--exaust'], "unknown option '--exaust' (Did you mean --exhaust?)"],
    [[], "missing required argument 'base url'"],
  ])('ends with 2 and one line for wrong usage: %j', async (args, message) => {
    const { code, stdout, stderr } = await verify(...args)

    expect(stderr).toMatch(/^pet-sandbox: .*\n$/)
    expect(stderr).toContain(message)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('lists every check with --verbose', async () => {
    const { origin } = await serveSandbox()

    const { stdout } = await verify(`${origin}/v1`, '--verbose', '--check', 'listPets 401')

    expect(plain(stdout, origin)).toMatchInlineSnapshot(`
      "Pet Adoption Store 1.0.0 at http://127.0.0.1:4010/v1

      ✓ listPets rejects a request without a key with a 401 (OpenAPI, security)
      ✓ listPets rejects an invalid key with a 401 (OpenAPI, security)
      ✓ listPets rejects another authentication scheme with a 401 (OpenAPI, security)
      ✓ listPets rejects the beginning of the key with a 401 (OpenAPI, security)
      ✓ listPets rejects the key in other capitals with a 401 (OpenAPI, security)
      ✓ listPets rejects an empty key with a 401 (OpenAPI, security)
      ✓ listPets rejects the key without its authentication scheme with a 401 (OpenAPI, security)
      ✓ listPets returns 401 with a body that matches the schema (OpenAPI, GET /pets, response 401)
      ✓ listPets returns 401 with a JSON media type (OpenAPI, GET /pets, response 401)
      ✓ listPets returns 401 with the same status in the body (OpenAPI, GET /pets, response 401)
      ✓ listPets returns 401 with the header WWW-Authenticate (OpenAPI, GET /pets, response 401, x-decision)

      Exercised 1 of 3 operations. Not exercised:
        2  not selected: createPet, getPet

      none failed, 11 passed; 10 requests
      "
    `)
  })

  test('prints only JSON with --json', async () => {
    const { origin } = await serveSandbox()

    const { stdout, stderr } = await verify(`${origin}/v1`, '--json', '--allow-writes')

    expect(stderr).toBe('')
    const { checks, ...run } = JSON.parse(stdout)
    expect(run).toMatchObject({
      target: `${origin}/v1`,
      contract: 'Pet Adoption Store 1.0.0',
      totals: { failed: 0, differs: 0 },
      budget: 95,
      waited: 0,
    })
    expect(checks).toContainEqual({
      id: 'createPet/a-missing-name',
      name: 'createPet rejects a missing name with a 400',
      clause: 'OpenAPI, POST /pets',
      operation: 'createPet',
      status: 'passed',
    })
  })

  test('prints with --json why the server cannot be tested', async () => {
    const { origin } = await serveSandbox()

    const { code, stdout } = await verify(origin, '--json')

    expect(JSON.parse(stdout)).toMatchObject({
      unusable: `the server returns 404 for every request. Did you mean ${origin}/v1?`,
      checks: [],
    })
    expect(code).toBe(2)
  })

  test('ends with 2 when no check could be evaluated', async () => {
    const { origin } = await serveSandbox()

    const { code, stdout } = await verify(`${origin}/v1`, '--check', 'createPet 201')

    expect(stdout).toContain('no check was evaluated')
    expect(code).toBe(2)
  })

  test('accepts another document', async () => {
    const { origin } = await serveHttp((_, response) => {
      response.writeHead(401, { 'Content-Type': 'application/json' }).end('{}')
    })

    const { stderr } = await verify(`${origin}/api`, 'src/testing/library.yaml')

    expect(stderr).toContain('the server rejects the key with a 401')
  })

  test('lists the differences between the sandbox and the server with --twin', async () => {
    const { origin } = await serveHttp((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Version': '7' })
      response.end('[{"id":1,"name":"Rex"}]')
    })

    const { stdout } = await verify(`${origin}/v1`, '--twin', '--budget', '8')

    expect(stdout.slice(stdout.indexOf('The sandbox and'))).toMatchInlineSnapshot(`
      "The sandbox and the server respond differently:
      OPERATION  DIFFERENCE                            SERVER      SANDBOX
      listPets   GET /pets (without a key) and 2 more  200         401
      listPets   200 header x-ratelimit-limit          none        an integer
      listPets   200 header x-ratelimit-remaining      none        an integer
      listPets   200 header x-ratelimit-reset          none        an integer
      listPets   200 header x-version                  an integer  none
      listPets   200 body [].categoryId                none        integer
      listPets   200 body [].status                    none        string

      Left out:
        54  can change records, needs --allow-writes
        51  no response to which the check applies
        10  the budget of 8 requests is used up: unusual values
         9  the budget of 8 requests is used up: credentials
         7  the budget of 8 requests is used up: decisions about parameters
         5  the budget of 8 requests is used up: invalid parameters
         5  the budget of 8 requests is used up: pages, filters and orders
         5  uses up the quota, needs --exhaust
         3  the budget of 8 requests is used up: reads
         3  no two responses in the same window
         2  the budget of 8 requests is used up: page sizes
         1  no record was created, or its id is not known
         1  the budget of 8 requests is used up: unknown ids
         1  the budget of 8 requests is used up: unknown paths
         1  too few successful requests in one window

      Exercised 1 of 3 operations. Not exercised:
        1  can change records, needs --allow-writes: createPet
        1  the budget of 8 requests is used up: getPet

      10 failed, 19 passed, 158 left out; 8 requests
      "
    `)
  })

  test('shows all requests with --dry-run, and sends none', async () => {
    const requests: string[] = []
    const { origin } = await serveHttp(({ url = '' }, response) => {
      requests.push(url)
      response.end()
    })

    const { code, stdout, stderr } = await verify(`${origin}/v1`, '--allow-writes', '--dry-run')

    const lines = plain(stdout, origin).split('\n')
    expect(lines.slice(0, 5)).toEqual([
      'Pet Adoption Store 1.0.0 at http://127.0.0.1:4010/v1',
      expect.stringMatching(/^Creates records that no operation removes: up to \d+ in \/pets$/),
      '',
      '   1  GET       /pets',
      '   2  PROPFIND  /pets (without a key)',
    ])
    expect(stdout).toMatch(/ {2}10 {2}GET {7}\/pets\/\{petId\} \(petId: response 9\)\n/)
    expect(stdout).toMatch(
      /13 {2}POST {6}\/pets \{"name":"verify-\w{12} pet-sandbox","categoryId":6\}\n/,
    )
    expect(stdout).toContain('\nNothing was sent. verify would send these')
    expect({ code, stderr, sent: requests.length }).toEqual({ code: 0, stderr: '', sent: 0 })
  })

  test('takes values for requests from --data, and the only record of a collection as a record', async () => {
    const dryRun = ['http://api.test/v1', '--allow-writes', '--dry-run']
    const data = async (content: object): Promise<CommandResult> => {
      const file = join(folder(), 'data.json')
      await writeFile(file, JSON.stringify(content))
      return verify(...dryRun, '--only', 'createPet', '--data', file)
    }

    const given = await data({ createPet: { body: { name: 'Rex', categoryId: 4711 } } })
    const record = await data({ pets: { body: 'no request' } })
    const unknown = await data({ createPets: { body: {} } })

    expect(given.stdout).toMatch(/POST +\/pets .*"categoryId":4711/)
    expect(record).toMatchObject({ code: 0, stderr: '' })
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('Did you mean "createPet"?')
  })

  test('shows the requests as JSON with --dry-run and --json, also without a key', async () => {
    const { stdout } = await runCommand(['verify', 'http://api.test/v1', '--dry-run', '--json'])

    expect(JSON.parse(stdout)).toMatchObject({
      target: 'http://api.test/v1',
      changes: { creations: [], settings: [] },
      requests: expect.arrayContaining([
        { method: 'GET', url: 'http://api.test/v1/pets', credentials: 'none', fromResponses: [] },
      ]),
    })
  })

  test.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('stops on %s, and removes what it created', async (signal, code) => {
    const document = join(folder(), 'users.json')
    await writeFile(document, JSON.stringify(USERS))
    const { origin, received, state } = await serveCarelessly({
      state: { '/users/1': { id: 1, name: 'admin' } },
      collections: /^\/users$/,
      hasEnvelopes: false,
      delay: 40,
    })
    const command = launchCommand(['verify', origin, document, '--allow-writes'], {
      program: [process.execPath, 'bin/pet-sandbox.js'],
    })
    const hasCreated = (): boolean => received.filter(({ method }) => method === 'POST').length > 1
    await expect.poll(hasCreated, { timeout: 20_000 }).toBe(true)

    command.child.kill(signal)

    const ended = await command.ended
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain('stopping, and removing what the run created')
    expect(ended.stdout).toMatch(/\nCreated \d+ records?, and removed (it|all of them)\.\n/)
    expect(ended.stdout).toContain('\nStopped early: the run was interrupted.\n')
    expect([...state]).toEqual([['/users/1', '{"id":1,"name":"admin"}']])
  })

  test('tests only the operations of --only, and suggests names', async () => {
    const { origin } = await serveSandbox()

    const some = await verify(`${origin}/v1`, '--only', 'GET /pets/*', '--verbose')
    const none = await verify(`${origin}/v1`, '--exclude', 'creatPet')

    expect(some.stdout).not.toContain('listPets')
    expect(some.stdout).toContain('✓ getPet finds a listed record')
    expect(none.stderr).toBe(
      'pet-sandbox: Cannot exclude "creatPet": no operation of the document has this id, method, path or tag. Did you mean "createPet"? Paths may have * and **, such as "DELETE /users/**".\n',
    )
    expect(none.code).toBe(2)
  })

  test('has help with options, examples and exit codes', async () => {
    const { stdout } = await verify('--help')

    expect(stdout).toContain('--allow-writes')
    expect(stdout).toContain('Examples:')
    expect(stdout).toContain(
      'Exit codes:\n  0  no check failed, or only accepted ones and those that --fail-on leaves out\n  1  a check failed\n  2  wrong usage',
    )
  })
})

describe('the progress', () => {
  const steps: Exclude<Progress, { kind: 'start' }>[] = [
    { kind: 'request', sent: 3, budget: 60, exercised: 2, operations: 9, findings: 1 },
    { kind: 'wait', milliseconds: 41_200, why: 'the quota was used up on purpose' },
  ]

  function written(isTTY: boolean): string {
    let text = ''
    const progress = createProgress({ isTTY, write: (part) => (text += part) })
    for (const step of steps) progress.show(step)
    progress.end()
    return text
  }

  test('is one line that is removed, on a terminal', () => {
    expect(written(true)).toBe(
      '\r\u001b[K3 of at most 60 requests sent, 2 of 9 operations, 1 finding\r\u001b[Kwaiting 42 s: the quota was used up on purpose\r\u001b[K',
    )
  })

  test('is a line for each wait, without a terminal', () => {
    expect(written(false)).toBe('pet-sandbox: waiting 42 s: the quota was used up on purpose\n')
  })
})
