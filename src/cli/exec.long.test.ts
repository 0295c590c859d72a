import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type CommandOptions,
  type CommandResult,
  launchCommand,
  runCommand,
  stopCommands,
} from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const folder = useTemporaryDirectory()

afterEach(stopCommands)

function exec(args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
  return runCommand(['exec', ...args], options)
}

/** Runs a script with `pet-sandbox exec`. */
function script(code: string, ...options: string[]): Promise<CommandResult> {
  return exec([...options, '--', process.execPath, '--input-type=module', '-e', code])
}

const ASK = `
  const { PET_SANDBOX_URL: url, PET_SANDBOX_KEY: key } = process.env
  const ask = (path = '/pets') => fetch(url + path, { headers: { Authorization: 'Bearer ' + key } })
`

describe('a client that gets one 429 with a Retry-After of one second', () => {
  const execClient = (client: string): Promise<CommandResult> =>
    exec([
      ...['--scenario', 'first-429-then-fine', '--'],
      ...[process.execPath, `src/testing/clients/${client}.mjs`],
    ])
  const patient = ['ky', 'got', 'axios-retry']
  const ended = new Map<string, CommandResult>()
  // They wait at the same time.
  beforeAll(async () => {
    await Promise.all(
      patient.map(async (client) => void ended.set(client, await execClient(client))),
    )
  })

  test.each(patient)('passes with %s, because it waits', (client) => {
    const result = ended.get(client)

    expect(result?.stdout).toMatch(/listPets +2 +1 +0 +1(\.\d)? s of 1 s/)
    expect(result?.stdout).toMatch(/Passed\.\n$/)
    expect(result?.code).toBe(0)
  })

  test.each(['naive', 'hasty-ky', 'hasty-got', 'hasty-axios-retry'])(
    'fails with %s, because it does not wait',
    async (client) => {
      const { stdout, code } = await execClient(client)

      expect(stdout).toContain('error   early-retry  listPets, key …free')
      expect(stdout).toContain('RFC 9110, section 10.2.3 (Retry-After)')
      expect(code).toBe(1)
    },
  )
})

test('fails with a client that never sends a valid key', async () => {
  const { stdout, code } = await script(`${ASK}
    await fetch(url + '/pets')
    await fetch(url + '/pets', { headers: { Authorization: 'Bearer wrong' } })`)

  expect(stdout).toContain('error   never-authorized  listPets, no key')
  expect(stdout).toContain('Failed: 2 violations of never-authorized.')
  expect(code).toBe(1)
})

test('passes with a burst of requests, which are all sent before one is refused', async () => {
  const { stdout, code } = await script(
    `${ASK}
      await Promise.all(Array.from({ length: 10 }, async () => (await ask()).text()))`,
    '--plan',
    'free=3/1000',
  )

  expect(stdout).toContain('No findings.')
  expect(stdout).toMatch(/listPets +10 +7 +0/)
  expect(code).toBe(0)
})

