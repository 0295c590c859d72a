import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const run = promisify(execFile)
const folder = useTemporaryDirectory()
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
      `pet-sandbox: 1 mistake in the document. List it: pet-sandbox explain http://127.0.0.1:${port}/openapi.json --diagnostics\n`,
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
