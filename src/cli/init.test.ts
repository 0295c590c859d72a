import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../testing/command.ts'
import { createProject, type ProjectParts } from '../testing/npm-project.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const run = promisify(execFile)

/** The files of a project that `init` may have written. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !file.startsWith('node_modules/') && file !== 'package.json')
    .sort()
}

describe('pet-sandbox init', () => {
  test('writes the worker script and a setup file for the test runner, and prints the next steps', async () => {
    const cwd = await createProject({ files: { 'public/index.html': '' } })

    const { code, stdout, stderr } = await runCommand(['init'], { cwd })

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatchInlineSnapshot(`
      "Wrote sandbox.setup.js
      Wrote public/mockServiceWorker.js

      Next:
        npm install --save-dev pet-sandbox
        In the Vitest configuration, add: test: { setupFiles: ['./sandbox.setup.js'] }
      "
    `)
    expect(await filesIn(cwd)).toEqual([
      'public/index.html',
      'public/mockServiceWorker.js',
      'sandbox.setup.js',
    ])
  })

  test("copies the worker script of the project's own MSW", async () => {
    const cwd = await createProject({ files: { 'static/.keep': '' } })

    await runCommand(['init'], { cwd })

    const written = await readFile(join(cwd, 'static/mockServiceWorker.js'), 'utf8')
    expect(written).toBe(await readFile('node_modules/msw/lib/mockServiceWorker.js', 'utf8'))
  })

  test('writes TypeScript in a TypeScript project', async () => {
    const cwd = await createProject({ packages: ['vitest', 'typescript', 'pet-sandbox'] })

    const { stdout } = await runCommand(['init'], { cwd })

    expect(stdout).toMatchInlineSnapshot(`
      "Wrote sandbox.setup.ts

      Next:
        In the Vitest configuration, add: test: { setupFiles: ['./sandbox.setup.ts'] }
      "
    `)
    expect(await filesIn(cwd)).toEqual(['sandbox.setup.ts'])
  })

  test('sets up every test runner of the project', async () => {
    const cwd = await createProject({
      packages: ['jest', '@playwright/test', 'storybook'],
      files: { 'tsconfig.json': '{}', 'public/index.html': '' },
    })

    const { stdout } = await runCommand(['init'], { cwd })

    expect(stdout).toMatchInlineSnapshot(`
      "Wrote sandbox.setup.ts
      Wrote sandbox.fixture.ts
      Wrote .storybook/sandbox.ts
      Wrote public/mockServiceWorker.js

      Next:
        npm install --save-dev pet-sandbox
        In the Jest configuration, add: setupFilesAfterEnv: ['<rootDir>/sandbox.setup.ts']
        Run Jest with NODE_OPTIONS=--experimental-vm-modules
        In the tests, import "test" from ./sandbox.fixture.ts instead of @playwright/test
        In .storybook/preview, add: export { loaders } from './sandbox'
      "
    `)
    expect(await filesIn(cwd)).toEqual([
      '.storybook/sandbox.ts',
      'public/index.html',
      'public/mockServiceWorker.js',
      'sandbox.fixture.ts',
      'sandbox.setup.ts',
      'tsconfig.json',
    ])
  })

  test('uses the runner and the public folder of its options', async () => {
    const cwd = await createProject({ packages: ['jest'] })

    const { code } = await runCommand(
      ['init', '--runner', 'browser', '--public-dir', 'web/pages'],
      {
        cwd,
      },
    )

    expect(code).toBe(0)
    expect(await filesIn(cwd)).toEqual(['src/sandbox.js', 'web/pages/mockServiceWorker.js'])
  })

  test.each<[what: string, packages: string[], files: Record<string, string>, lines: string[]]>([
    [
      'the module in index.html',
      ['vite', 'typescript'],
      {
        'index.html':
          '<script src="https://a.test/x.js"></script>\n<script type="module" src="/app/start.tsx"></script>',
        'app/start.tsx': '',
        'src/main.ts': '',
      },
      [
        'Start the worker in app/start.tsx, before the application sends requests:',
        '  if (import.meta.env.DEV) {',
        "    const { startSandbox } = await import('../src/sandbox')",
      ],
    ],
    [
      'an existing src/index.js',
      ['webpack'],
      { 'src/index.js': '' },
      [
        'Start the worker in src/index.js, before the application sends requests:',
        "  if (process.env.NODE_ENV !== 'production') {",
        "    const { startSandbox } = await import('./sandbox.js')",
      ],
    ],
    [
      'no file, when the project has no usual entry module',
      [],
      {},
      [
        'Start the worker in the entry module of your page, before the application sends requests:',
        "  if (process.env.NODE_ENV !== 'production') {",
        "    const { startSandbox } = await import('./sandbox.js')",
      ],
    ],
  ])('prints how to start the worker, and names %s', async (_what, packages, files, lines) => {
    const cwd = await createProject({
      packages: ['pet-sandbox', ...packages],
      files: { 'public/.keep': '', ...files },
    })

    const { stdout } = await runCommand(['init', '--runner', 'browser'], { cwd })

    const steps = [...lines, '    await startSandbox()', '  }', '']
    expect(stdout.split('Next:\n')[1]?.split('\n')).toEqual(
      steps.map((line) => (line === '' ? '' : `  ${line}`)),
    )
  })

  test('keeps unchanged files when it runs again', async () => {
    const cwd = await createProject()

    await runCommand(['init'], { cwd })
    const { code, stdout } = await runCommand(['init'], { cwd })

    expect(code).toBe(0)
    expect(stdout).toContain('Kept sandbox.setup.js\n')
  })

  test('overwrites a file with --force', async () => {
    const cwd = await createProject({ files: { 'sandbox.setup.js': 'mine' } })

    const { stdout } = await runCommand(['init', '--force'], { cwd })

    expect(stdout).toContain('Wrote sandbox.setup.js\n')
    expect(await readFile(join(cwd, 'sandbox.setup.js'), 'utf8')).toContain('setupServer')
  })
})

/** A document about which `explain` has warnings. */
const DOUBTFUL = `openapi: 3.1.1
info: { title: 'The "Shop"', version: '1' }
paths:
  /it's:
    get:
      responses: { '200': { description: All, content: { application/json: { schema: { type: array, items: { type: string } } } } } }
    post:
      operationId: add
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: New }, '409': { description: Taken } }
  /pens:
    get:
      responses: { '200': { description: All, content: { application/json: { schema: { type: array, items: { type: object } } } } } }
`

