import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandResult, runCommand, startCommand, stopCommands } from '../testing/command.ts'
import { type ServedSandbox, serveHttp, serveSandbox, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }

const folder = useTemporaryDirectory()
let served: ServedSandbox

beforeEach(async () => {
  served = await serveSandbox()
  served.sandbox.clock.set('2027-03-01T12:00:30Z')
})

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

async function get(path: string, place = ''): Promise<void> {
  const response = await fetch(`${served.origin}${place}/v1${path}`, { headers: FREE })
  await response.text()
}

/** Sends a request too early after a 429. */
async function retryTooEarly(place = ''): Promise<void> {
  const world = place === '' ? served.sandbox : served.sandbox.world(place.split('/')[2] ?? '')
  world.force('rate-limited', { times: 1, retryAfter: 30 })
  await get('/pets', place)
  // By then, the client has certainly seen the 429.
  await sleep(260)
  await get('/pets', place)
}

function report(...args: string[]): Promise<CommandResult> {
  return runCommand(['report', ...args], { cwd: folder() })
}

async function write(file: string, value: unknown): Promise<string> {
  const path = join(folder(), file)
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

function archive(...urls: string[]): unknown {
  const entries = urls.map((url) => ({
    startedDateTime: '2027-03-01T12:00:00.000Z',
    time: 5,
    request: { method: 'GET', url, headers: [] },
    response: { status: 200, headers: [], content: {} },
  }))
  return { log: { version: '1.2', entries } }
}

describe('report on a running sandbox', () => {
  test('prints the violations of the client, and fails for an error', async () => {
    await retryTooEarly()

    const { stdout, stderr, code } = await report(served.origin)

    expect({ stderr, code }).toEqual({ stderr: '', code: 1 })
    expect(stdout).toContain('error   early-retry  listPets, key …free')
    expect(stdout).toContain('Failed: 1 violation of early-retry.')
    expect(stdout).not.toContain('\u001b')
  })

  test('finds the sandbox at the port of the configuration file', async () => {
    await get('/pets')
    await write('pet-sandbox.config.json', { port: Number(new URL(served.origin).port) })

    const { stdout, code } = await report()

    expect(code).toBe(0)
    expect(stdout).toContain('1 request\n')
  })

  test('passes for a client without violations, and fails by the given thresholds', async () => {
    await get('/pets/1')

    const [fine, strict, low] = await Promise.all([
      report(`${served.origin}/v1`),
      report(served.origin, '--fail-on', 'early-retry,deprecated'),
      report(served.origin, '--min-coverage', '80%'),
    ])

    expect([fine.code, strict.code, low.code]).toEqual([0, 1, 1])
    expect(fine.stdout).toMatch(/warning deprecated[\s\S]*Passed\.\n$/)
    expect(strict.stdout).toContain('Failed: 1 violation of deprecated.')
    expect(low.stdout).toMatch(/Failed: coverage is \d+ %, but must be at least 80 %\.\n$/)
  })

  test('reads the world of --world or of the address, and all worlds with --all-worlds', async () => {
    await get('/pets')
    await retryTooEarly('/worlds/cart')

    const [own, named, addressed, all] = await Promise.all([
      report(served.origin),
      report(served.origin, '--world', 'cart'),
      report(`${served.origin}/worlds/cart/v1`),
      report(served.origin, '--all-worlds'),
    ])

    expect([own.code, named.code, addressed.code, all.code]).toEqual([0, 1, 1, 1])
    expect(named.stdout).toContain('2 requests\n')
    expect(all.stdout).toContain('3 requests in 2 recordings')
  })

  test('replays the traffic on the plans of the sandbox and on the given plans', async () => {
    served.sandbox.setPlan('free', { minute: 1 })
    await get('/pets')
    await get('/pets/1')

    const { stdout } = await report(served.origin, '--plans', '--plan', 'tiny=1/1')

    expect(stdout).toContain(
      'This traffic needs pro; on tiny, 1 request is refused and the longest wait is 12 h; on free, 1 request is refused and the longest wait is 30 s.',
    )
  })

  test.each([
    ['a document', ['src/testing/library.yaml']],
    ['a document with an overlay', ['src/testing/library.yaml', '--overlay', 'overlay.yaml']],
    ['a document at another base path', ['src/testing/library.yaml', '--base-path', '/other']],
    ['a Swagger 2.0 document', ['swagger.json']],
  ])('reports on a sandbox of %s without its name', async (_what, [document = '', ...options]) => {
    const swagger = {
      swagger: '2.0',
      info: { title: 'Things', version: '1' },
      basePath: '/api',
      paths: {
        '/books': {
          get: { operationId: 'listBooks', responses: { 200: { description: 'All' } } },
        },
      },
    }
    await write('swagger.json', swagger)
    await write(
      'overlay.yaml',
      'overlay: 1.0.0\ninfo: { title: A, version: 1.0.0 }\nactions: [{ target: $.info, update: { title: Renamed } }]\n',
    )
    const file = document.startsWith('src/') ? resolve(document) : document
    const { base } = await startCommand([file, ...options], { cwd: folder() })
    await fetch(`${base}/books`, { headers: FREE })

    const { stdout, stderr, code } = await report(new URL(base).origin)

    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(stdout).toContain('1 request')
    expect(stdout).toContain('listBooks')
  })

  test('says when the journal has dropped the first requests', async () => {
    await stopServers()
    served = await serveSandbox({ sandbox: { journal: 2 } })
    for (let request = 1; request <= 3; request += 1) await get('/pets')

    const { stdout } = await report(served.origin)

    expect(stdout).toContain('Only the last 2 of 3 requests are recorded. The journal is full.')
  })

  test('sends the token, and ends with 2 when it is wrong', async () => {
    // A sandbox on the same machine requires no token.
    const guarded = await serveHttp(({ headers }, response) => {
      response.statusCode = headers.authorization === 'Bearer secret' ? 200 : 401
      response.end('{"code":"unauthorized","message":"No.","status":401}')
    })

    const [wrong, right] = await Promise.all([
      report(guarded.origin, '--token', 'other'),
      report(guarded.origin, '--token', 'secret'),
    ])

    expect(wrong.stderr).toMatch(
      /Cannot use the sandbox at http:\/\/127\.0\.0\.1:\d+: its token is missing or wrong\. Give the token that the sandbox was started with \(--control-token\)\./,
    )
    expect(wrong.code).toBe(2)
    expect(right.stderr).not.toContain('it asks for its token')
  })
})

describe('report on files', () => {
  test('reads the HTTP archive of a sandbox, and merges the reports of parallel jobs', async () => {
    await retryTooEarly()
    const har = await write('job.har', await served.sandbox.journal.toHar())
    await report(har, '--json', 'one.json')
    served.sandbox.reset()
    await get('/pets?status=sold')
    await report(served.origin, '--json', 'two.json')

    const { stdout, code } = await report('one.json', 'two.json')

    expect(code).toBe(1)
    expect(stdout).toContain('3 requests in 2 recordings')
    expect(stdout).toContain('#1:2')
  })

  test('says which requests of an archive of a browser it ignores', async () => {
    const har = await write(
      'browser.har',
      archive('https://api.example.com/v1/pets', 'https://cdn.example.com/app.js'),
    )

    const { stdout, code } = await report(har)

    expect(code).toBe(0)
    expect(stdout).toContain(
      `${har}: 1 of 2 requests is not to Pet Adoption Store and left out (cdn.example.com).`,
    )
  })

  test('uses the document of --openapi', async () => {
    const library = join(process.cwd(), 'src/testing/library.yaml')
    const har = await write('library.har', archive('https://library.test/api/books'))

    const { stdout, code } = await report(har, '--openapi', library)

    expect(code).toBe(0)
    expect(stdout).toMatch(/listBooks {2}\d+ of \d+/)
  })
})

describe('the output of report', () => {
  test('is JSON, JUnit XML and HTML in the given files, whose folders it creates', async () => {
    await retryTooEarly()

    const { code } = await report(
      served.origin,
      '--json=out/a.json',
      '--junit=out/deep/a.xml',
      '--html=a.html',
    )

    expect(code).toBe(1)
    expect(JSON.parse(await readFile(join(folder(), 'out/a.json'), 'utf8'))).toMatchObject({
      verdict: 'failed',
      findings: [{ rule: 'early-retry', fails: true }],
    })
    expect(await readFile(join(folder(), 'out/deep/a.xml'), 'utf8')).toContain('<testsuites')
    expect(await readFile(join(folder(), 'a.html'), 'utf8')).toContain('<svg')
  })

  test('is only JSON on standard output with --json -', async () => {
    await get('/pets')

    const { stdout, stderr } = await report(served.origin, '--json', '-')

    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'passed', requests: 1 })
    expect(stderr).toBe('')
  })

  test('is annotations and a job summary with --github', async () => {
    await retryTooEarly()
    const summary = await write('summary.md', '# Before\n')

    const { stdout } = await runCommand(['report', served.origin, '--github'], {
      env: { GITHUB_STEP_SUMMARY: summary },
    })

    expect(stdout).toMatch(
      /\n::error title=early-retry%3A listPets%2C key …free::1 request did not wait/,
    )
    expect(readFileSync(summary, 'utf8')).toMatch(/^# Before\n## ❌ Pet Adoption Store/)
  })
})

