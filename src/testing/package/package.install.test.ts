import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCommand, stopCommands } from '../command.ts'

const run = promisify(execFile)

/** The names of the packages with the TypeScript versions that consumers use. */
const COMPILERS = ['typescript', 'typescript5']
const PLAYWRIGHT = '@playwright/test@1.65'

let root = ''
let tarball = ''
/** A project with only this package. */
let folder = ''
let installed = ''
/** Projects with MSW, by its line, and with Playwright. */
let projects: Readonly<Record<'msw 2' | 'msw 3', string>> = { 'msw 2': '', 'msw 3': '' }

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  // The build has run before the tests. Without its scripts, `npm pack` does not build again.
  const packed = await run('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    root,
  ])
  const [{ filename }]: [{ filename: string }] = JSON.parse(packed.stdout)
  tarball = join(root, filename)
  const [plain, msw2, msw3] = await Promise.all([
    createProject('only-package'),
    createProject('msw-2', 'msw@^2.15.0', PLAYWRIGHT),
    createProject('msw-3', 'msw@^3.0.5', PLAYWRIGHT),
  ])
  folder = plain
  installed = join(folder, 'node_modules/pet-sandbox')
  projects = { 'msw 2': msw2, 'msw 3': msw3 }
})

afterAll(async () => {
  await stopCommands()
  await rm(root, { recursive: true })
})

/** Creates a project with the package and other packages. */
async function createProject(name: string, ...packages: string[]): Promise<string> {
  const project = join(root, name)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...quiet, tarball, ...packages], { cwd: project })
  return project
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()
}

/** Runs a script in the project and returns its output. */
async function print(script: string, type: 'module' | 'commonjs' = 'module'): Promise<string> {
  const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', script], {
    cwd: folder,
  })
  return stdout
}

describe('the package', () => {
  test('delays its first response on fake timers once it is ready', async () => {
    const output = await print(`
      import { mock } from 'node:test'
      import { createSandbox } from 'pet-sandbox'
      const sandbox = createSandbox({ auth: false, latency: '2s' })
      await sandbox.ready
      mock.timers.enable({ apis: ['setTimeout'] })
      const listed = sandbox.fetch(new Request('http://localhost/v1/pets'))
      await new Promise(setImmediate)
      mock.timers.tick(2000)
      console.log((await listed).status)
    `)

    expect(output.trim()).toBe('200')
  })

  test('contains only the files that users need', async () => {
    const files = await filesIn(installed)

    const others = files.filter(
      (file) => !/^dist\/(?:[\w/-]+\.d\.ts|[\w-]+\.js|dashboard\/[\w-]+-[\w-]{8}\.js)$/.test(file),
    )
    expect(others).toEqual([
      'LICENSE',
      'README.md',
      'bin/pet-sandbox.js',
      'dist/THIRD-PARTY.txt',
      'dist/dashboard/app.css',
      'dist/dashboard/app.js',
      'dist/dashboard/index.html',
      'dist/report.schema.json',
      'dist/verification.schema.json',
      'dist/x-sandbox.schema.json',
      'fixtures/records.json',
      'openapi.yaml',
      'package.json',
    ])
    expect(files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/express.js', 'dist/load.js', 'dist/cli.js']),
    )
    expect(files.filter((file) => /(?<!vi)test|specification/.test(file))).toEqual([])
    // The command line and the loading of documents are internal: only the types of `pet-sandbox/load` and `pet-sandbox/vite` are included.
    expect(files.filter((file) => /^dist\/(?:cli|document)(?:\/.*)?\.d\.ts$/.test(file))).toEqual([
      'dist/cli/load-locale.d.ts',
      'dist/cli/load-scenarios.d.ts',
      'dist/cli/vite-plugin.d.ts',
      'dist/document/diagnostic.d.ts',
      'dist/document/load-contract.d.ts',
      'dist/document/load-options.d.ts',
    ])
  })

  test('contains no paths of the machine that built it', async () => {
    const files = await filesIn(installed)
    const texts = await Promise.all(files.map((file) => readFile(join(installed, file), 'utf8')))

    const withPaths = files.filter((_, index) => texts[index]?.includes(resolve('.')))

    expect(withPaths).toEqual([])
  })

  test('installs at most 95 packages', async () => {
    const lock: { packages: object } = JSON.parse(
      await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'),
    )

    expect(Object.keys(lock.packages).length).toBeLessThanOrEqual(95)
  })
})

