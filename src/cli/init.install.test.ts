import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findBrowser } from '../testing/browser.ts'
import { runCommand } from '../testing/command.ts'
import { createProject } from '../testing/npm-project.ts'

const run = promisify(execFile)

const PETS_TEST = `
import { sandbox } from 'pet-sandbox/msw'
import { expect, test } from 'vitest'

const headers = { Authorization: 'Bearer sk_sandbox_free' }

test('the sandbox answers', async () => {
  await sandbox.collection('pets').remove(1)
  const response = await fetch('https://api.example.com/v1/pets/1', { headers })
  expect(response.status).toBe(404)
})

test('every test starts with a new state', async () => {
  const response = await fetch('https://api.example.com/v1/pets/1', { headers })
  expect(response.status).toBe(200)
})

test('an unhandled request is an error', async () => {
  await expect(fetch('https://api.example.com/v1/horses')).rejects.toThrow()
})
`

const PARCELS_TEST = `
import { expect, test } from 'vitest'

test('the sandbox of the document answers', async () => {
  const headers = { 'X-Api-Key': 'my-key' }
  const response = await fetch('https://api.example.com/v2/parcels', { headers })

  expect(response.status).toBe(200)
})
`

/** A document about which `explain` has warnings. */
const SHOP = `openapi: 3.1.1
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
      responses:
        '201': { description: New, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
        '409': { description: Taken, content: { application/json: { schema: { type: object, properties: { error: { type: string } } } } } }
  /tags:
    get:
      responses: { '200': { description: All, content: { application/json: { schema: { type: array, items: { type: object } } } } } }
  /files:
    post:
      operationId: sendFile
      requestBody: { content: { application/octet-stream: {} } }
      responses: { '200': { description: The same bytes, content: { application/octet-stream: {} } } }
components:
  schemas:
    Order: { type: object, required: [label], properties: { id: { type: integer, readOnly: true }, label: { type: string } } }
`

const SHOP_TEST = `
import { expect, test } from 'vitest'
import { sandbox } from './sandbox.setup'

const send = (headers) => fetch('https://api.example.com/v3/orders', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify({ label: 'mine' }),
})

test('the sandbox answers with the handlers that init wrote', async () => {
  const created = await send()
  const refused = await send({ 'X-Refuse': 'yes' })
  expect([created.status, refused.status]).toEqual([201, 409])
  expect(await created.json()).toMatchObject({ label: 'mine' })
})

test('the hints of the overlay hold', () => {
  expect(sandbox.collections).toEqual(['orders'])
})
`

/** Playwright's \`test\` as the fixture extends it. */
const PLAYWRIGHT =
  'export const expect = undefined\nexport const test = { extend: (fixtures) => fixtures }\n'

/** Runs the fixture with two pages of a browser, as Playwright runs it for two tests. */
const IN_BROWSER = `
import { chromium } from 'playwright-core'
import { test } from './sandbox.fixture.js'

const [executablePath] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const [use] = test.sandbox
for (const label of ['one', 'two']) {
  const page = await browser.newPage()
  await page.route('https://api.example.com/', (route) => route.fulfill({ contentType: 'text/html', body: '<p>' }))
  await use({ page }, async (sandbox) => {
    let sent
    sandbox.use({
      sendFile: ({ rawBody, next }) => {
        sent = rawBody
        return next()
      },
      'GET /orders': async ({ next, reply }) => {
        const { status, body } = await next()
        return reply(status, body, { 'Set-Cookie': ['a=1; Path=/', 'b=2; Path=/'] })
      },
    })
    await page.goto('https://api.example.com/')
    const seen = await page.evaluate(async (label) => {
      const post = (path, type, body) => fetch('/v3' + path, { method: 'POST', headers: { 'Content-Type': type }, body })
      const created = await post('/orders', 'application/json', JSON.stringify({ label }))
      const all = await (await fetch('/v3/orders')).json()
      return [created.status, all.filter((order) => ['one', 'two'].includes(order.label)).map((order) => order.label)]
    }, label)
    await page.evaluate(async () => {
      const body = new Uint8Array(256).map((_, at) => at)
      await fetch('/v3/files', { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body })
    })
    console.log(JSON.stringify(seen), sent.length === 256 && sent.every((byte, at) => byte === at), await page.evaluate('document.cookie'))
  })
  await page.close()
}
await browser.close()
`

