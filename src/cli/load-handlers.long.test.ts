import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { runCommand, type StartedCommand, startCommand, stopCommands } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const BIN = resolve('bin/pet-sandbox.js')
const MERGED = 'exec "$0" "$@" 2>&1'

/** The turns of the thread that ends loops take a tenth of their time: a loop takes a processor for half a second instead of five. */
const QUICK_TURNS = `const { isMainThread } = require('node:worker_threads')
if (!isMainThread) {
  const start = setInterval
  globalThis.setInterval = (act, delay) => start(act, delay / 10)
}
`
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

const folder = useTemporaryDirectory()

afterEach(stopCommands)

function write(file: string, text: string): Promise<void> {
  return writeFile(join(folder(), file), text)
}

/** Starts the command with quick turns. Its outputs are merged. */
async function start(...args: string[]): Promise<StartedCommand> {
  await write('quick.cjs', QUICK_TURNS)
  return startCommand(['shop.yaml', '--handlers', 'own.mjs', ...args], {
    cwd: folder(),
    program: ['sh', '-c', MERGED, process.execPath, '--require', './quick.cjs', BIN],
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
    const server = await start('--records', '0')

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
      `import { readFile } from 'node:fs'
      import { setImmediate } from 'node:timers'
      import { setTimeout as wait } from 'node:timers/promises'
      const loop = () => {
        for (;;);
      }
      const again = () => process.nextTick(again)
      const starts = {
        timeout: (act) => setTimeout((call) => call(), 1, act),
        interval: (act) => { const timer = setInterval(() => { clearInterval(timer); act() }, 1) },
        immediate: (act) => setImmediate(act),
        tick: (act) => process.nextTick(act),
        microtask: (act) => queueMicrotask(act),
        promise: (act) => void wait(1).then(act),
        // Long after the handler has started.
        late: (act) => void wait(6000).then(act),
        file: (act) => readFile('missing.txt', act),
      }
      export default {
        getPrice: ({ reply, headers, afterCommit }) => {
          const start = headers['x-start']
          if (start === 'commit') afterCommit(loop)
          if (start === 'again') again()
          starts[start]?.(loop)
          return reply(200, { price: 1 })
        },
      }
      setInterval(() => undefined, 1000)`,
    )
    const server = await start()
    const ended = (count: number, line = 5): Promise<unknown> =>
      server.waitForOutput(
        new RegExp(`(own.mjs:${line} was ended: it ran for more than 5 seconds.[^]*){${count}}`),
      )

    const send = (start: string): Promise<unknown> =>
      fetch(`${server.base}/price`, { headers: { 'X-Start': start } })

    for (const [at, start] of [
      ...['timeout', 'interval', 'immediate', 'tick', 'microtask'],
      ...['promise', 'late', 'file', 'commit'],
    ].entries()) {
      await send(start)
      await ended(at + 1)
    }
    await send('again')
    await ended(1, 7)
    expect(await read(server, '/price')).toEqual({ price: 1 })

    // The interval does not keep the process.
    expect(await server.stop()).toMatchObject({ code: 0 })
  }, 120_000)

  test('the server ends no other work that takes long', async () => {
    await write('shop.yaml', SHOP)
    await mkdir(join(folder(), 'node_modules/slow'), { recursive: true })
    await write('node_modules/slow/package.json', '{ "type": "module", "exports": "./slow.js" }')
    await write(
      'node_modules/slow/slow.js',
      `export const slow = { price: 0 }
      export const start = () => setTimeout(() => {
        const end = Date.now() + 1000
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
    const server = await start()

    expect(await read(server, '/price')).toEqual({ price: 0 })
    expect(await read(server, '/price')).toEqual({ price: 1 })
  }, 60_000)

  test.each([
    ['helper.mjs', 'own.mjs', "import './helper.mjs'\nexport default {}\n"],
    ['helper.ts', 'own.ts', "import './helper.ts'\nexport default {}\n"],
  ])(
    'an endless loop in %s while it is loaded is named',
    async (helper, file, text) => {
      await write('quick.cjs', QUICK_TURNS)
      await write('shop.yaml', SHOP)
      await write(file, text)
      await write(helper, 'let turns = 0\n\nfor (;;) turns += 1\n')

      const { code, stderr } = await runCommand(['shop.yaml', '--handlers', file], {
        cwd: folder(),
        env: { NODE_OPTIONS: '--require ./quick.cjs' },
      })

      expect(code).toBe(2)
      expect(stderr).toBe(
        `pet-sandbox: Cannot load the handlers of ${file}: it still ran after 10 s, as an endless loop does (${helper}:3).\n`,
      )
    },
    60_000,
  )

  test('the last good version goes on after an endless loop while a changed one is loaded', async () => {
    await write('shop.yaml', SHOP)
    const change = async (price: number, more: string): Promise<void> => {
      await write(
        'own.mjs',
        `export default { getPrice: ({ reply }) => reply(200, { price: ${price} }) }\n${more}`,
      )
    }
    await change(1, '')
    const server = await start('--watch')

    await change(2, 'for (;;);\n')
    await server.waitForOutput(/as an endless loop does \(own.mjs:2\)\. The last good version/)
    expect(await read(server, '/price')).toEqual({ price: 1 })
    await change(3, '')
    await server.waitForOutput(/Reloaded/)
    expect(await read(server, '/price')).toEqual({ price: 3 })
  }, 60_000)

  test('a file that waits for ever while it is loaded is named', async () => {
    await write('shop.yaml', SHOP)
    await write('own.mjs', 'await new Promise(() => undefined)\nexport default {}\n')

    const { code, stderr } = await runCommand(['shop.yaml', '--handlers', 'own.mjs'], {
      cwd: folder(),
    })

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot load the handlers of own.mjs: an await outside of functions has not ended within 10 s.\n',
    )
  }, 60_000)
})