describe('the command of exec', () => {
  test('ends with 1 when the state cannot be saved, even if the command succeeds', async () => {
    await mkdir(join(folder(), 'gone'))

    const { code } = await script(
      `${ASK}
      import { rm } from 'node:fs/promises'
      await rm(${JSON.stringify(join(folder(), 'gone'))}, { recursive: true })
      await ask()`,
      '--state',
      join(folder(), 'gone', 'state.json'),
    )

    expect(code).toBe(1)
  })

  test('gets responses until it ends, even when the reader of the log has stopped', async () => {
    const code = `${ASK}
      for (let n = 0; n < 6; n += 1) {
        console.log((await ask()).status)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }`
    const result = await runCommand([], {
      program: [
        'bash',
        '-c',
        `${process.execPath} bin/pet-sandbox.js exec --log json -- ${process.execPath} --input-type=module -e "$CODE" 2> >(head -1 >&2)`,
      ],
      env: { CODE: code },
    })

    expect(result.stdout).toMatch(/^(?:200\n){6}/)
    expect(result.stdout).toMatch(/Passed\.\n$/)
    expect(result.code).toBe(0)
  })

  test('gets the address with the base path, and a key, as environment variables', async () => {
    const { stdout, code } = await script(`${ASK}
      const { status } = await ask()
      console.log(url, key, status)`)

    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1 sk_sandbox_free 200\n/)
    expect(code).toBe(0)
  })

  test('uses the standard streams of exec, and its output precedes the report', async () => {
    const { stdout, stderr } = await script(`${ASK} await ask(); console.error('to stderr')`)

    expect(stdout).toMatch(/^Pet Adoption Store 1\.0\.0: 1 request\n/)
    expect(stderr).toBe('to stderr\n')
  })

  test.each<[expected: number, line: RegExp, code: string]>([
    [3, /^The client behaved well, but the command .* code 3\.$/, 'await ask(); process.exit(3)'],
    [3, /^The command failed with exit code 3\.$/, "await ask('/pets/1'); process.exit(3)"],
    [1, /^Failed: 1 violation of deprecated\.$/, "await ask('/pets/1')"],
    [0, /^Passed\.$/, 'await ask()'],
    [
      128 + 15,
      /^The client behaved well, but the command failed with exit code 143\.$/,
      "await ask(); process.kill(process.pid, 'SIGTERM'); await new Promise(() => setTimeout(() => {}, 9e5))",
    ],
  ])(
    'ends with the worse exit code, %i, and the last line %s: %s',
    async (expected, line, code) => {
      const ended = await script(ASK + code, '--fail-on', 'deprecated')

      const [last = ''] = ended.stdout.trimEnd().split('\n').slice(-1)
      expect(ended.code).toBe(expected)
      expect(last).toMatch(line)
    },
  )

  test('can reset the sandbox between its tests, and use worlds', async () => {
    const { stdout, code } = await script(`${ASK}
      const { origin } = new URL(url)
      await ask('/pets/1')
      await fetch(origin + '/__sandbox/reset', { method: 'POST' })
      await ask()
      await fetch(origin + '/worlds/cart/v1/pets/2', { headers: { Authorization: 'Bearer ' + key } })`)

    expect(stdout).toContain('3 requests in 3 recordings')
    expect(stdout).toMatch(/deprecated[\s\S]*#1:1, #3:1/)
    expect(code).toBe(0)
  })
})

