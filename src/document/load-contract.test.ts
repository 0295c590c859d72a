import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UsageError } from '../validation/usage-error.ts'
import { type LoadOptions, loadContract } from './load-contract.ts'

const BOOKS = `openapi: 3.1.1
info: { title: Books, version: '1' }
paths:
  /books/{bookId}:
    get:
      operationId: readBook
      parameters:
        - { name: bookId, in: path, required: true, schema: { type: integer } }
      responses:
        '200':
          description: The book.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Book' }
components:
  schemas:
    Book:
      type: object
      properties:
        title: { type: string }
`

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})

afterEach(() => rm(folder, { recursive: true }))

function write(file: string, text: string): Promise<void> {
  return writeFile(join(folder, file), text)
}

function makePipe(file: string): void {
  execFileSync('mkfifo', [join(folder, file)])
}

/** Why the document is refused, with file names as they are within its folder. */
async function refusal(file: string, options?: LoadOptions): Promise<string> {
  const error: unknown = await loadContract(join(folder, file), options).catch((reason) => reason)
  if (!(error instanceof UsageError))
    throw new Error(`No UsageError: ${String(error)}`, { cause: error })

  return error.message.replaceAll(`${folder}/`, '')
}

function books(from: string, to: string): string {
  const changed = BOOKS.replace(from, () => to)
  expect(changed).not.toBe(BOOKS)

  return changed
}

function inVersion30(text: string): string {
  return text.replace('3.1.1', '3.0.3')
}

const ALIAS_BOMB = Array.from({ length: 10 }, (_, level) => {
  const items = Array(9).fill(level === 0 ? 'x' : `*a${level - 1}`)
  return `x-${level}: &a${level} [${items.join(', ')}]\n`
}).join('')

const REF_BOMB = Array.from({ length: 40 }, (_, level) => {
  const next = `{ $ref: '#/components/schemas/S${level + 1}' }`
  return `    S${level}: { properties: { one: ${next}, two: ${next} } }\n`
}).join('')

function withParameter(version: string, parameter: string): string {
  return `openapi: ${version}
info: { title: Books, version: '1' }
paths:
  /books:
    get:
      responses: { '200': { description: The books. } }
      parameters:
        - ${parameter}
`
}

const TOO_DEEP =
  /^it is nested too deeply: more than 400 levels \(books\.(yaml|json):\d+:\d+\)\. Flatten it\.$/

describe('the file', () => {
  test('that is not there is named', async () => {
    const message = await refusal('boks.yaml')

    expect(message).toBe(
      'Cannot load boks.yaml: there is no such file (boks.yaml). Check the name.',
    )
  })

  test('that is a folder is refused', async () => {
    await mkdir(join(folder, 'books'))

    const message = await refusal('books')

    expect(message).toBe(
      'Cannot load books: it is a folder (books). Name the OpenAPI document in it.',
    )
  })

  test('may be a pipe', async () => {
    makePipe('books.yaml')

    const [contract] = await Promise.all([
      loadContract(join(folder, 'books.yaml')),
      write('books.yaml', BOOKS),
    ])

    expect(contract.title).toBe('Books')
  })

  test('that is an address is refused with advice', async () => {
    const loading = loadContract('https://books.test/openapi.yaml')

    await expect(loading).rejects.toThrow('it is an address, not a file')
  })

  test('may hold JSON, whose errors are told as such', async () => {
    await write('books.json', '{\n  "openapi": "3.1.1"\n  "info": {}\n}')

    const message = await refusal('books.json')

    expect(message).toBe(
      'Cannot load books.json: it is not valid JSON from here on (books.json:3:3). ' +
        'Look for a missing comma, quote or bracket.',
    )
  })
})

