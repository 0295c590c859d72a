import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findBrowser } from '../testing/browser.ts'
import { runCommand } from '../testing/command.ts'
import { installOnDemand } from '../testing/install-on-demand.mjs'
import { createProject } from '../testing/npm-project.ts'

const run = promisify(execFile)

const API = `openapi: 3.1.1
info: { title: Shop, version: '1' }
servers: [{ url: https://api.example.com/v3 }]
paths:
  /orders:
    get:
      operationId: listOrders
      responses: { '200': { description: All, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Order' } } } } } }
    post:
      operationId: createOrder
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
      responses: { '201': { description: New, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } } }
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: One, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }, '404': { description: None } }
components:
  schemas:
    Order: { type: object, required: [label], properties: { id: { type: integer, readOnly: true }, label: { type: string } } }
`

const ORDERS_TEST = `
const send = (path, body) => fetch('https://api.example.com/v3' + path, {
  ...(body && { method: 'POST', body: JSON.stringify(body) }),
  headers: { 'Content-Type': 'application/json' },
})

test('the sandbox answers', async () => {
  const { id, label } = await (await send('/orders', { label: 'mine' })).json()
  expect(label).toBe('mine')
  expect((await send('/orders/' + id)).status).toBe(200)
  globalThis.created = id
})

test('every test starts with the same records', async () => {
  expect((await send('/orders/' + globalThis.created)).status).toBe(404)
})
`

const STEERED_TEST = `
import { sandbox } from './SETUP'

test('a test steers the sandbox', async () => {
  sandbox.force({ operation: 'listOrders', status: 503 })
  expect((await fetch('https://api.example.com/v3/orders')).status).toBe(503)
})
`

/** A story that shows what it fetches. */
const STORIES = `export default { title: 'Orders' }
export const List = {
  loaders: [async () => ({ orders: await (await fetch('https://api.example.com/v3/orders')).json() })],
  render: (_, { loaded }) => {
    const shown = document.createElement('output')
    shown.textContent = loaded.orders.map(({ id }) => id).join()
    return shown
  },
}
`

const STORYBOOK = {
  storybook: '9.1.21',
  '@storybook/html-vite': '9.1.20',
  vite: '6.4.6',
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  css: 'text/css',
}

/** The first line of the output that matches, without what is before the match. */
function lineIn(output: string, pattern: RegExp): string {
  const found = output.split('\n').flatMap((line) => pattern.exec(line)?.[1] ?? [])
  return found[0] ?? ''
}

describe('what init writes and prints is all that Jest needs', () => {
  test.each([
    ['modules', false, 'steered.test.js'],
    ['CommonJS', true, 'steered.test.mjs'],
  ])('in a project of %s', async (_kind, isCommonJs, steered) => {
    const jest = await installOnDemand('jest', { jest: '30.5.2' })
    const cwd = await createProject({
      packages: ['jest', 'pet-sandbox'],
      files: { 'api.yaml': API, 'orders.test.js': ORDERS_TEST },
      installed: ['msw', 'pet-sandbox'],
      linked: { jest: join(jest, 'node_modules/jest'), '@jest': join(jest, 'node_modules/@jest') },
      isCommonJs,
    })

    const { stdout: steps } = await runCommand(['init', 'api.yaml'], { cwd })
    const compile = lineIn(steps, /^ +npx pet-sandbox (compile .*)/)
    await runCommand(compile.split(' '), { cwd })
    const setting = lineIn(steps, /add: (setupFilesAfterEnv: .*)/)
    await writeFile(join(cwd, 'jest.config.mjs'), `export default { ${setting} }`)
    const setup = lineIn(setting, /<rootDir>\/([^']+)/)
    await writeFile(join(cwd, steered), STEERED_TEST.replace('SETUP', setup))
    const [name = '', value = ''] = lineIn(steps, /Run Jest with (.*)/).split('=')
    const env = { ...process.env, [name]: value }
    const program = join(jest, 'node_modules/jest/bin/jest.js')
    const done = await run(process.execPath, [program, '--testTimeout=60000'], { cwd, env })

    expect(done.stderr).toMatch(/Tests: +3 passed, 3 total/)
  })
})

test.skipIf(!findBrowser())(
  'what init writes and prints is all that a built Storybook needs',
  async () => {
    const installed = await installOnDemand('storybook', STORYBOOK)
    const modules = join(installed, 'node_modules')
    const linked = ['storybook', 'vite', '@storybook'].map((name) => [name, join(modules, name)])
    const cwd = await createProject({
      packages: ['storybook', 'pet-sandbox'],
      files: {
        'api.yaml': API,
        'public/index.html': '',
        'orders.stories.js': STORIES,
        '.storybook/main.js':
          "export default { stories: ['../*.stories.js'], framework: '@storybook/html-vite', staticDirs: ['../public'] }",
      },
      installed: ['msw', 'pet-sandbox'],
      linked: Object.fromEntries(linked),
    })

    const { stdout: steps } = await runCommand(['init', 'api.yaml'], { cwd })
    await runCommand(lineIn(steps, /^ +npx pet-sandbox (compile .*)/).split(' '), { cwd })
    await writeFile(join(cwd, '.storybook/preview.js'), lineIn(steps, /preview, add: (.*)/))
    const env = { ...process.env, CI: '1', STORYBOOK_DISABLE_TELEMETRY: '1' }
    const program = join(modules, 'storybook/bin/index.cjs')
    await run(process.execPath, [program, 'build', '-o', 'out'], { cwd, env })

    const server = createServer(async ({ url = '/' }, response) => {
      const { pathname } = new URL(url, 'http://localhost')
      const file = await readFile(join(cwd, 'out', pathname)).catch(() => undefined)
      const type = TYPES[pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
      response.writeHead(file ? 200 : 404, { 'Content-Type': type }).end(file)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const browser = await chromium.launch({
      executablePath: findBrowser() ?? '',
      args: ['--no-sandbox'],
    })
    const page = await browser.newPage()
    const { port } = Object(server.address())
    await page.goto(`http://127.0.0.1:${port}/iframe.html?id=orders--list&viewMode=story`)
    const shown = await page.locator('output').textContent()
    await browser.close()
    server.close()

    expect(shown).toMatch(/^1,2,3/)
  },
)