describe('its command', () => {
  test('prints its version', async () => {
    const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'))

    const { stdout } = await run('npx', ['--no-install', 'pet-sandbox', '--version'], {
      cwd: folder,
    })

    expect(stdout).toBe(`${version}\n`)
  })

  test('serves the shipped API and another API', async () => {
    const program = ['npx', '--no-install', 'pet-sandbox'] as const
    const options = { cwd: folder, program, env: { npm_config_loglevel: 'error' } }
    const headers = { Authorization: 'Bearer sk_sandbox_free' }

    const pets = await startCommand([], options)
    const library = await startCommand([resolve('src/testing/library.yaml')], options)
    const animals = await fetch(`${pets.base}/pets`, { headers })
    const books = await fetch(`${library.base}/books`, { headers })
    const ended = await Promise.all([pets.stop(), library.stop()])

    expect(await animals.json()).toHaveLength(20)
    expect(await books.json()).toHaveLength(10)
    // npm prints warnings about the user's settings.
    const errors = ended.map(({ stderr }) => stderr.replace(/^npm .*\n/gm, ''))
    expect(errors).toEqual(['', ''])
  })
})

describe('its modules', () => {
  test('can be imported by their names', async () => {
    const output = await print(`
      import { createSandbox } from 'pet-sandbox'
      import { toExpress } from 'pet-sandbox/express'
      import { loadContract } from 'pet-sandbox/load'
      const contract = await loadContract(${JSON.stringify(resolve('src/testing/library.yaml'))})
      const sandbox = createSandbox({ contract, auth: false })
      const response = await sandbox.fetch(new Request('http://localhost/api/books?limit=3'))
      console.log(response.status, (await response.json()).length, toExpress(sandbox).length)
    `)

    expect(output).toBe('200 3 3\n')
  })

  test('have the expected exports', async () => {
    const output = await print(`
      const faces = ['', '/express', '/load', '/vitest', '/client', '/control'].map((face) => 'pet-sandbox' + face)
      for (const face of faces) console.log(Object.keys(await import(face)).join())
    `)

    expect(output).toBe(
      'UsageError,afterHandlers,beforeHandlers,createSandbox,defineHandlers,passthrough\ntoExpress\nloadContract,loadLocale,loadScenarios\nmatchers,toHaveBehaved\nUsageError,createClient\ncreateControl\n',
    )
  })

  test('can be required by CommonJS', async () => {
    const output = await print(
      `console.log(typeof require('pet-sandbox').createSandbox, typeof require('pet-sandbox/express').toExpress, typeof require('pet-sandbox/load').loadContract)`,
      'commonjs',
    )

    expect(output).toBe('function function function\n')
  })

  // Bundlers and `require` need a static import of the optional peer dependency. Node's error names the package and the
  // importing file.
  test.each(['import', 'require'])(
    'report the missing package msw on %s of pet-sandbox/msw',
    async (way) => {
      const script =
        way === 'import' ? `await import('pet-sandbox/msw')` : `require('pet-sandbox/msw')`

      const failure = print(script, way === 'import' ? 'module' : 'commonjs')

      await expect(failure).rejects.toThrow(
        /Cannot find package 'msw' imported from \S+\/node_modules\/pet-sandbox\/dist\/msw\.js/,
      )
    },
  )

  test('include the OpenAPI document', async () => {
    const output = await print(
      `console.log(import.meta.resolve('pet-sandbox/openapi.yaml').split('/').pop())`,
    )

    expect(output).toBe('openapi.yaml\n')
  })
})

/** The tests of a consumer. */
const MSW_TESTS = `
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createRequire } from 'node:module'
import { setupServer } from 'msw/node'
import { createSandbox } from 'pet-sandbox'
import { handlers, sandbox, strict, toHandlers } from 'pet-sandbox/msw'

const server = setupServer(...handlers)
const headers = { Authorization: 'Bearer sk_sandbox_free' }

before(() => server.listen(strict))
after(() => server.close())
afterEach(() => {
  server.resetHandlers()
  sandbox.reset()
})

test('lists animals', async () => {
  const response = await fetch('https://api.example.com/v1/pets?limit=5', { headers })

  assert.equal(response.status, 200)
  assert.equal((await response.json()).length, 5)
})

test('shows a banner when throttled', async () => {
  sandbox.force('rate-limited', { operation: 'listPets', times: 1 })

  const response = await fetch('https://api.example.com/v1/pets', { headers })

  assert.equal(response.status, 429)
  assert.match(response.headers.get('Retry-After'), /^[0-9]+$/)
})

test('adds an animal at an address of its own', async () => {
  const mine = createSandbox({ records: 0 })
  server.use(...toHandlers(mine, { baseUrl: 'https://staging.example.com/pets-api' }))

  const response = await fetch('https://staging.example.com/pets-api/pets', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
  })

  assert.equal(response.headers.get('Location'), 'https://staging.example.com/pets-api/pets/1')
  assert.equal(await mine.collection('pets').count(), 1)
})

test('rejects an unhandled request', async (t) => {
  t.mock.method(console, 'error', () => {})

  await assert.rejects(fetch('https://api.example.com/v1/horses', { headers }))
})

test('can be required by CommonJS', () => {
  const required = createRequire(import.meta.url)('pet-sandbox/msw')

  assert.deepEqual(Object.keys(required).sort(), ['handlers', 'sandbox', 'strict', 'toHandlers'])
})
`