describe('pet-sandbox init with a document', () => {
  test('writes a handlers file and the hints that settle the warnings, and prints how to go on', async () => {
    const cwd = await createProject({
      packages: ['vitest', 'pet-sandbox'],
      files: { 'api.yaml': DOUBTFUL },
      installed: ['msw', 'pet-sandbox'],
    })
    const warnings = await runCommand(['explain', 'api.yaml'], { cwd })

    const { stdout } = await runCommand(['init', 'api.yaml'], { cwd })
    const settled = await runCommand(['explain', 'api.yaml', '--overlay', 'sandbox.overlay.yaml'], {
      cwd,
    })
    const args = ['explain', 'api.yaml', '--overlay', 'sandbox.overlay.yaml', '--diagnostics']
    const diagnostics = await runCommand(args, { cwd })

    expect(warnings.stdout).toContain('To settle it, add to')
    expect(stdout).toMatchInlineSnapshot(`
      "Wrote sandbox.setup.js
      Wrote sandbox.handlers.js
      Wrote sandbox.overlay.yaml

      Next:
        In the Vitest configuration, add: test: { setupFiles: ['./sandbox.setup.js'] }
        To serve the API, run: npx pet-sandbox api.yaml --overlay sandbox.overlay.yaml --handlers sandbox.handlers.js
      "
    `)
    expect(settled.stdout).not.toContain('To settle it')
    expect(diagnostics.stdout).toBe('No mistakes were found in the document.\n')
    expect(await readFile(join(cwd, 'sandbox.handlers.js'), 'utf8')).toMatchInlineSnapshot(`
      "import { defineHandlers } from 'pet-sandbox'

      /**
       * Your own code for operations of the document, by their ids or by method and path. It answers instead of the sandbox.
       * For the exact types of each operation, write defineHandlers<operations>, with the types that this command writes:
       * npx openapi-typescript api.yaml --output api.d.ts
       */
      export default defineHandlers({
        async add({ headers, next, reply }) {
          // A request with the header "X-Refuse" gets the error 409 of the document.
          if (headers['x-refuse'] !== undefined) return reply(409)
          // What the sandbox answers without this code.
          return next()
        },
      })
      "
    `)
    expect(await readFile(join(cwd, 'sandbox.overlay.yaml'), 'utf8')).toMatchInlineSnapshot(`
      "overlay: 1.0.0
      info: { title: "Hints for The \\"Shop\\"", version: "1" }
      actions:
        # nothing describes the records of it's.
        - target: "$.paths['/it\\\\'s']"
          update: { x-sandbox: { resource: false } }
        # nothing describes the records of pens.
        - target: "$.paths['/pens']"
          update: { x-sandbox: { resource: false } }
      "
    `)
    expect(await readFile(join(cwd, 'sandbox.setup.js'), 'utf8')).toContain(
      'loadContract("api.yaml", { overlays: ["sandbox.overlay.yaml"] })',
    )
  })

  test('writes the hints for a collection whose path the document does not have, too', async () => {
    const user = '{ type: object, properties: { id: { type: integer }, name: { type: string } } }'
    const response = `{ description: One., content: { application/json: { schema: ${user} } } }`
    const owner = '{ name: owner, in: path, required: true, schema: { type: string } }'
    const text = `openapi: 3.1.0\ninfo: { title: Users, version: '1' }\npaths:\n  /users/{owner}: { get: { operationId: getUser, parameters: [${owner}], responses: { '200': ${response} } } }\n`
    const cwd = await createProject({ packages: ['vitest'], files: { 'api.yaml': text } })
    const args = ['explain', 'api.yaml', '--overlay', 'sandbox.overlay.yaml']

    const { stdout } = await runCommand(['explain', 'api.yaml'], { cwd })
    await runCommand(['init', 'api.yaml'], { cwd })
    const settled = await runCommand(args, { cwd })
    const diagnostics = await runCommand([...args, '--diagnostics'], { cwd })

    expect(stdout).toContain(
      'To settle it, add to the document: x-sandbox: { resources: { /users: { id: name } } }\n',
    )
    expect(settled.stdout).not.toContain('To settle it')
    expect(diagnostics.stdout).toBe('No mistakes were found in the document.\n')
  })

  test('writes no overlay without warnings', async () => {
    const cwd = await createProject({
      files: { 'parcels.yaml': await readFile('src/testing/guide/examples/parcels.yaml', 'utf8') },
    })

    await runCommand(['init', 'parcels.yaml'], { cwd })

    expect(await filesIn(cwd)).toEqual(['parcels.yaml', 'sandbox.handlers.js', 'sandbox.setup.js'])
  })

  test('keeps handlers and hints that the developer has changed, except with --force', async () => {
    const cwd = await createProject({ files: { 'api.yaml': DOUBTFUL } })
    await runCommand(['init', 'api.yaml'], { cwd })
    await writeFile(join(cwd, 'sandbox.handlers.js'), 'export default {}\n')
    await writeFile(join(cwd, 'sandbox.overlay.yaml'), 'overlay: 1.0.0\nactions: []\n')

    const again = await runCommand(['init', 'api.yaml', '--runner', 'playwright'], { cwd })
    const kept = await readFile(join(cwd, 'sandbox.handlers.js'), 'utf8')
    const forced = await runCommand(['init', 'api.yaml', '--force'], { cwd })

    expect(again.stdout).toMatch(
      /^Wrote sandbox\.fixture\.js\nKept sandbox\.handlers\.js\nKept sandbox\.overlay\.yaml\n/,
    )
    expect(kept).toBe('export default {}\n')
    expect(forced.stdout).toContain('Wrote sandbox.handlers.js\nWrote sandbox.overlay.yaml\n')
  })

  test('steers a sandbox beside the tests in Cypress, without MSW', async () => {
    const cwd = await createProject({
      packages: ['cypress', 'typescript', 'pet-sandbox'],
      files: { 'api.yaml': DOUBTFUL },
      installed: [],
    })

    const { stdout } = await runCommand(['init', 'api.yaml'], { cwd })

    expect(stdout).toMatchInlineSnapshot(`
      "Wrote cypress/support/sandbox.ts
      Wrote sandbox.handlers.ts
      Wrote sandbox.overlay.yaml

      Next:
        In cypress/support/e2e, add: import { sandbox } from './sandbox'
        Run the sandbox beside the tests, with the origin of your page:
          npx pet-sandbox api.yaml --overlay sandbox.overlay.yaml --handlers sandbox.handlers.ts --control-origin http://localhost:3000
        To serve the API, run: npx pet-sandbox api.yaml --overlay sandbox.overlay.yaml --handlers sandbox.handlers.ts
      "
    `)
    expect(await readFile(join(cwd, 'cypress/support/sandbox.ts'), 'utf8')).toContain(
      "createClient('http://127.0.0.1:4010')",
    )
  })

  test('prints how to keep the compiled contract up to date', async () => {
    const cwd = await createProject({
      packages: ['storybook', 'pet-sandbox'],
      files: { 'api.yaml': DOUBTFUL, 'public/.keep': '' },
    })

    const { stdout } = await runCommand(['init', 'api.yaml'], { cwd })

    const compile =
      'npx pet-sandbox compile api.yaml --overlay sandbox.overlay.yaml --output .storybook/contract.js'
    expect(stdout).toContain(`  ${compile}\n`)
    expect(stdout).toContain(`keep the module up to date: ${compile} --watch\n`)
    expect(stdout).toContain(`In CI, check that it is: ${compile} --check\n`)
  })
})

