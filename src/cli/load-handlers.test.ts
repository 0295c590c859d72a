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
  test('the server ends an endless loop, answers its request with a 500, and goes on', async () => {
    await write('shop.yaml', SHOP)
    await write(
      'own.mjs',
      `const later = () => new Promise((resolve) => setTimeout(resolve, 50))
      export default [
        {
          getPrice: async ({ reply, headers, records }) => {
            await records('/books').create({ title: 'Half' })
            if (headers['x-loop'] === 'early') for (;;);
            if (headers['x-loop'] === 'late') await later()
            if (headers['x-loop'] === 'late') for (;;);
            return reply(200, { price: 1 })
          },
        },
        { when: 'after', run: ({ headers }) => { if (headers['x-loop'] === 'after') for (;;); } },
      ]`,
    )
    const server = await startCommand(['shop.yaml', '--handlers', 'own.mjs', '--records', '0'], {
      cwd: folder(),
    })

    for (const loop of ['early', 'late', 'after']) {
      const response = await fetch(`${server.base}/price`, { headers: { 'X-Loop': loop } })
      expect(response.status).toBe(500)
      expect(await response.text()).toContain('It did not answer within 5 seconds.')
    }
    expect(await read(server, '/books')).toEqual([])
    expect(await read(server, '/price')).toEqual({ price: 1 })
  }, 60_000)

  test('the server ends an endless loop in what a handler has started, says so, and goes on', async () => {
    await write('shop.yaml', SHOP)
    await write(
      'own.mjs',
      `import { setImmediate } from 'node:timers'
      export default {
        getPrice: ({ reply, headers, afterCommit }) => {
          if (headers['x-timer'] === 'commit') afterCommit(() => { for (;;); })
          if (headers['x-timer'] === 'loop') setTimeout((end) => { for (;!end;); }, 1, false)
          if (headers['x-timer'] === 'next') setImmediate(() => { for (;;); })
          if (headers['x-timer'] === 'throw') setTimeout(() => { throw new Error('No price.') })
          return reply(200, { price: 1 })
        },
      }`,
    )
    const server = await startCommand(['shop.yaml', '--handlers', 'own.mjs'], {
      cwd: folder(),
      program: ['sh', '-c', MERGED, process.execPath, BIN],
    })
    const send = (timer: string): Promise<unknown> =>
      fetch(`${server.base}/price`, { headers: { 'X-Timer': timer } })

    await send('throw')
    await server.waitForOutput(/started at own.mjs:7 failed. Error: No price./)
    await send('loop')
    await server.waitForOutput(/started at own.mjs:5 was ended. It ran for more than 5 seconds./)
    await send('next')
    await server.waitForOutput(/started at own.mjs:6 was ended./)
    await send('commit')
    await server.waitForOutput(/What a handler does after the commit was ended./)
    expect(await read(server, '/price')).toEqual({ price: 1 })
  }, 60_000)

  test('the server ends no other work that takes long', async () => {
    await write('shop.yaml', SHOP)
    await mkdir(join(folder(), 'node_modules/slow'), { recursive: true })
    await write('node_modules/slow/package.json', '{ "type": "module", "exports": "./slow.js" }')
    await write(
      'node_modules/slow/slow.js',
      `export const slow = { price: 0 }
      export const start = () => setTimeout(() => {
        const end = Date.now() + 5800
        while (Date.now() < end);
        slow.price = 1
      })`,
    )
    await write(
      'own.mjs',
      `import { slow, start } from 'slow'
      let started
      export default {
        getPrice: ({ reply }) => {
          started ??= start()
          return reply(200, { price: slow.price })
        },
      }`,
    )
    const server = await startCommand(['shop.yaml', '--handlers', 'own.mjs'], { cwd: folder() })

    expect(await read(server, '/price')).toEqual({ price: 0 })
    expect(await read(server, '/price')).toEqual({ price: 1 })
  }, 60_000)

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
    const output = await server.waitForOutput(/no paper\n.*own\.mjs/)
    expect(output.match(/ {4}at /)).toHaveLength(1)
    expect(output.match(/Cannot use the answer of the handler of getPrice/g)).toHaveLength(1)
  })

  test('a TypeScript file is loaded, with what it imports', async () => {
    await write('shop.yaml', SHOP)
    await write('helper.ts', 'export const price: number = 7\n')
    await write(
      'own.ts',
      `import { price } from './helper.ts'
export default { getPrice: ({ reply }: { reply: Function }) => reply(200, { price }) }
`,
    )
    const server = await startCommand(['shop.yaml', '--handlers', 'own.ts'], { cwd: folder() })

    expect(await read(server, '/price')).toEqual({ price: 7 })
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