describe('a mistake is told in one line with its place and what to do:', () => {
  test.each([
    [
      'a tab',
      books('    get:', '\tget:'),
      'a tab is used as indentation (books.yaml:5:1). Indent with spaces.',
    ],
    [
      'a colon in plain text',
      books('The book.', 'The: book'),
      'the value holds a second ": " (books.yaml:11:24). Put the value in quotes.',
    ],
    [
      'a duplicate key',
      `${BOOKS}paths: {}\n`,
      'the key "paths" is given twice (books.yaml:21:1). Remove one of the two.',
    ],
    ['an empty file', '# nothing\n', 'it is empty (books.yaml). Write an OpenAPI document.'],
    [
      'a file that holds something else',
      'name: books\n',
      'it is not an OpenAPI document (books.yaml:1:1). An OpenAPI document starts with a line such as "openapi: 3.1.1".',
    ],
    [
      'Swagger 2.0',
      'swagger: "2.0"\ninfo: {}\npaths: {}\n',
      'Swagger 2.0 is not supported (books.yaml:1:10). Convert it to OpenAPI 3.1, at converter.swagger.io for instance.',
    ],
    [
      'OpenAPI 3.2',
      books('3.1.1', '3.2.0'),
      'OpenAPI 3.2.0 is not supported (books.yaml:1:10). Use 3.1.1 or 3.0.4.',
    ],
    [
      'a version that YAML takes for a number',
      books(`'1'`, '1.0'),
      `"version" must be text, not a number (books.yaml:2:32). Put it in quotes, as '1.0.0'.`,
    ],
    [
      'a document without paths',
      'openapi: 3.1.1\ninfo: {}\n',
      'it has no paths (books.yaml:1:1). Add at least one path below "paths".',
    ],
    [
      'a value that OpenAPI does not know',
      books('in: path', 'in: pth'),
      '"in" cannot be "pth" (books.yaml:8:31). Did you mean "path"?',
    ],
    [
      'the same in OpenAPI 3.0',
      inVersion30(books('in: path', 'in: pth')),
      '"in" cannot be "pth" (books.yaml:8:31). Did you mean "path"?',
    ],
    [
      'a key that OpenAPI does not know',
      books('responses', 'respnses'),
      '"get" has no place for "respnses" (books.yaml:9:7). Check its spelling and its indentation.',
    ],
    [
      'a key that is missing',
      books('          description: The book.\n', ''),
      '"200" has no "description" (books.yaml:11:11). Add "description".',
    ],
    [
      'a path without its slash',
      books('/books', 'books'),
      'the path "books/{bookId}" does not start with "/" (books.yaml:4:3). Write it as "/books/{bookId}".',
    ],
    [
      'an unknown type',
      books('type: integer', 'type: integr'),
      '"type" cannot be "integr" (books.yaml:8:69). Did you mean "integer"?',
    ],
    [
      'an unknown type in a component, in OpenAPI 3.0',
      inVersion30(books('type: string', 'type: strin')),
      '"type" cannot be "strin" (books.yaml:20:24). Did you mean "string"?',
    ],
    [
      'an unknown type in a list of types',
      books('type: string', 'type: [string, nul]'),
      'item 2 of "type" cannot be "nul" (books.yaml:20:33). Did you mean "null"?',
    ],
    [
      'a type where a schema belongs',
      books('title: { type: string }', 'title: string'),
      '"title" must be a schema (books.yaml:20:16). Write it as { type: string }.',
    ],
    [
      'a bad regular expression',
      books('type: string', `type: string, pattern: '['`),
      '"[" is no regular expression (books.yaml:20:41). Correct it, or escape what is meant literally with a backslash.',
    ],
    [
      'a path parameter that is not declared',
      books('/books/{bookId}', '/books/{bookId}/{page}'),
      'GET /books/{bookId}/{page} does not declare the parameter {page} (books.yaml:5:5). ' +
        'Add a parameter with "name: page" and "in: path".',
    ],
    [
      'a path parameter that the path does not have',
      books('/books/{bookId}', '/books'),
      'the path "/books" has no {bookId} (books.yaml:8:19). Remove the parameter.',
    ],
    [
      'an operationId that is taken',
      books(
        'components:',
        '  /authors:\n    get: { operationId: readBook, responses: {} }\ncomponents:',
      ),
      'the operationId "readBook" is already that of GET /books/{bookId} (books.yaml:16:25). Give each operation its own.',
    ],
    [
      'two paths that are the same',
      books(
        'components:',
        `  /books/{id}:
    get: { parameters: [{ name: id, in: path, required: true, schema: {} }], responses: {} }
components:`,
      ),
      'the paths "/books/{bookId}" and "/books/{id}" are the same (books.yaml:15:3). Put their operations under one of the two.',
    ],
    [
      'a date that is none',
      books('      operationId', '      x-deprecation: { sunset: 2030-02-30 }\n      operationId'),
      '"sunset" is no date: "2030-02-30" (books.yaml:6:32). Write it as 2030-12-05 or 2030-12-05T00:00:00Z.',
    ],
    [
      'an alias without an anchor',
      `${BOOKS}x-a: *a\n`,
      'the alias *a has no anchor (books.yaml:21:6). Write &a before a value above it.',
    ],
    [
      'an alias inside its own anchor',
      `${BOOKS}x-a: &a\n  b: *a\n`,
      'the alias *a stands inside its own anchor (books.yaml:22:6). Use $ref for a schema that contains itself.',
    ],
    [
      'aliases that stand for billions of values',
      BOOKS + ALIAS_BOMB,
      'its aliases stand for more than 1000 copies of one value (books.yaml). Use $ref instead of *aliases.',
    ],
    [
      '$refs that stand for billions of values',
      `${BOOKS}${REF_BOMB}    S40: {}\n`,
      'its $refs stand for more than 10,000,000 values (books.yaml). Let the schemas nest less.',
    ],
    [
      'a version of many letters',
      `openapi: ${'x'.repeat(1000)}\n`,
      expect.stringMatching(/^OpenAPI x{80}… is/),
    ],
    [
      'a parameter in a header with the style of another location',
      withParameter('3.0.3', '{ name: a, in: header, style: form, schema: {} }'),
      '"style" cannot be "form" (books.yaml:8:41). Known: simple.',
    ],
    [
      'the same in OpenAPI 3.1',
      withParameter('3.1.1', '{ name: a, in: header, style: form, schema: {} }'),
      '"style" cannot be "form" (books.yaml:8:41). Known: simple.',
    ],
    [
      'a parameter of no known location',
      withParameter('3.0.3', '{ name: a, in: heder, style: form, schema: {} }'),
      '"in" cannot be "heder" (books.yaml:8:26). Did you mean "header"?',
    ],
    [
      'a value below a path with a percent sign',
      withParameter('3.1.1', '{ name: a, in: heder, schema: {} }').replace('/books:', '/%61:'),
      '"in" cannot be "heder" (books.yaml:8:26). Did you mean "header"?',
    ],
    ['brackets beyond any sense', `a: ${'['.repeat(20_000)}`, expect.stringMatching(TOO_DEEP)],
    [
      'more than 400 levels',
      `${BOOKS}x-deep: ${'['.repeat(400)}${']'.repeat(400)}\n`,
      expect.stringMatching(TOO_DEEP),
    ],
  ])('%s', async (_mistake, text, told) => {
    await write('books.yaml', text)

    const message = await refusal('books.yaml')

    expect(message.replace('Cannot load books.yaml: ', '')).toEqual(told)
  })

  test.each([400, 3000])('%i lists within lists, which are valid JSON', async (levels) => {
    const lists = '['.repeat(levels) + ']'.repeat(levels)
    await write('books.json', `{ "openapi": "3.1.0", "x-deep": ${lists} }`)

    const message = await refusal('books.json')

    expect(message.replace('Cannot load books.json: ', '')).toMatch(TOO_DEEP)
  })

  test.each([
    ['lists in JSON', 'books.json', `{ "openapi": ${'['.repeat(20_000)}`, 415],
    ['maps in JSON', 'books.json', `{ "openapi": ${'{"a":'.repeat(20_000)}`, 2015],
    ['lists in brackets', 'books.yaml', `openapi: ${'['.repeat(20_000)}`, 411],
    ['lists in one line', 'books.yaml', '- '.repeat(20_000), 804],
    ['keys in one line', 'books.yaml', '? '.repeat(20_000), 804],
  ])('text is read no further than 400 levels deep: %s', async (_what, file, text, column) => {
    await write(file, text)

    const message = await refusal(file)

    expect(message).toBe(
      `Cannot load ${file}: it is nested too deeply: more than 400 levels (${file}:1:${column}). Flatten it.`,
    )
  })

  test('several mistakes, in one message, five at most', async () => {
    const schemas = [1, 2, 3, 4, 5, 6, 7].map((number) => `    S${number}: { type: strng }\n`)
    await write('books.yaml', BOOKS + schemas.join(''))

    const lines = (await refusal('books.yaml')).split('\n')

    expect(lines).toHaveLength(7)
    expect(lines[0]).toBe('Cannot load books.yaml: 7 mistakes.')
    expect(lines[1]).toBe('  "type" cannot be "strng" (books.yaml:21:17). Did you mean "string"?')
    expect(lines[6]).toBe('  … and 2 more.')
  })
})

