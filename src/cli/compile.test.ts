import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { launchCommand, runCommand, stopCommands } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const run = promisify(execFile)
const folder = useTemporaryDirectory()
const BIN = resolve('bin/pet-sandbox.js')
const DOCUMENT = resolve('src/testing/library.yaml')

function compile(...args: readonly string[]): ReturnType<typeof runCommand> {
  return runCommand(['compile', DOCUMENT, ...args], { cwd: folder() })
}

describe('compile', () => {
  test('writes a module that a sandbox uses where code generation from strings is disabled', async () => {
    const { code, stdout } = await compile()
    const script = `
      const { createSandbox } = await import(${JSON.stringify(resolve('dist/index.js'))})
      const { contract } = await import(${JSON.stringify(join(folder(), 'contract.js'))})
      const sandbox = createSandbox({ contract, records: 1 })
      const books = sandbox.contract.basePath + '/books'
      const post = (body) => sandbox.fetch(new Request('http://localhost' + books, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer any' },
        body: JSON.stringify(body),
      }))
      const created = await post({ title: 'Emma', author: { name: 'Jane Austen' } })
      const refused = await post({ title: 1 })
      console.log(created.status, refused.status, contract.format)`
    const flags = ['--disallow-code-generation-from-strings', '--no-warnings']
    const used = await run(process.execPath, [...flags, '--input-type=module', '-e', script])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^Wrote contract\.js \(6 operations, [\d.]+ kB\) and contract\.d\.ts\. /)
    expect(used.stdout).toBe('201 400 1\n')
  })

  test('keeps only the operations of --operations, by id or by method and path', async () => {
    await compile('--operations', 'listBooks, GET /books/{bookId}')

    const types = await readFile(join(folder(), 'contract.d.ts'), 'utf8')
    expect(types).toContain("operation: 'listBooks' | 'readBook'")
  })

  test('keeps the operations with a tag of --tags, and answers requests to the others with a 404', async () => {
    await writeFile(join(folder(), 'shop.json'), JSON.stringify(SHOP))
    const { code } = await runCommand(
      ['compile', 'shop.json', '--tags', 'Books,Pens', '--operations', 'listPots'],
      { cwd: folder() },
    )
    const script = `
      const { createSandbox } = await import(${JSON.stringify(resolve('dist/index.js'))})
      const { contract } = await import(${JSON.stringify(join(folder(), 'contract.js'))})
      const sandbox = createSandbox({ contract, records: 1 })
      const send = async (method, path) => {
        const response = await sandbox.fetch(new Request('http://localhost' + path, { method }))
        console.log(response.status, method, path, (await response.text()).replace(/.*"message":"([^"]*)".*/, '$1'))
      }
      await send('GET', '/books')
      await send('GET', '/pots')
      await send('POST', '/pots')
      await send('PUT', '/pots')
      await send('GET', '/caps/7')
      await send('DELETE', '/nothing')`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
    const module = await readFile(join(folder(), 'contract.js'), 'utf8')

    expect(code).toBe(0)
    const left = 'was left out when a part of the document was compiled. Compile it, too, with'
    expect(stdout).toContain('200 GET /books')
    expect(stdout).toContain('200 GET /pots')
    expect(stdout).toContain(`404 POST /pots POST /pots ${left} --operations or --tags.`)
    expect(stdout).toContain('405 PUT /pots')
    expect(stdout).toContain(`404 GET /caps/7 GET /caps/{id} ${left}`)
    expect(stdout).toMatch(/404 DELETE \/nothing There is no operation at/)
    expect(module).toContain('bookColour')
    expect(module).not.toContain('capColour')
  })

  test('suggests the nearest tag for an unknown one', async () => {
    await writeFile(join(folder(), 'shop.json'), JSON.stringify(SHOP))
    const { code, stderr } = await runCommand(['compile', 'shop.json', '--tags', 'Bokks'], {
      cwd: folder(),
    })

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot select the operations: unknown tag "Bokks". Did you mean "Books"?\n',
    )
  })

  test('suggests the nearest operation for an unknown one', async () => {
    const { code, stderr } = await compile('--operations', 'listBoks')

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot select the operations: the document has no operation "listBoks". Did you mean "listBooks"?\n',
    )
  })

  test('overwrites its own files, and another file only with --force', async () => {
    await writeFile(join(folder(), 'contract.d.ts'), 'export {}\n')
    const refused = await compile()
    const forced = await compile('--force')
    const again = await compile()

    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') })
    expect([forced.code, again.code]).toEqual([0, 0])
  })

  test('prints the module with --output -', async () => {
    const { stdout } = await compile('--output', '-', '--base-path', '/v9')

    expect(stdout).toMatch(/^\/\/ Written by pet-sandbox /)
    expect(stdout).toContain('--output - --base-path /v9"\n')
    expect(stdout).toContain('"basePath":"/v9"')
  })

  test('writes neither headers nor credentials into the module', async () => {
    const { stdout } = await compile('--output', '-', '--header', 'Authorization: secret')

    expect(stdout).toContain("--header '…'")
    expect(stdout).not.toContain('secret')
  })

  test('compiles the document of a URL, and counts its mistakes without credentials', async () => {
    const server = createServer((_, response) => {
      response.end(
        '{"openapi":"3.1.1","info":{"title":"A","version":"1"},"paths":{"/a/{b}":{"get":{"responses":{"204":{"description":"Done."}}}}}}',
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const url = `http://user:secret@127.0.0.1:${port}/openapi.json`

    const { code, stderr, stdout } = await runCommand(['compile', url], { cwd: folder() })
    server.close()

    expect(stderr).toBe(
      `pet-sandbox: 1 mistake in the document so far. List all: pet-sandbox explain http://127.0.0.1:${port}/openapi.json --diagnostics\n`,
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Wrote contract\.js \(1 operation, /)
    const module = await readFile(join(folder(), 'contract.js'), 'utf8')
    expect(module).toContain(`compile http://127.0.0.1:${port}/openapi.json --output contract.js`)
    expect(module).not.toContain('secret')
  })

  test('refuses another file extension', async () => {
    const { code, stderr } = await compile('--output', 'contract.ts')

    expect(code).toBe(2)
    expect(stderr).toContain('Use --output contract.js.')
  })

  test.each([
    ['a line separator', 'A\u2028PWNED = 1; //'],
    ['a paragraph separator', 'A\u2029PWNED = 1; //'],
    ['the end of a line', 'A\r\nPWNED = 1; //\nPWNED = 1; //'],
    ['the end of a comment', 'A*/ export const PWNED = 1; globalThis.PWNED = 1; /*'],
    ['quotes', 'A"; PWNED = 1; \'; PWNED = 1; `\x24{(PWNED = 1)}\\"\\\'; PWNED = 1; //'],
    ['what reorders or controls a terminal', 'A\u202ePWNED\u009b2J\u0085PWNED = 1'],
  ])(
    'text of the document and of the command with %s is in string literals only',
    async (_, text) => {
      const file = `${text.replaceAll('/', '')}.json`
      await writeFile(join(folder(), file), JSON.stringify(documentNamed(text)))

      const { code, stdout } = await runCommand(
        ['compile', file, '--output', 'written.mjs', '--base-path', '/v1'],
        { cwd: folder() },
      )

      expect(code).toBe(0)
      expect(stdout).toContain('Wrote written.mjs')
      const module = await readFile(join(folder(), 'written.mjs'), 'utf8')
      const types = await readFile(join(folder(), 'written.d.mts'), 'utf8')
      for (const written of [module, types]) {
        expect(written).toContain('PWNED')
        expect(written.replaceAll(STRING, '')).not.toContain('PWNED')
        expect(written).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }
      const url = JSON.stringify(pathToFileURL(join(folder(), 'written.mjs')).href)
      const script = `
      const { contract } = await import(${url})
      console.log(JSON.stringify([typeof PWNED, contract.title]))`
      const used = await run(process.execPath, ['--input-type=module', '-e', script])
      expect(JSON.parse(used.stdout)).toEqual(['undefined', text])
    },
  )
})

/** A shop with collections that have nothing in common. */
const SHOP = {
  openapi: '3.1.1',
  info: { title: 'Shop', version: '1' },
  paths: Object.assign({}, ...['Book', 'Pen', 'Pot', 'Cap'].map(collectionOf)),
}

function collectionOf(name: string): object {
  const schema = {
    type: 'object',
    properties: { id: { type: 'integer' }, [`${name.toLowerCase()}Colour`]: { type: 'string' } },
  }
  const content = (of: object) => ({ 'application/json': { schema: of } })
  const path = `/${name.toLowerCase()}s`
  return {
    [path]: {
      get: {
        operationId: `list${name}s`,
        tags: [`${name}s`],
        responses: {
          200: { description: 'All.', content: content({ type: 'array', items: schema }) },
        },
      },
      post: {
        operationId: `create${name}`,
        tags: [`${name}s`],
        requestBody: { content: content(schema) },
        responses: { 201: { description: 'New.', content: content(schema) } },
      },
    },
    [`${path}/{id}`]: {
      get: {
        tags: [`${name}s`],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: { description: 'One.', content: content(schema) } },
      },
    },
  }
}

describe('compile --check', () => {
  async function check(...args: readonly string[]): ReturnType<typeof runCommand> {
    return runCommand(['compile', 'shop.json', '--check', ...args], { cwd: folder() })
  }

  async function writeShop(shop: object = SHOP): Promise<void> {
    await writeFile(join(folder(), 'shop.json'), JSON.stringify(shop))
  }

  const RUN = 'Run: npx pet-sandbox compile shop.json --output contract.js'
  const overlay = `overlay: 1.0.0
info: { title: Hints, version: '1' }
actions: [{ target: $.info, update: { title: Store } }]
`

  test('succeeds while the module is up to date, and writes nothing', async () => {
    await writeShop()
    const missing = await check()
    await runCommand(['compile', 'shop.json'], { cwd: folder() })
    const module = await readFile(join(folder(), 'contract.js'), 'utf8')
    await writeFile(join(folder(), 'contract.js'), module.replaceAll('\n', '\r\n'))
    const upToDate = await check()

    expect(missing).toMatchObject({
      code: 1,
      stderr: `pet-sandbox: contract.js is not up to date: the file contract.js does not exist. ${RUN}\n`,
    })
    expect(upToDate).toEqual({ code: 0, stdout: 'contract.js is up to date.\n', stderr: '' })
  })

  test.each<[what: string, change: () => Promise<void>, args: string[], reason: string]>([
    [
      'a new operation',
      () => writeShop({ ...SHOP, paths: { ...SHOP.paths, ...collectionOf('Hat') } }),
      [],
      "it lacks 'listHats' and 2 more. ",
    ],
    [
      'another title',
      () => writeShop({ ...SHOP, info: { title: 'Store', version: '1' } }),
      [],
      'the document or an overlay has changed, or the file was edited. ',
    ],
    [
      'other options',
      () => writeFile(join(folder(), 'hints.yaml'), overlay),
      ['--overlay', 'hints.yaml'],
      'another command wrote it. ',
    ],
    [
      'another version',
      async () => {
        const file = join(folder(), 'contract.js')
        const module = await readFile(file, 'utf8')
        await writeFile(file, module.replace(/pet-sandbox \d\S*\d/, 'pet-sandbox 0.9.0'))
      },
      [],
      'pet-sandbox 0.9.0 wrote it, and this is ',
    ],
    [
      'missing types',
      () => rm(join(folder(), 'contract.d.ts')),
      [],
      'the file contract.d.ts does not exist. ',
    ],
  ])('fails with one line after %s', async (_what, change, args, reason) => {
    await writeShop()
    await runCommand(['compile', 'shop.json'], { cwd: folder() })
    await change()
    const { code, stdout, stderr } = await check(...args)

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^[^\n]*\n$/)
    expect(stderr).toContain(`contract.js is not up to date: ${reason}`)
    expect(stderr).toContain([RUN, ...args].join(' '))
  })

  test('names the command with the options of a part', async () => {
    await writeShop()
    const { stderr } = await check('--tags', 'Books', '--operations', 'GET /pots')

    expect(stderr).toContain(`${RUN} --operations 'GET /pots' --tags Books\n`)
  })

  test('refuses standard output', async () => {
    await writeShop()
    const { code, stderr } = await check('--output', '-')

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot use --check: standard output cannot be kept up to date. Use --output contract.js.\n',
    )
  })
})

