import { execFile } from 'node:child_process'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from '../testing/guide/example-code.ts'
import { installOnDemand } from '../testing/install-on-demand.mjs'
import { createProject } from '../testing/npm-project.ts'

const run = promisify(execFile)

const DOCUMENT = `openapi: 3.1.1
info: { title: Shop, version: '1' }
paths:
  /books:
    get:
      operationId: listBooks
      responses:
        '200':
          description: All
          content: { application/json: { schema: { type: array, items: { $ref: 'schemas.yaml#/Book' } } } }
    post:
      operationId: createBook
      requestBody: { content: { application/json: { schema: { $ref: 'schemas.yaml#/Book' } } } }
      responses:
        '201': { description: New, content: { application/json: { schema: { $ref: 'schemas.yaml#/Book' } } } }
`
const SCHEMAS =
  'Book: { type: object, required: [title], properties: { id: { type: integer, readOnly: true }, title: { type: string } } }\n'
const OVERLAY = `overlay: 1.0.0
info: { title: Hints, version: '1' }
actions: [{ target: $.info, update: { version: from the overlay } }]
`

const FILES = {
  'api.yaml': DOCUMENT,
  'schemas.yaml': SCHEMAS,
  'sandbox.overlay.yaml': OVERLAY,
  'index.html': '<script type="module" src="/main.js"></script>',
  'main.js': `import contract from './api.yaml?sandbox'
import { createSandbox } from 'pet-sandbox'
globalThis.sandbox = createSandbox({ contract, records: 2 })
console.log(contract.title, contract.version, contract.operations.length)
`,
  'vite.config.js': await readFile(`${EXAMPLES}/vite-plugin.config.js`, 'utf8'),
  'vite-import.js': await readFile(`${EXAMPLES}/vite-import.js`, 'utf8'),
  'books.test.js': `import { expect, test } from 'vitest'
import { sandbox } from './vite-import.js'

test('the imported contract is that of the document', async () => {
  const response = await sandbox.fetch(new Request('http://localhost/books'))
  expect(response.status).toBe(200)
  expect(sandbox.contract.version).toBe('from the overlay')
})
`,
}

/** Earlier versions of Vite. The tests use the installed one, too. */
const VITE_PACKAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '6': { vite: '6.4.6', rollup: '4.67.4' },
  '7': { vite: '7.3.8', rollup: '4.67.4' },
}

async function createViteProject(version: string): Promise<string> {
  const packages = VITE_PACKAGES[version]
  const installed = ['pet-sandbox', 'vitest', ...(packages ? [] : ['vite'])]
  const cwd = await createProject({ packages: ['vite', 'vitest'], files: FILES, installed })
  if (packages) {
    const folder = await installOnDemand(`vite-${version}`, packages)
    await symlink(join(folder, 'node_modules/vite'), join(cwd, 'node_modules/vite'))
  }
  return cwd
}

/** The part of Vite that the tests use. */
interface Vite {
  createServer(options: object): Promise<{
    listen(): Promise<unknown>
    close(): Promise<void>
    readonly resolvedUrls: { readonly local: readonly string[] } | null
    readonly ws: { on(event: string, listener: () => void): void }
    readonly environments: {
      readonly client: { readonly hot: { send(...payload: readonly unknown[]): void } }
    }
  }>
  build(options: object): Promise<unknown>
}

async function importVite(cwd: string): Promise<Vite> {
  const file = join(cwd, 'node_modules/vite/dist/node/index.js')
  return import(pathToFileURL(file).href)
}

/** Calls `read` until it resolves with what `isRight` accepts. */
async function eventually<Value>(
  read: () => Promise<Value>,
  isRight: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await read()
    if (isRight(value)) return value
    await new Promise((next) => setTimeout(next, 100))
  }
}

