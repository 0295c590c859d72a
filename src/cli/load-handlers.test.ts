import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { runCommand, type StartedCommand, startCommand, stopCommands } from '../testing/command.ts'
import { hidePackage } from '../testing/module-hooks.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const BIN = resolve('bin/pet-sandbox.js')
const MERGED = 'exec "$0" "$@" 2>&1'
const SHOP = `openapi: 3.1.1
info: { title: Shop, version: '1' }
paths:
  /books:
    get:
      operationId: listBooks
      responses: { '200': { description: All, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } } } }
    post:
      operationId: createBook
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
      responses: { '201': { description: New, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } } }
  /price:
    get:
      operationId: getPrice
      responses: { '200': { description: It, content: { application/json: { schema: { type: object, required: [price], properties: { price: { type: integer } } } } } } }
components:
  schemas:
    Book: { type: object, properties: { id: { type: integer, readOnly: true }, title: { type: string } } }
`
const HANDLERS = `import { defineHandlers } from 'pet-sandbox'
import { price } from './lib/price.mjs'
export default defineHandlers({
  getPrice: ({ reply }) => reply(200, { price }),
})
`

const folder = useTemporaryDirectory()

afterEach(stopCommands)

function write(file: string, text: string): Promise<void> {
  return writeFile(join(folder(), file), text)
}

async function start(...args: readonly string[]): Promise<StartedCommand> {
  await write('shop.yaml', SHOP)
  await mkdir(join(folder(), 'own/lib'), { recursive: true })
  await write('own/price.mjs', HANDLERS)
  await write('own/lib/price.mjs', 'export const price = 1\n')
  const all = ['shop.yaml', '--handlers', 'own', '--records', '0', ...args]
  return startCommand(all, {
    cwd: folder(),
    program: ['sh', '-c', MERGED, process.execPath, BIN],
  })
}

async function read({ base }: StartedCommand, path: string): Promise<unknown> {
  return (await fetch(base + path)).json()
}

