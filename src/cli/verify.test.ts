import { afterEach, describe, expect, test } from 'vitest'
import { type CommandResult, runCommand, stopCommands } from '../testing/command.ts'
import { closeServer, serveHttp, serveSandbox, stopServers } from '../testing/servers.ts'
import type { Progress } from '../verify/options.ts'
import { createProgress } from './verify/progress.ts'

const KEY = 'sk_sandbox_pro'

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

function verify(...args: string[]): Promise<CommandResult> {
  return runCommand(['verify', ...args], { env: { PET_SANDBOX_KEY: KEY } })
}

/** What is printed, with the address of this run replaced. */
function plain(text: string, origin: string): string {
  return text.replaceAll(origin, 'http://127.0.0.1:4010')
}

describe('verify', () => {
  test('tells in a few lines what passed, what was left out, and why', async () => {
    const { origin } = await serveSandbox()

    const { code, stdout, stderr } = await verify(`${origin}/v1`, '--allow-writes')

    expect(plain(stdout, origin)).toMatchInlineSnapshot(`
      "Pet Adoption Store 1.0.0 at http://127.0.0.1:4010/v1

      Left out:
        18  no answer came to judge by
         8  the budget of 60 requests is spent
         5  it spends the quota: add --exhaust

      none failed, 128 passed, 31 left out; 60 requests
      "
    `)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test('ends with 1 when a check failed, and shows the exchange', async () => {
    const { origin } = await serveHttp((request, response) => {
      const isKeyed = request.headers.authorization?.startsWith(`Bearer ${KEY}`)
      response.writeHead(isKeyed ? 200 : 401, { 'Content-Type': 'application/json' })
      response.end('[]')
    })

    const { code, stdout } = await verify(`${origin}/v1`, '--only', 'wrong-key')

    expect(plain(stdout, origin)).toMatchInlineSnapshot(`
      "Pet Adoption Store 1.0.0 at http://127.0.0.1:4010/v1

      ✗ listPets refuses a wrong key with a 401
        Authentication, 4 [listPets/wrong-key]
        expected  401
        received  200 []
        curl -i -H "Authorization: Bearer \${PET_SANDBOX_KEY}x" 'http://127.0.0.1:4010/v1/pets'

      ✗ getPet refuses a wrong key with a 401
        Authentication, 4 [getPet/wrong-key]
        expected  401
        received  200 []
        curl -i -H "Authorization: Bearer \${PET_SANDBOX_KEY}x" 'http://127.0.0.1:4010/v1/pets/1'

      Left out:
        1  it could write: add --allow-writes

      2 failed, 0 passed, 1 left out; 5 requests
      "
    `)
    expect(code).toBe(1)
  })

  test('ends with 2 and one line when the target cannot be tested', async () => {
    const gone = await serveHttp(() => undefined)
    await closeServer(gone)

    const { code, stdout, stderr } = await verify(`${gone.origin}/v1`)

    expect(stderr).toBe(
      `pet-sandbox: Cannot test ${gone.origin}/v1: nothing listens there (connection refused).\n`,
    )
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test.each([
    [['nowhere'], 'Cannot verify "nowhere": it is no base address.'],
    [['http://127.0.0.1:1/v1', '--budget', 'many'], 'Cannot use "many" as budget'],
    [['http://127.0.0.1:1/v1', '--timeout', 'long'], 'Cannot read the duration "long"'],
    [['http://127.0.0.1:1/v1', 'no.yaml'], 'Cannot load no.yaml: there is no such file'],
    [
      ['http://127.0.0.1:1/v1', '--key', ''],
      'the document asks for an API key, and none was given',
    ],
    [['http://127.0.0.1:1/v1', '--exaust'], "unknown option '--exaust' (Did you mean --exhaust?)"],
    [[], "missing required argument 'base url'"],
  ])('ends with 2 and one line for wrong usage: %j', async (args, message) => {
    const { code, stdout, stderr } = await verify(...args)

    expect(stderr).toMatch(/^pet-sandbox: .*\n$/)
    expect(stderr).toContain(message)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('lists every check by name when it is asked to', async () => {
    const { origin } = await serveSandbox()

    const { stdout } = await verify(`${origin}/v1`, '--verbose', '--only', 'listPets 401')

    expect(plain(stdout, origin)).toMatchInlineSnapshot(`
      "Pet Adoption Store 1.0.0 at http://127.0.0.1:4010/v1

      ✓ listPets refuses a request without a key with a 401 (Authentication, 4)
      ✓ listPets refuses a wrong key with a 401 (Authentication, 4)
      ✓ listPets refuses the key under another scheme with a 401 (Authentication, 3)
      ✓ listPets answers 401 with a body as the document gives it (Authentication, 4)
      ✓ listPets answers 401 as JSON (What the service does)
      ✓ listPets answers 401 and says so in the body as well (Authentication, 4)
      ✓ listPets answers 401 with WWW-Authenticate (decision)

      none failed, 7 passed; 6 requests
      "
    `)
  })

  test('gives plain data for programs, and nothing else', async () => {
    const { origin } = await serveSandbox()

    const { stdout, stderr } = await verify(`${origin}/v1`, '--json', '--allow-writes')

    expect(stderr).toBe('')
    const { checks, ...run } = JSON.parse(stdout)
    expect(run).toMatchObject({
      target: `${origin}/v1`,
      contract: 'Pet Adoption Store 1.0.0',
      totals: { failed: 0, differs: 0 },
      budget: 60,
      waited: 0,
    })
    expect(checks).toContainEqual({
      id: 'createPet/a-missing-name',
      name: 'createPet refuses a missing name with a 400',
      clause: 'Endpoints, Add an animal',
      operation: 'createPet',
      status: 'passed',
    })
  })

  test('gives its verdict as data, too', async () => {
    const { origin } = await serveSandbox()

    const { code, stdout } = await verify(origin, '--json')

    expect(JSON.parse(stdout)).toMatchObject({
      unusable: `it answers 404 to everything. Did you mean ${origin}/v1?`,
      checks: [],
    })
    expect(code).toBe(2)
  })

  test('ends with 2 when there was nothing that it may ask', async () => {
    const { origin } = await serveSandbox()

    const { code, stdout } = await verify(`${origin}/v1`, '--only', 'createPet 201')

    expect(stdout).toContain('nothing was tested')
    expect(code).toBe(2)
  })

  test('takes a document of your own', async () => {
    const { origin } = await serveHttp((_, response) => {
      response.writeHead(401, { 'Content-Type': 'application/json' }).end('{}')
    })

    const { stderr } = await verify(`${origin}/api`, 'src/testing/library.yaml')

    expect(stderr).toContain('it refuses the key with a 401')
  })

  test('lists where a sandbox is unlike the target', async () => {
    const { origin } = await serveHttp((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Version': '7' })
      response.end('[{"id":1,"name":"Rex"}]')
    })

    const { stdout } = await verify(`${origin}/v1`, '--twin', '--budget', '8')

    expect(stdout.slice(stdout.indexOf('Where'))).toMatchInlineSnapshot(`
      "Where the sandbox is unlike the target:
      OPERATION  WHAT                              TARGET          SANDBOX
      listPets   GET /pets (no key) and 2 more     200             401
      listPets   200 header x-ratelimit-limit      none            a whole number
      listPets   200 header x-ratelimit-remaining  none            a whole number
      listPets   200 header x-ratelimit-reset      none            a whole number
      listPets   200 header x-version              a whole number  none
      listPets   200 body [].categoryId            none            integer
      listPets   200 body [].status                none            string

      Left out:
        48  no answer came to judge by
        39  it could write: add --allow-writes
        36  the budget of 8 requests is spent
         5  it spends the quota: add --exhaust
         3  no two answers of one window came
         1  too few requests were served in one window

      10 failed, 17 passed, 132 left out; 8 requests
      "
    `)
  })

  test('stands in the help with its options, examples and exit codes', async () => {
    const { stdout } = await verify('--help')

    expect(stdout).toContain('--allow-writes')
    expect(stdout).toContain('Examples:')
    expect(stdout).toContain('Exit codes: 0 no check failed, 1 a check failed, 2 wrong usage')
  })
})

describe('the progress', () => {
  const steps: Progress[] = [
    { kind: 'request', sent: 3, budget: 60 },
    { kind: 'wait', milliseconds: 41_200, why: 'the quota is spent on purpose' },
  ]

  function written(isTTY: boolean): string {
    let text = ''
    const progress = createProgress({ isTTY, write: (part) => (text += part) })
    for (const step of steps) progress.tell(step)
    progress.end()
    return text
  }

  test('is one line that goes, on a terminal', () => {
    expect(written(true)).toBe(
      '\r\u001b[K3 of at most 60 requests\r\u001b[Kwaits 42 s: the quota is spent on purpose\r\u001b[K',
    )
  })

  test('is a line for each wait elsewhere', () => {
    expect(written(false)).toBe('pet-sandbox: waits 42 s: the quota is spent on purpose\n')
  })
})