describe('compile --watch', () => {
  const program = ['sh', '-c', 'exec "$0" "$@" 2>&1', process.execPath, BIN] as const

  afterEach(stopCommands)

  test('writes the module again after each change, and keeps the last good one after a mistake', async () => {
    const write = (file: string, text: string) => writeFile(join(folder(), file), text)
    const shop = (name: string) => JSON.stringify({ ...SHOP, paths: collectionOf(name) })
    const overlay = 'overlay: 1.0.0\ninfo: { title: A, version: "1" }\nactions: []\n'
    await write('shop.json', shop('Book'))
    await write('hints.yaml', overlay)
    const args = ['compile', 'shop.json', '--overlay', 'hints.yaml', '--watch']
    const command = launchCommand(args, { cwd: folder(), program })
    await command.waitForOutput(/Watching the document/)

    await write('shop.json', shop('Hat'))
    await command.waitForOutput(/Watching[\s\S]*Wrote contract\.js \(3 operations, [\d.]+ kB\)/)
    const good = await readFile(join(folder(), 'contract.js'), 'utf8')
    await write('shop.json', '{\n  "openapi": [\n')
    await command.waitForOutput(/shop\.json:\d+:\d+.* The last good module stays\./)
    const kept = await readFile(join(folder(), 'contract.js'), 'utf8')
    await write('shop.json', shop('Hat'))
    await command.waitForOutput(/stays\.[\s\S]*Wrote contract/)
    await write(
      'hints.yaml',
      overlay.replace('[]', '[{ target: $.info, update: { title: From the overlay } }]'),
    )
    await command.waitForOutput(/stays\.[\s\S]*Wrote contract[\s\S]*Wrote contract/)
    const overlaid = await readFile(join(folder(), 'contract.js'), 'utf8')

    expect(good).toContain('hatColour')
    expect(kept).toBe(good)
    expect(overlaid).toContain('From the overlay')
  })

  test('ends without an error at a signal', async () => {
    await writeFile(join(folder(), 'shop.json'), JSON.stringify(SHOP))
    const command = launchCommand(['compile', 'shop.json', '--watch'], { cwd: folder(), program })
    await command.waitForOutput(/Watching the document/)
    command.child.kill('SIGTERM')

    expect(await command.ended).toMatchObject({ code: 0 })
  })

  test('refuses a document that is not a file', async () => {
    const { code, stderr } = await runCommand(['compile', '-', '--watch'], { cwd: folder() })

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot use --watch: standard input cannot be watched. Name a file as the document.\n',
    )
  })
})