describe('a $ref', () => {
  test.each([
    [
      'to another server is refused',
      'https://books.test/book.yaml#/Book',
      'points to another server (books.yaml:14:31). Save a copy beside the document, or allow it with --allow-remote-refs.',
    ],
    [
      'out of the folder is refused',
      '../book.yaml#/Book',
      'points outside the folder (books.yaml:14:31). Move the file beside the document, or allow it with --allow-outside-refs.',
    ],
    [
      'to an absolute address out of the folder is refused',
      'file:///etc/secret.yaml',
      'points outside the folder (books.yaml:14:31). Move the file beside the document, or allow it with --allow-outside-refs.',
    ],
    [
      'to a file of another machine is refused',
      'file://books.test/book.yaml',
      'names no file (books.yaml:14:31). Refer to a file in its folder.',
    ],
    [
      'that hides its way out is refused',
      'x%2f..%2f..%2fbook.yaml',
      'names no file (books.yaml:14:31). Refer to a file in its folder.',
    ],
    [
      'to a file of another kind is refused',
      './.env',
      'is neither a YAML nor a JSON file (books.yaml:14:31). Refer to a .yaml, .yml or .json file.',
    ],
    [
      'to a file that is not there is told',
      './book.yaml#/Book',
      'cannot be read: there is no such file (books.yaml:14:31). Check the name.',
    ],
    [
      'to nothing in the document is told',
      '#/components/schemas/Bok',
      'points to nothing (books.yaml:14:31). Check its spelling.',
    ],
    [
      'that is no path is told',
      '#Book',
      'names no place in the document (books.yaml:14:31). Write the place as a path, as "#/components/schemas/Name".',
    ],
  ])('%s', async (_fact, ref, told) => {
    await write('books.yaml', books('#/components/schemas/Book', ref))

    const message = await refusal('books.yaml')

    expect(message).toBe(`Cannot load books.yaml: the $ref "${ref}" ${told}`)
  })

  test.each([
    [
      'that does not parse',
      'Book:\n  type: object\n type: x\n',
      'the indentation does not fit (book.yaml:3:1).',
    ],
    ['with a wrong type', 'Book:\n  type: objct\n', '"type" cannot be "objct" (book.yaml:2:9).'],
    [
      'with an alias bomb',
      ALIAS_BOMB,
      'its aliases stand for more than 1000 copies of one value (book.yaml).',
    ],
    [
      'without what is wanted',
      'Bok: {}\n',
      'the $ref "./book.yaml#/Book" points to nothing (books.yaml:14:31).',
    ],
  ])('to a file %s is told at its place', async (_what, text, told) => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await write('book.yaml', text)

    const message = await refusal('books.yaml')

    expect(message).toContain(told)
  })

  test('through a link out of the folder is refused unless it is allowed', async () => {
    await mkdir(join(folder, 'api'))
    await write('api/books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await write('book.yaml', 'Book: { type: object }\n')
    await symlink(join(folder, 'book.yaml'), join(folder, 'api/book.yaml'))

    const message = await refusal('api/books.yaml')
    const contract = await loadContract(join(folder, 'api/books.yaml'), { outsideRefs: true })

    expect(message).toContain('leads outside the folder through a link (api/books.yaml:14:31)')
    expect(contract.operations[0]?.responses[0]?.schema).toEqual({ type: 'object' })
  })

  test('to a pipe is refused, and not waited for', async () => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    makePipe('book.yaml')

    const message = await refusal('books.yaml')

    expect(message).toBe(
      'Cannot load books.yaml: the $ref "./book.yaml#/Book" points to a pipe, a socket or a device ' +
        '(books.yaml:14:31). Refer to a file in its folder.',
    )
  })

  test('to a device is refused, whatever is allowed', async () => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await symlink('/dev/zero', join(folder, 'book.yaml'))

    const message = await refusal('books.yaml', { outsideRefs: true })

    expect(message).toContain('points to a pipe, a socket or a device (books.yaml:14:31)')
  })

  test('to a folder is refused', async () => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await mkdir(join(folder, 'book.yaml'))

    const message = await refusal('books.yaml')

    expect(message).toContain('cannot be read: it is a folder (books.yaml:14:31)')
  })

  test('to another server is followed when that is allowed', async () => {
    const server = createServer((_request, response) => response.end('Book: { type: object }'))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    await write(
      'books.yaml',
      books('#/components/schemas/Book', `http://127.0.0.1:${port}/book.yaml#/Book`),
    )

    const contract = await loadContract(join(folder, 'books.yaml'), { remoteRefs: true })
    server.close()

    expect(contract.operations[0]?.responses[0]?.schema).toEqual({ type: 'object' })
  })

  test('to another server that does not end its answer is refused', async () => {
    const server = createServer((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, '#')));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    await write(
      'books.yaml',
      books('#/components/schemas/Book', `http://127.0.0.1:${port}/book.yaml#/Book`),
    )

    const message = await refusal('books.yaml', { remoteRefs: true })
    server.close()

    expect(message).toContain('is answered with more than 64 MiB')
  })

  test('from another server never reads a file', async () => {
    const server = createServer((_request, response) =>
      response.end(`Book: { $ref: 'file:///etc/hosts.yaml' }`),
    )
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    await write(
      'books.yaml',
      books('#/components/schemas/Book', `http://127.0.0.1:${port}/book.yaml#/Book`),
    )

    const message = await refusal('books.yaml', { remoteRefs: true, outsideRefs: true })
    server.close()

    expect(message).toContain('is no file that the document may read')
  })
})