const MSW_CONSUMER = `
import type { HttpHandler } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from 'pet-sandbox'
import { handlers, sandbox, strict, toHandlers } from 'pet-sandbox/msw'

const mine: HttpHandler[] = toHandlers(createSandbox(), { baseUrl: ['https://a.test/v1', 'https://b.test/v1'] })
const server = setupServer(...handlers, ...mine)
server.listen(strict)
sandbox.force('rate-limited', { operation: 'listPets' })
// @ts-expect-error The operation is listPets.
sandbox.force('rate-limited', { operation: 'listPet' })
`

test.each([
  { line: 'msw 2', node: [process.execPath] },
  // MSW 3 needs Node 22.
  { line: 'msw 3', node: ['npx', '-y', 'node@24'] },
] as const)("a consumer's tests pass with $line", async ({ line, node: [file, ...args] }) => {
  const cwd = projects[line]
  await writeFile(join(cwd, 'consumer.test.js'), MSW_TESTS)

  const { stdout } = await run(
    file,
    [...args, '--test', '--test-reporter=tap', 'consumer.test.js'],
    { cwd },
  )

  expect(stdout).toMatch(/^# pass 5$/m)
  expect(stdout).toMatch(/^# fail 0$/m)
})

const CONSUMER = `
import { createSandbox, type Exchange, type Sandbox, type ShippedSandbox, UsageError } from 'pet-sandbox'
import { type Contract, loadContract, loadScenarios, type Scenario } from 'pet-sandbox/load'

const contract: Contract = await loadContract('books.yaml')
export const scenarios: Readonly<Record<string, Scenario>> =
  await loadScenarios('scenarios', { contract, plans: { gold: { minute: 1, day: 2 } }, keys: { mine: 'gold' } })
const sandbox: Sandbox = createSandbox({ contract, plans: { free: { minute: 5, day: 100 } } })
const response: Response = await sandbox.fetch(new Request('http://localhost/v1/pets'))
const exchanges: readonly Exchange[] = sandbox.journal.exchanges
export const result: [number, number, string] = [response.status, exchanges.length, new UsageError({ code: 'unknown_plan', task: 'a', reason: 'b' }).code]
// @ts-expect-error An unknown option.
createSandbox({ sead: 1 })

const shipped: ShippedSandbox = createSandbox({ plans: { gold: { minute: 1, day: 2 } }, keys: { mine: 'gold' } })
const pet = await shipped.collection('pets').create({ name: 'Rex', categoryId: 1 })
export const known: [number, string, number, 'available' | 'pending' | 'sold' | undefined] =
  [pet.id, pet.name, pet.categoryId, pet.status]
shipped.force('banned', { operation: 'createPet' })
// @ts-expect-error An unknown status.
void shipped.collection('pets').update(1, { status: 'lost' })
// @ts-expect-error An unknown collection.
shipped.collection('horses')
// @ts-expect-error An unknown operation.
shipped.force('banned', { operation: 'listHorses' })
// @ts-expect-error An unknown outcome.
shipped.force('bannd')
// @ts-expect-error A plan needs numbers.
createSandbox({ plans: { free: { minute: 'five' } } })
`

const CONTROL_CONSUMER = `
import { createSandbox } from 'pet-sandbox'
import { type Control, type ControlOptions, createControl } from 'pet-sandbox/control'

const options: ControlOptions = { token: 'sesame', origins: ['http://localhost:3000'] }
const control: Control = createControl(createSandbox(), options)
const request = new Request('http://localhost/__sandbox/reset', { method: 'POST' })
export const answer: Response = await control.fetch(request, { address: '127.0.0.1' })
control.close()
`

const CLIENT_CONSUMER = `
import { type ClientOptions, createClient, type SandboxClient, type ServiceTypes } from 'pet-sandbox/client'

const options: ClientOptions = { token: 'sesame', timeout: '5s' }
const client = createClient('http://127.0.0.1:4010', options)
const sold: string = (await client.collection('pets').update(1, { status: 'sold' })).name
const other: SandboxClient = createClient<ServiceTypes>('http://127.0.0.1:4010')
const stop: () => void = await other.onExchange(({ target }) => target.slice(1))
export const now: number = await client.clock.now()
stop()
void sold
`

const PLAYWRIGHT_CONSUMER = `
import { expect as baseExpect } from '@playwright/test'
import { createClient } from 'pet-sandbox/client'
import { matchers } from 'pet-sandbox/vitest'

const expect = baseExpect.extend(matchers)
const client = createClient('http://127.0.0.1:4010')
await expect(client).toHaveBehaved()
await expect(client).toHaveBehaved({ minCoverage: 80 })
// @ts-expect-error An unknown option.
await expect(client).toHaveBehaved({ coverage: 80 })
`

const PLAYWRIGHT_CONSUMER_IN_PLACE = `
import { expect } from '@playwright/test'
import { createClient } from 'pet-sandbox/client'
import { matchers } from 'pet-sandbox/vitest'
${await readFile('src/testing/guide/examples/matcher-types-playwright.ts', 'utf8')}

expect.extend(matchers)
const assertion: Promise<void> = expect(createClient('http://127.0.0.1:4010')).toHaveBehaved()
await assertion
`

const EXPRESS_CONSUMER = `
import express, { type RequestHandler } from 'express'
import { createSandbox } from 'pet-sandbox'
import { toExpress } from 'pet-sandbox/express'

const handler: RequestHandler = toExpress(createSandbox())
express().use('/sandbox', handler).use(toExpress(createSandbox()))
`

const UNTYPED_EXPRESS_CONSUMER = `
import { createSandbox } from 'pet-sandbox'
import { type ExpressHandler, toExpress } from 'pet-sandbox/express'

export const handler: ExpressHandler = toExpress(createSandbox())
`

describe('its types', () => {
  test.each(COMPILERS)(
    'compile strictly without the types of other packages with %s',
    async (compiler) => {
      const consumers = {
        index: CONSUMER,
        express: UNTYPED_EXPRESS_CONSUMER,
        client: CLIENT_CONSUMER,
        control: CONTROL_CONSUMER,
      }

      const errors = await compile(folder, compiler, consumers, [])

      expect(errors).toBe('')
    },
  )

  // One program for all consumers, and one compiler for each line: what takes long is to check the types of MSW, Node.js and the browser.
  test.each([
    {
      line: 'msw 2',
      what: 'Express, and with an expect that Playwright returned',
      compiler: 'typescript5',
      consumers: { msw: MSW_CONSUMER, express: EXPRESS_CONSUMER, tests: PLAYWRIGHT_CONSUMER },
    },
    // It declares the matcher on every expect.
    {
      line: 'msw 3',
      what: "Playwright's expect, extended in place",
      compiler: 'typescript',
      consumers: { msw: MSW_CONSUMER, tests: PLAYWRIGHT_CONSUMER_IN_PLACE },
    },
  ] as const)(
    'are compatible with those of $line and $what, with $compiler',
    async ({ line, compiler, consumers }) => {
      const project = projects[line]
      await linkTypes(project, ...(await readdir('node_modules/@types')), 'undici-types')

      const errors = await compile(project, compiler, consumers, ['node'])

      expect(errors).toBe('')
      // The matchers have types without Vitest.
      expect(await readdir(join(project, 'node_modules'))).not.toContain('vitest')
    },
  )
})

/** Compiles files in a project and returns the errors. `texts` have the files' names, `types` are the packages with global types. */
async function compile(
  project: string,
  compiler: string,
  texts: Readonly<Record<string, string>>,
  types: readonly string[],
): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types,
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  }
  const files = Object.keys(texts).map((name) => `${name}.ts`)
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(project, `${name}.ts`), text)
  }
  const config = JSON.stringify({ compilerOptions, files })
  await writeFile(join(project, 'tsconfig.json'), config)
  const tsc = resolve('node_modules', compiler, 'bin/tsc')

  return run(process.execPath, [tsc, '-p', '.'], { cwd: project }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}

/** Links packages with types into a project. */
async function linkTypes(project: string, ...names: string[]): Promise<void> {
  await mkdir(join(project, 'node_modules/@types'), { recursive: true })
  for (const name of names) {
    const path = name === 'undici-types' ? name : `@types/${name}`
    await link(resolve('node_modules', path), join(project, 'node_modules', path))
  }
}

/** Creates a symbolic link, unless the path exists. */
async function link(target: string, path: string): Promise<void> {
  await symlink(target, path).catch(() => undefined)
}