/** A string literal of JavaScript or TypeScript. */
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g

/** A document with a text in every place. */
function documentNamed(text: string): object {
  const schema = {
    $id: text,
    $comment: text,
    title: text,
    type: 'object',
    required: [text],
    properties: {
      [text]: { type: 'string', pattern: `^[\\w-.]${text.replaceAll(/[^\w\s]/g, '.')}$` },
      constant: { const: text },
      enum: { enum: [text, { [text]: text }] },
      format: { type: 'string', format: text },
      type: { type: text },
      default: { type: 'string', default: text, [text]: text, 'x-faker': text },
      map: { type: 'object', patternProperties: { [`^${text.slice(0, 2)}`]: { type: text } } },
      other: { dependentRequired: { [text]: [text] }, propertyNames: { enum: [text] } },
    },
  }
  const content = { 'application/json': { schema, examples: { [text]: { value: text } } } }
  const headers = { [text]: { schema: { type: 'string' } } }
  const responses = { 200: { description: text, content, headers } }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]

  return {
    openapi: '3.1.1',
    info: { title: text, version: text, description: text },
    paths: {
      '/a': {
        get: { operationId: text, summary: text, tags: [text], responses },
        post: { operationId: `${text}2`, requestBody: { content }, responses },
      },
      '/a/{id}': { parameters, get: { operationId: `${text}3`, responses } },
      [`/${text}`]: { get: { responses } },
    },
  }
}