describe('a file that init writes', () => {
  test.each([['js'], ['ts']])('runs in Vitest with handlers and hints, as .%s', async (ending) => {
    const cwd = await createProject({
      files: {
        'api.yaml': SHOP,
        'shop.test.js': SHOP_TEST.replace('sandbox.setup', `sandbox.setup.${ending}`),
        'vitest.config.js': `export default { test: { setupFiles: ['./sandbox.setup.${ending}'] } }`,
        ...(ending === 'ts' && { 'tsconfig.json': '{}' }),
      },
      installed: ['msw', 'vitest', 'pet-sandbox'],
    })
    const { stdout: written } = await runCommand(['init', 'api.yaml'], { cwd })

    const { stdout } = await run(
      process.execPath,
      [resolve('node_modules/vitest/vitest.mjs'), 'run', '--reporter=json'],
      { cwd },
    )

    expect(written).toContain('Wrote sandbox.overlay.yaml\n')
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 2, numFailedTests: 0 })
  })

  test("gives each test a world of its own in Chromium, with Playwright's pages", async () => {
    const cwd = await createProject({
      packages: ['@playwright/test'],
      files: {
        'api.yaml': SHOP,
        'run.js': IN_BROWSER,
        'stub/package.json': '{ "type": "module", "exports": "./index.js" }',
        'stub/index.js': PLAYWRIGHT,
      },
      installed: ['playwright-core', 'pet-sandbox'],
    })
    await mkdir(join(cwd, 'node_modules/@playwright'))
    await symlink(join(cwd, 'stub'), join(cwd, 'node_modules/@playwright/test'))
    await runCommand(['init', 'api.yaml'], { cwd })

    const { stdout } = await run(process.execPath, ['run.js', findBrowser() ?? ''], { cwd })

    expect(stdout).toMatchInlineSnapshot(`
      "[201,["one"]] true a=1; b=2
      [201,["two"]] true a=1; b=2
      "
    `)
  })

  test.each([['js'], ['ts']])('runs in Vitest, as .%s', async (ending) => {
    const cwd = await createProject({
      files: {
        'pets.test.js': PETS_TEST,
        'vitest.config.js': `export default { test: { setupFiles: ['./sandbox.setup.${ending}'] } }`,
        ...(ending === 'ts' && { 'tsconfig.json': '{}' }),
      },
      installed: ['msw', 'vitest', 'pet-sandbox'],
    })
    await runCommand(['init'], { cwd })

    const { stdout } = await run(
      process.execPath,
      [resolve('node_modules/vitest/vitest.mjs'), 'run', '--reporter=json'],
      { cwd },
    )

    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 3, numFailedTests: 0 })
  })

  test.each([['js'], ['ts']])('runs in Vitest with a document, as .%s', async (ending) => {
    const cwd = await createProject({
      files: {
        "it's.yaml": await readFile('src/testing/guide/examples/parcels.yaml', 'utf8'),
        'parcels.test.js': PARCELS_TEST,
        'vitest.config.js': `export default { test: { setupFiles: ['./sandbox.setup.${ending}'] } }`,
        ...(ending === 'ts' && { 'tsconfig.json': '{}' }),
      },
      installed: ['msw', 'vitest', 'pet-sandbox'],
    })
    await runCommand(['init', "it's.yaml"], { cwd })

    const { stdout } = await run(
      process.execPath,
      [resolve('node_modules/vitest/vitest.mjs'), 'run', '--reporter=json'],
      { cwd },
    )

    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 })
  })
})