describe('a schema that applies itself to the same value', () => {
  test.each([
    ['anyOf: [{ $ref: "#/components/schemas/Book" }]', 'Book', 18],
    ['allOf: [{}, { $ref: "#/components/schemas/Book" }]', 'Book', 18],
    ['oneOf: [{ $ref: "#/components/schemas/Book" }]', 'Book', 18],
    ['not: { $ref: "#/components/schemas/Book" }', 'Book', 18],
    ['if: { $ref: "#/components/schemas/Book" }', 'Book', 18],
    ['then: { $ref: "#/components/schemas/Book" }', 'Book', 18],
    ['else: { $ref: "#/components/schemas/Book" }', 'Book', 18],
    ['dependentSchemas: { a: { $ref: "#/components/schemas/Book" } }', 'Book', 18],
    ['anyOf: [{ not: { $ref: "#/components/schemas/Book" } }]', 'Book', 18],
    [
      '$ref: "#/components/schemas/B"\n    B: { allOf: [{ $ref: "#/components/schemas/C" }] }\n    C: { not: { $ref: "#/components/schemas/B" } }',
      'B',
      20,
    ],
    ['$ref: "#/components/schemas/B"\n    B: { allOf: [{ $ref: "./c.yaml#/C" }] }', 'B', 1],
  ])('is told at the $ref that leads back: %s', async (schema, name, line) => {
    const [before = ''] = BOOKS.split('      type: object')
    await write('c.yaml', 'C: { not: { $ref: "books.yaml#/components/schemas/B" } }\n')
    await write('books.yaml', `${before}      ${schema}\n`)

    const message = await refusal('books.yaml')

    expect(message).toContain(
      `: the schema "${name}" applies itself to the same value without end (`,
    )
    expect(message).toMatch(
      new RegExp(`yaml:${line}:\\d+\\)\\. Remove this \\$ref, or move it below`),
    )
    expect(message).not.toContain('mistakes')
  })

  test.each(['properties: { next', 'items: { anyOf: [{}], not', 'patternProperties: { a'])(
    'is none when a step leads down: %s',
    async (keyword) => {
      const schema = `${keyword}: { $ref: "#/components/schemas/Book" } }`
      await write('books.yaml', books('type: object\n', `anyOf: [{ ${schema} }]\n`))

      const { operations } = await loadContract(join(folder, 'books.yaml'))

      expect(operations[0]?.responses[0]?.validate?.(1)).toBe(true)
    },
  )
})

describe('tolerance:', () => {
  test('a pattern that is only valid without the u flag is taken', async () => {
    await write(
      'books.yaml',
      books('title: { type: string }', String.raw`title: { type: string, pattern: '^[\w-.]+$' }`),
    )

    const { operations } = await loadContract(join(folder, 'books.yaml'))
    const check = operations[0]?.responses[0]?.validate

    expect([check?.({ title: 'a-b.c' }), check?.({ title: 'a b' })]).toEqual([true, false])
  })

  test('the description of a server variable is taken in OpenAPI 3.1', async () => {
    const servers = `servers: [{ url: '{base}', variables: { base: { default: /v3, description: Where. } } }]\n`
    await write('books.yaml', BOOKS + servers)

    const { basePath } = await loadContract(join(folder, 'books.yaml'))

    expect(basePath).toBe('/v3')
  })
})