describe('init ends with one line for', () => {
  test.each<[what: string, parts: ProjectParts, args: string[], message: string]>([
    [
      'an existing file',
      { files: { 'public/index.html': '', 'sandbox.setup.js': 'mine' } },
      [],
      'Cannot write sandbox.setup.js: the file exists already. Use --force to overwrite it.',
    ],
    [
      'another existing worker script',
      { files: { 'public/mockServiceWorker.js': 'mine' } },
      [],
      'Cannot write public/mockServiceWorker.js: the file exists already. Use --force to overwrite it.',
    ],
    [
      'a project without msw',
      { installed: [] },
      [],
      'Cannot set up the project: msw is not installed in <cwd>. Run "npm install --save-dev msw" first.',
    ],
    [
      'an unknown runner',
      {},
      ['--runner', 'vitst'],
      'Cannot set up the test runner: unknown test runner "vitst". Did you mean "vitest"?',
    ],
    [
      'a project without a runner, without a terminal',
      { packages: ['react'] },
      [],
      'Cannot detect the test runner: package.json lists no known test runner. Name one with --runner: vitest, jest, playwright, cypress, storybook, browser.',
    ],
    [
      'pages without a public folder',
      {},
      ['--runner', 'browser'],
      'Cannot write the worker script: there is no folder "public" or "static". Name the folder with --public-dir.',
    ],
    [
      'a package.json that is not valid JSON',
      { files: { 'package.json': '{' } },
      [],
      'Cannot read <cwd>/package.json: the file is not valid JSON. Correct it first.',
    ],
  ])('%s, and writes nothing', async (_what, parts, args, message) => {
    const cwd = await createProject(parts)
    const before = await filesIn(cwd)

    const { code, stdout, stderr } = await runCommand(['init', ...args], { cwd })

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(`pet-sandbox: ${message.replace('<cwd>', cwd)}\n`)
    expect(await filesIn(cwd)).toEqual(before)
  })

  const folder = useTemporaryDirectory()

  test('a folder without package.json', async () => {
    const { code, stderr } = await runCommand(['init'], { cwd: folder() })

    expect(code).toBe(2)
    expect(stderr).toBe(
      `pet-sandbox: Cannot set up the project: there is no package.json in ${folder()}. Run this command in the folder of package.json, or run "npm init" first.\n`,
    )
  })
})