describe('exec', () => {
  test('takes a document in front of the command, with overlays', async () => {
    const overlay = join(folder(), 'overlay.yaml')
    await writeFile(
      overlay,
      'overlay: 1.0.0\ninfo: { title: Renamed, version: 1.0.0 }\nactions: [{ target: $.info, update: { title: Renamed Library } }]\n',
    )
    const json = join(folder(), 'report.json')
    const program = `${ASK}
      await ask('/books')`

    const { code, stderr } = await runCommand([
      'exec',
      resolve('src/testing/library.yaml'),
      '--overlay',
      overlay,
      '--json',
      json,
      '--',
      process.execPath,
      '--input-type=module',
      '--eval',
      program,
    ])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({
      title: 'Renamed Library',
      entries: [{ operation: 'listBooks' }],
    })
  })

  test('accepts the options of serve and of report', async () => {
    const library = resolve('src/testing/library.yaml')
    const json = join(folder(), 'report.json')

    const { stdout, code } = await script(
      `${ASK}
       for (let request = 1; request <= 3; request += 1) await ask('/books?limit=1')`,
      '--openapi',
      library,
      '--plan',
      'free=2/100',
      '--plan',
      'pro=300/10000',
      '--records',
      '3',
      '--plans',
      '--min-coverage',
      '99',
      '--json',
      json,
    )

    expect(stdout).toContain('This traffic needs pro; on free, 1 request is refused')
    expect(stdout).toMatch(/coverage is \d+ %, but must be at least 99 %/)
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({
      requests: 3,
      verdict: 'failed',
    })
    expect(code).toBe(1)
  })

  test('uses a free port, and ignores the port of the configuration file and of the environment', async () => {
    await writeFile(join(folder(), 'pet-sandbox.config.json'), '{ "port": 1, "records": 2 }')
    const client = resolve('src/testing/clients/naive.mjs')

    const { code, stderr } = await exec(['--', process.execPath, client], {
      cwd: folder(),
      env: { PET_SANDBOX_PORT: '2' },
    })

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test('forwards signals, and closes the sandbox when the command has ended', async () => {
    const { child, waitForOutput, ended } = launchCommand([
      'exec',
      '--',
      process.execPath,
      '--input-type=module',
      '-e',
      `${ASK}
       await ask()
       process.on('SIGTERM', () => { console.log('tidied up'); process.exit(7) })
       setInterval(() => {}, 1000)
       console.log('at', url)`,
    ])
    const [, url = ''] = /at (\S+)/.exec(await waitForOutput(/at \S+\n/)) ?? []

    // A supervisor signals only this process. A terminal signals both.
    if (child.pid !== undefined) process.kill(child.pid, 'SIGTERM')
    const { stdout, code } = await ended

    expect(stdout).toContain('tidied up\n')
    expect(stdout).toMatch(
      /Passed\.\nThe client behaved well, but the command failed with exit code 7\.\n$/,
    )
    expect(code).toBe(7)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
})

describe('a test suite that creates sandboxes in its own processes', () => {
  test('has one report on these sandboxes and on the sandbox of exec', async () => {
    const { stdout, code } = await script(`${ASK}
      import { sandbox } from ${JSON.stringify(resolve('dist/msw.js'))}
      await ask()
      await sandbox.fetch(new Request('http://localhost/v1/pets/1', { headers: { Authorization: 'Bearer ' + key } }))
      process.kill(process.pid, 'SIGKILL')`)

    expect(stdout).toContain('2 requests in 2 recordings\n')
    expect(code).toBe(128 + 9)
  })

  test('does not count the requests to the sandbox of a nested exec', async () => {
    const inner = `${ASK}
      ask()`

    const { stdout, stderr, code } = await script(`
      import { execFileSync } from 'node:child_process'
      const args = ['exec', '--', process.execPath, '-e', ${JSON.stringify(inner)}]
      execFileSync(process.execPath, ['bin/pet-sandbox.js', ...args], { stdio: 'inherit' })`)

    expect(stdout).toMatch(/^Pet Adoption Store 1\.0\.0: 1 request\n/)
    expect(stderr).toContain('no request was recorded')
    expect(code).toBe(2)
  })

  test('removes its files when it ends', async () => {
    const { stdout } = await script(`${ASK}
      await ask()
      console.log(process.env.PET_SANDBOX_RECORDINGS)`)

    const [recordings = ''] = stdout.split('\n')
    expect(recordings).toContain('pet-sandbox-exec-')
    await expect(stat(recordings)).rejects.toThrow('ENOENT')
  })
})

describe('exec reports a mistake in one line:', () => {
  test.each([
    [
      ['--', 'no-such-program'],
      /^pet-sandbox: Cannot run no-such-program: the program does not exist.*A document comes before --\.$/m,
    ],
    [
      ['books.yaml'],
      /^pet-sandbox: Cannot run books\.yaml: it is a document, not a command\. Write the command after it: pet-sandbox exec books\.yaml -- npm test$/m,
    ],
    [['books.yaml', '--', 'node', 'mix.mjs'], /^pet-sandbox: Cannot load books\.yaml: /m],
    [
      ['--', 'true'],
      /Cannot report on true: no request was recorded\. Let it send requests to the address in PET_SANDBOX_URL, which has the base path, or create a sandbox in its own processes\./,
    ],
    [
      ['--fail-on', 'banned', '--', 'true'],
      /Cannot select the rules of the report: unknown rule "banned"/,
    ],
    [
      ['--min-coverage', '200', '--', 'true'],
      /Cannot use the option --min-coverage: it must be an integer from 0 to 100 \(got "200"\)\./,
    ],
    [['--scenario', 'flakey', '--', 'true'], /Did you mean "flaky"/],
    [[], /missing required argument 'command'/],
  ])('%j', async (args, message) => {
    const { stdout, stderr, code } = await exec(args)

    expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
    expect(stderr).toMatch(message)
    expect(stderr.split('\n')).toHaveLength(2)
  })
})