describe('with --handlers', () => {
  test('the server calls the handlers of a folder, and --watch loads them and what they import again', async () => {
    const server = await start('--watch')
    await fetch(`${server.base}/books`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"title":"Mine"}',
    })

    expect(await read(server, '/price')).toEqual({ price: 1 })
    await write('own/lib/price.mjs', 'export const price = 2\n')
    await server.waitForOutput(/Reloaded/)
    expect(await read(server, '/price')).toEqual({ price: 2 })
    await write('own/lib/price.mjs', '\nexport const price = (\n')
    await server.waitForOutput(
      /Cannot load the handlers of own\/price\.mjs: .* \(own\/lib\/price\.mjs:\d\)\. The last good/,
    )
    await write('own/price.mjs', HANDLERS.replace('getPrice', 'getPrices'))
    await write('own/lib/price.mjs', 'export const price = 3\n')
    await server.waitForOutput(
      /unknown operation "getPrices" \(own\/price\.mjs:4\)\. Did you mean "getPrice"\? The last good/,
    )
    expect(await read(server, '/price')).toEqual({ price: 2 })
    expect(await read(server, '/books')).toEqual([{ id: 1, title: 'Mine' }])
  })

  test('an error of what a handler has started is logged, and the server goes on', async () => {
    await write('shop.yaml', SHOP)
    await write(
      'own.mjs',
      `const fail = () => { throw new Error('no paper') }
const starts = {
  promise: async () => fail(),
  tick: () => process.nextTick(fail),
  microtask: () => queueMicrotask(fail),
  timeout: () => setTimeout(fail),
}
export default {
  getPrice: ({ reply, headers }) => {
    starts[headers['x-start']]?.()
    return reply(200, { price: 1 })
  },
}`,
    )
    const server = await startCommand(['shop.yaml', '--handlers', 'own.mjs'], {
      cwd: folder(),
      program: ['sh', '-c', MERGED, process.execPath, BIN],
    })

    for (const [at, start] of ['promise', 'tick', 'microtask', 'timeout'].entries()) {
      await fetch(`${server.base}/price`, { headers: { 'X-Start': start } })
      await server.waitForOutput(
        new RegExp(`(a handler has started failed. Error: no paper\n.*own.mjs:\\d[^]*){${at + 1}}`),
      )
    }
    expect(await read(server, '/price')).toEqual({ price: 1 })
  })

  test('what a handler throws is logged once, and an answer that is not allowed is sent', async () => {
    await write('shop.yaml', SHOP)
    await write(
      'own.mjs',
      `export default {
  getPrice: ({ reply }) => reply(200, { price: 'much' }),
  listBooks: () => { throw new Error('no paper') },
}`,
    )
    const server = await startCommand(['shop.yaml', '--handlers', 'own.mjs'], {
      cwd: folder(),
      program: ['sh', '-c', MERGED, process.execPath, BIN],
    })

    for (let times = 0; times < 2; times += 1) {
      expect(await read(server, '/price')).toEqual({ price: 'much' })
      expect((await fetch(`${server.base}/books`)).status).toBe(500)
    }
    const output = await server.waitForOutput(/no paper\n.*own\.mjs:\d+:\d+/)
    expect(output.match(/ {4}at /)).toHaveLength(1)
    expect(output.match(/Cannot use the answer of the handler of getPrice/g)).toHaveLength(1)
  })

  test('the TypeScript files of a folder are loaded, with what they import from it', async () => {
    await write('shop.yaml', SHOP)
    await mkdir(join(folder(), 'own'))
    await write('own/helper.ts', 'export const price: number = 7\n')
    await write(
      'own/own.ts',
      `import { price } from './helper.ts'
export default { getPrice: ({ reply }: { reply: Function }) => reply(200, { price }) }
`,
    )
    const server = await startCommand(['shop.yaml', '--handlers', 'own'], { cwd: folder() })

    expect(await read(server, '/price')).toEqual({ price: 7 })
  })

  test('a mistake in a file that a TypeScript file imports names that file', async () => {
    await write('shop.yaml', SHOP)
    await write('helper.ts', '\nthrow new Error("no paper")\n')
    await write('own.ts', 'import "./helper.ts"\nexport default {}\n')

    const { stderr } = await runCommand(['shop.yaml', '--handlers', 'own.ts'], { cwd: folder() })

    expect(stderr).toContain('no paper (helper.ts:2).')
  })

  test.runIf(!Reflect.get(process.features, 'typescript'))(
    'a TypeScript file needs jiti where Node does not run TypeScript',
    async () => {
      await write('shop.yaml', SHOP)
      await write('own.ts', 'export default {}')
      const env = { NODE_OPTIONS: hidePackage('jiti') }

      const { stderr } = await runCommand(['shop.yaml', '--handlers', 'own.ts'], {
        cwd: folder(),
        env,
      })

      expect(stderr).toContain(
        'does not run TypeScript, and the package jiti is not installed. Run: npm install --save-dev jiti',
      )
    },
  )

  test.each([
    ['missing', '', 'Cannot load the handlers of missing: the file does not exist.'],
    ['own.mjs', 'export const a = 1', 'it has no default export with handlers'],
    ['own.mjs', 'throw new Error("no paper")', 'no paper (own.mjs:1).'],
    ['own.mjs', '\n\nexport default {', '(own.mjs:3).'],
    [
      'own.mjs',
      '\nexport default { getPrice: 7 }',
      'getPrice must be a function (got 7) (own.mjs:2).',
    ],
  ])('the file %s with %j is a mistake of one line', async (file, text, message) => {
    await write('shop.yaml', SHOP)
    if (text) await write(file, text)

    const { code, stderr } = await runCommand(['shop.yaml', '--handlers', file], { cwd: folder() })

    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