/** The part of Playwright that the fixture uses, and a page that sends a request to the sandbox. */
const PLAYWRIGHT = `
export const expect = undefined
export const test = { extend: (fixtures) => fixtures }
`
const PLAYWRIGHT_PAGE = `
import { test } from './sandbox.fixture.js'

const page = { route: async (...route) => { page.routed = route } }
const request = {
  url: () => 'https://api.example.com/v1/pets',
  method: () => 'POST',
  allHeaders: async () => ({ authorization: 'Bearer sk_sandbox_free', 'content-type': 'application/json' }),
  postDataBuffer: () => Buffer.from('{"name":"Rex","categoryId":1}'),
}
const [use] = test.sandbox
await use({ page }, async (sandbox) => {
  const [matches, answer] = page.routed
  const fulfill = async ({ status, headers, body }) => console.log(status, headers.location, String(body))
  await answer({ request: () => request, fulfill })
  console.log(matches(new URL(request.url())), matches(new URL('https://api.example.com/index.html')))
  console.log(sandbox.journal.exchanges.length)
})
`

async function installPlaywrightStub(cwd: string): Promise<void> {
  const stub = join(cwd, 'node_modules/@playwright/test')
  await mkdir(stub, { recursive: true })
  await writeFile(join(stub, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
  await writeFile(join(stub, 'index.js'), PLAYWRIGHT)
}

describe('a file that init writes', () => {
  test('answers the requests of a page in Playwright', async () => {
    const cwd = await createProject({
      files: { 'page.js': PLAYWRIGHT_PAGE },
      installed: ['msw', 'pet-sandbox'],
    })
    await installPlaywrightStub(cwd)
    await runCommand(['init', '--runner', 'playwright'], { cwd })

    const { stdout } = await run(process.execPath, ['page.js'], { cwd })

    expect(stdout.split('\n')).toEqual([
      '201 https://api.example.com/v1/pets/51 {"id":51,"name":"Rex","categoryId":1,"status":"available"}',
      'true false',
      '1',
      '',
    ])
  })

  test('passes the bytes of requests and responses in Playwright', async () => {
    const page = PLAYWRIGHT_PAGE.replace(/Buffer\.from\(.*\)/, 'BYTES')
      .replace(
        'console.log(status, headers.location, String(body))',
        'console.log(BYTES.equals(body))',
      )
      .replace(
        'const [matches',
        'sandbox.fetch = async (sent) => new Response(await sent.arrayBuffer())\n  const [matches',
      )
    const cwd = await createProject({
      files: { 'page.js': `const BYTES = Buffer.from([0, 255, 254, 128, 10])\n${page}` },
      installed: ['msw', 'pet-sandbox'],
    })
    await installPlaywrightStub(cwd)
    await runCommand(['init', '--runner', 'playwright'], { cwd })

    const { stdout } = await run(process.execPath, ['page.js'], { cwd })

    expect(stdout).toMatch(/^true\n/)
  })

  test.each(['reset', 'empty', 'truncated'])(
    'makes the fault %s a network error of the page in Playwright',
    async (fault) => {
      const page = PLAYWRIGHT_PAGE.replace(
        'const [matches',
        `sandbox.force({ fault: '${fault}' })\n  const [matches`,
      ).replace('fulfill })', "fulfill, abort: async (code) => console.log('aborted', code) })")
      const cwd = await createProject({
        files: { 'page.js': page },
        installed: ['msw', 'pet-sandbox'],
      })
      await installPlaywrightStub(cwd)
      await runCommand(['init', '--runner', 'playwright'], { cwd })

      const { stdout } = await run(process.execPath, ['page.js'], { cwd })

      expect(stdout.split('\n')[0]).toBe('aborted connectionreset')
    },
  )

  test('imports the compiled module of a document in Jest, which cannot load what reads documents', async () => {
    const cwd = await createProject({
      packages: ['jest'],
      files: { 'parcels.yaml': await readFile('src/testing/guide/examples/parcels.yaml', 'utf8') },
    })

    const { stdout } = await runCommand(['init', 'parcels.yaml'], { cwd })

    expect(stdout).toContain('npx pet-sandbox compile parcels.yaml --output ./contract.js\n')
    const file = await readFile(join(cwd, 'sandbox.setup.js'), 'utf8')
    expect(file).toContain(`import { contract } from './contract.js'`)
    expect(file).not.toContain('pet-sandbox/load')
  })

  test('has a name that makes it a module where package.json does not', async () => {
    const cwd = await createProject({
      packages: ['jest', '@playwright/test', 'vitest'],
      files: { 'parcels.yaml': await readFile('src/testing/guide/examples/parcels.yaml', 'utf8') },
      isCommonJs: true,
    })

    const { stdout } = await runCommand(['init', 'parcels.yaml', '--runner', 'jest'], { cwd })
    await runCommand(['init', 'parcels.yaml', '--runner', 'playwright'], { cwd })
    await runCommand(['init', 'parcels.yaml', '--runner', 'vitest'], { cwd })

    expect(stdout).toContain('compile parcels.yaml --output ./contract.mjs\n')
    expect(stdout).toContain('<rootDir>/sandbox.setup.mjs')
    expect(stdout).toContain('Name tests that import it *.mjs, or add "type": "module"')
    expect(stdout).toContain('--handlers sandbox.handlers.mjs\n')
    expect(await filesIn(cwd)).toEqual([
      'parcels.yaml',
      'sandbox.fixture.mjs',
      'sandbox.handlers.mjs',
      'sandbox.setup.js',
      'sandbox.setup.mjs',
    ])
    const file = await readFile(join(cwd, 'sandbox.setup.js'), 'utf8')
    expect(file).toContain(`import handlers from './sandbox.handlers.mjs'`)
  })

  test('of a document compiles in strict mode', async () => {
    const cwd = await createStrictProject({
      'parcels.yaml': await readFile('src/testing/guide/examples/parcels.yaml', 'utf8'),
    })
    const runners = ['vitest', 'storybook', 'browser'].flatMap((runner) => ['--runner', runner])
    const { stdout: steps } = await runCommand(
      ['init', 'parcels.yaml', '--public-dir', 'public', ...runners],
      { cwd },
    )
    const commands = steps.match(/(?<=^ {2}npx pet-sandbox ).+/gm) ?? []
    for (const command of commands) await runCommand(command.split(' '), { cwd })

    expect(commands).toEqual([
      'compile parcels.yaml --output .storybook/contract.js',
      'compile parcels.yaml --output src/contract.js',
    ])
    expect(await compileProject(cwd)).toBe('')
  }, 30_000)

  test('compiles in strict mode', async () => {
    const cwd = await createStrictProject({})
    const runners = ['vitest', 'storybook', 'browser'].flatMap((runner) => ['--runner', runner])
    await runCommand(['init', '--public-dir', 'public', ...runners], { cwd })

    expect(await compileProject(cwd)).toBe('')
  }, 30_000)
})

/** A project whose files are compiled in strict mode. */
function createStrictProject(files: Readonly<Record<string, string>>): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  }
  const include = ['*.ts', 'src', '.storybook']
  return createProject({
    files: { ...files, 'tsconfig.json': JSON.stringify({ compilerOptions, include }) },
    installed: ['msw', 'vitest', 'pet-sandbox', '@types/node', 'undici-types'],
  })
}

async function compileProject(cwd: string): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    [resolve('node_modules/typescript/bin/tsc'), '-p', '.'],
    { cwd },
  ).catch((failure: { stdout: string }) => failure)

  return stdout
}