describe.each(['6', '7', '8'])('in Vite %s', (version) => {
  test('the dev server sends the contract, and reloads the page after a change of any file of it', async () => {
    const cwd = await createViteProject(version)
    const { createServer } = await importVite(cwd)
    const server = await createServer({
      root: cwd,
      logLevel: 'silent',
      server: { port: 0, host: '127.0.0.1' },
    })
    onTestFinished(() => server.close())
    await server.listen()
    const base = server.resolvedUrls?.local[0] ?? ''
    const sent: unknown[] = []
    const { hot } = server.environments.client
    const send = hot.send.bind(hot)
    hot.send = (...payload) => {
      sent.push(payload[0])
      send(...payload)
    }
    const main = await (await fetch(`${base}main.js`)).text()
    const url = /from "\/([^"]*pet-sandbox:[^"]*)"/.exec(main)?.[1] ?? ''
    const load = async (): Promise<{ readonly status: number; readonly text: string }> => {
      const response = await fetch(base + url.replace(/\?.*/, ''))
      return { status: response.status, text: await response.text() }
    }

    const first = await load()
    await writeFile(join(cwd, 'schemas.yaml'), SCHEMAS.replaceAll('title', 'subtitle'))
    const second = await eventually(load, ({ text }) => text.includes('subtitle'))
    await writeFile(join(cwd, 'sandbox.overlay.yaml'), OVERLAY.replace('from the', 'from another'))
    const third = await eventually(load, ({ text }) => text.includes('from another'))
    const reloads = sent.length
    await writeFile(join(cwd, 'api.yaml'), 'openapi: [\n')
    const broken = await eventually(load, ({ status }) => status === 500)
    await writeFile(join(cwd, 'api.yaml'), DOCUMENT.replace('title: Shop', 'title: Store'))
    const repaired = await eventually(load, ({ text }) => text.includes('Store'))

    expect([first.status, second.status, third.status, repaired.status]).toEqual(Array(4).fill(200))
    expect(first.text).toContain('"title":"Shop"')
    expect(reloads).toBeGreaterThanOrEqual(2)
    expect(sent).toContainEqual(expect.objectContaining({ type: 'full-reload' }))
    expect(broken.text).toContain('the bracket [ is not closed')
    expect(sent.slice(reloads)).toContainEqual(expect.objectContaining({ type: 'full-reload' }))
  })

  test('the build contains the contract, which needs no eval and no YAML parser', async () => {
    const cwd = await createViteProject(version)
    const { build } = await importVite(cwd)
    await build({
      root: cwd,
      logLevel: 'silent',
      build: { target: 'es2022', minify: false, modulePreload: { polyfill: false } },
    })
    const names = await readdir(join(cwd, 'dist/assets'))
    const entry = names.find((name) => name.startsWith('index')) ?? ''
    const flags = ['--disallow-code-generation-from-strings', '--no-warnings']
    const { stdout } = await run(process.execPath, [...flags, join(cwd, 'dist/assets', entry)])

    expect(stdout).toBe('Shop from the overlay 2\n')
  })
})

describe('with the plugin', () => {
  test('Vitest imports the contract', async () => {
    const cwd = await createViteProject('8')
    const vitest = resolve('node_modules/vitest/vitest.mjs')
    const { stdout } = await run(process.execPath, [vitest, 'run', '--reporter=json'], { cwd })

    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 })
  })

  test('an unknown operation, and a mistake of the document, end the build with the place', async () => {
    const cwd = await createViteProject('8')
    const { build } = await importVite(cwd)
    const config = await readFile(join(cwd, 'vite.config.js'), 'utf8')
    await writeFile(join(cwd, 'api.yaml'), 'openapi: [\n')
    const broken = await build({ root: cwd, logLevel: 'silent' }).catch((error: unknown) => error)
    await writeFile(join(cwd, 'api.yaml'), DOCUMENT)
    await writeFile(
      join(cwd, 'vite.config.js'),
      config.replace('petSandbox({', "petSandbox({ operations: ['listBoks'],"),
    )
    const unknown = await build({ root: cwd, logLevel: 'silent' }).catch((error: unknown) => error)

    expect(String(broken)).toMatch(/the bracket \[ is not closed.*api\.yaml:1:10/s)
    expect(String(unknown)).toContain('Did you mean "listBooks"?')
  })

  test('the types of pet-sandbox/vite/client declare the import', async () => {
    const cwd = await createProject({
      installed: ['pet-sandbox', 'vite'],
      files: {
        'tsconfig.json': JSON.stringify({
          compilerOptions: {
            ...{ module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true },
            ...{ skipLibCheck: true, types: [], lib: ['es2023', 'dom'], target: 'es2023' },
          },
          include: ['*.ts'],
        }),
        'env.d.ts': '/// <reference types="pet-sandbox/vite/client" />\n',
        'main.ts': `import contract from './api.yaml?sandbox'
import { createSandbox } from 'pet-sandbox'
createSandbox({ contract }).force('slow')
const title: number = contract.title
`,
        'vite.config.ts': `import { petSandbox } from 'pet-sandbox/vite'
import { defineConfig } from 'vite'
export default defineConfig({ plugins: [petSandbox({ tags: ['Books'] })] })
`,
      },
    })
    const tsc = resolve('node_modules/typescript5/bin/tsc')
    const result = await run(process.execPath, [tsc, '-p', cwd]).catch(
      (error: { readonly stdout: string }) => error,
    )

    const errors = result.stdout.split('\n').filter((line) => line.includes('error'))
    expect(errors).toEqual([expect.stringContaining("Type 'string' is not assignable")])
  })
})