describe('report prints one line and ends with 2 for', () => {
  async function errorOf(...args: string[]): Promise<string> {
    const { stdout, stderr, code } = await report(...args)
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
    expect(stderr.split('\n')).toHaveLength(2)
    return stderr
  }

  test.each([
    [
      'nope.har',
      /Cannot read nope\.har: the file does not exist\. Give a sandbox's address, a \.har file or the JSON of a report\./,
    ],
    ['localhost:4010', /Write the address as http:\/\/localhost:4010/],
    ['http://127.0.0.1:9', /Cannot reach the sandbox at http:\/\/127.0.0.1:9/],
    ['.', /it is a folder/],
  ])('%s as the source', async (source, message) => {
    expect(await errorOf(source)).toMatch(message)
  })

  test.each([
    [
      '{',
      /Cannot read \S+: the file is not valid JSON\. Give the address of a sandbox, a \.har file or the JSON of a report\./,
    ],
    [
      '{"log":{}}',
      /Cannot read \S+: it is not an HTTP archive \(HAR 1\.2\), because log\.entries is required\. Give the address of a sandbox, a \.har file or the JSON of a report\./,
    ],
    [
      '[1]',
      /Cannot read \S+: it is not an HTTP archive \(HAR 1\.2\), because the value must be an object \(got array\)\. Give the address of a sandbox, a \.har file or the JSON of a report\./,
    ],
    [
      { log: { entries: [{ startedDateTime: '+275760-09-13T00:00:00Z' }] } },
      /Cannot read \S+: it is not an HTTP archive \(HAR 1\.2\), because log\.entries\[0\]\.startedDateTime must be a date between 1970 and 9999 \(got "\+275760-09-13T00:00:00Z"\)\. Give the address of a sandbox, a \.har file or the JSON of a report\./,
    ],
    [
      { title: 'Pet Adoption Store', entries: [{ id: '1', recording: null }] },
      /file.har: entries\[0\].recording must be an integer ≥ 1 \(got null\)\. Give the JSON of a report/,
    ],
    [
      archive(),
      /Cannot report on \S+: no request was recorded\. Run the client first. A reset also empties the journal\./,
    ],
    [
      archive('https://a.test/x', 'https://b.test/v1/horses'),
      /Cannot report on \S+: none of its 2 requests is a request to Pet Adoption Store \(they went to a\.test, b\.test\)\. Name the document of that API with --openapi\./,
    ],
    [
      { title: 'Library', entries: [] },
      /Cannot report on \S+: it is a report on Library, not on Pet Adoption Store\. Name its document with --openapi\./,
    ],
  ])('a file that holds %j', async (value, message) => {
    expect(await errorOf(await write('file.har', value))).toMatch(message)
  })

  test('an address without the control interface of a sandbox', async () => {
    const other = await serveHttp((_request, response) => response.end('Hello'))

    expect(await errorOf(other.origin)).toMatch(/no control interface of pet-sandbox/)
  })

  test('a sandbox whose requests are for no operation of the document', async () => {
    await get('/v1/pets')

    expect(await errorOf(served.origin)).toMatch(
      /: none of the requests was for an operation of the document \(the first was GET \S+\)\. Run the client first/,
    )
  })

  test('a sandbox without requests, and an unknown world', async () => {
    await get('/pets', '/worlds/cart')

    expect(await errorOf(served.origin)).toMatch(
      /Cannot report on http:\/\/127\.0\.0\.1:\d+: no request was recorded\. 1 other world was not read: add --all-worlds\./,
    )
    expect(await errorOf(served.origin, '--world', 'card')).toMatch(
      /Cannot report on http:\/\/127\.0\.0\.1:\d+: unknown world "card"\. Did you mean "cart"\?/,
    )
  })

  test('a sandbox of another API', async () => {
    const library = join(process.cwd(), 'src/testing/library.yaml')

    expect(await errorOf(served.origin, '--openapi', library)).toMatch(
      /Cannot report on http:\/\/127\.0\.0\.1:\d+: it serves Pet Adoption Store, not Library\. Name its document with --openapi\./,
    )
  })

  test.each([
    [
      ['--fail-on', 'early-retries'],
      /Cannot select the rules of the report: unknown rule "early-retries"\. Did you mean "early-retry"\?/,
    ],
    [['--ignore', 'warning'], /Did you mean "warnings"/],
    [
      ['--min-coverage', '101'],
      /Cannot use the option --min-coverage: it must be an integer from 0 to 100 \(got "101"\)\./,
    ],
    [
      ['--min-coverage', 'much'],
      /Cannot use the option --min-coverage: it must be an integer from 0 to 100 \(got "much"\)\./,
    ],
    [['--plan', 'free'], /it must be PLAN=MINUTE\/DAY/],
    [
      ['--url', 'http://127.0.0.1:4011'],
      /Cannot use the option --url: .*argument.* Write: pet-sandbox report http:\/\/127\.0\.0\.1:4011$/m,
    ],
    [['--url'], /Write: pet-sandbox report http:\/\/127\.0\.0\.1:4010$/m],
    [['--jsn', 'a'], /unknown option '--jsn' \(Did you mean --json\?\)/],
  ])('%j', async (args, message) => {
    expect(await errorOf(served.origin, ...args)).toMatch(message)
  })

  test('a report that cannot be written', async () => {
    await get('/pets')

    const { stderr, code } = await report(served.origin, '--json', folder())

    expect(stderr).toMatch(/^pet-sandbox: Cannot write \S+: it is a folder. Name another file.\n$/)
    expect(code).toBe(2)
  })
})
