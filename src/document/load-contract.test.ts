import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UsageError } from '../validation/usage-error.ts'
import { loadContract } from './load-contract.ts'
import type { LoadOptions } from './load-options.ts'

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

/** The message of the error, without the folder of the files. */
async function loadError(file: string, options?: LoadOptions): Promise<string> {
  const error: unknown = await loadContract(join(folder, file), { strict: true, ...options }).catch(
    (reason) => reason,
  )
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
  /^the file is nested more than 400 levels deep \(books\.(yaml|json):\d+:\d+\)\. Flatten the structure\.$/

describe('the file', () => {
  test('that does not exist is named', async () => {
    const message = await loadError('boks.yaml')

    expect(message).toBe('Cannot load boks.yaml: the file does not exist. Check the path.')
  })

  test('that is a folder is rejected', async () => {
    await mkdir(join(folder, 'books'))

    const message = await loadError('books')

    expect(message).toBe('Cannot load books: it is a folder. Name the OpenAPI document in it.')
  })

  test('may have 64 MiB', async () => {
    await write('books.yaml', BOOKS)
    await truncate(join(folder, 'books.yaml'), 100 * 1024 * 1024)

    const message = await loadError('books.yaml')

    expect(message).toBe(
      'Cannot load books.yaml: it is larger than 64 MiB. Name a smaller document.',
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

  test('may contain JSON, whose syntax errors are reported as JSON errors', async () => {
    await write('books.json', '{\n  "openapi": "3.1.1"\n  "info": {}\n}')

    const message = await loadError('books.json')

    expect(message).toBe(
      'Cannot load books.json: the JSON is invalid from here on (books.json:3:3). ' +
        'Check for a missing comma, quote or bracket.',
    )
  })
})

describe('a mistake is reported on one line with its location and what to do:', () => {
  test.each([
    [
      'a tab',
      books('    get:', '\tget:'),
      'a tab is used for indentation (books.yaml:5:1). Indent with spaces.',
    ],
    [
      'a colon in an unquoted string',
      books('The book.', 'The: book'),
      'the value contains a second ": " (books.yaml:11:24). Put the value in quotes.',
    ],
    [
      'a duplicate key',
      `${BOOKS}paths: {}\n`,
      'the key "paths" is duplicated (books.yaml:21:1). Remove one of the two keys.',
    ],
    ['an empty file', '# nothing\n', 'the file is empty. Write an OpenAPI document into it.'],
    [
      'a file with other content',
      'name: books\n',
      'the file is not an OpenAPI document (books.yaml:1:1). An OpenAPI document starts with a line such as "openapi: 3.1.1".',
    ],
    [
      'Swagger 1.2',
      'swaggerVersion: "1.2"\napis: []\n',
      'Swagger 1.2 is not supported (books.yaml:1:17). Convert the document to Swagger 2.0 or OpenAPI 3.1, for example with api-spec-converter.',
    ],
    [
      'OpenAPI 3.9',
      books('3.1.1', '3.9.0'),
      'OpenAPI 3.9.0 is not supported (books.yaml:1:10). Use 3.1.1 or 3.0.4.',
    ],
    [
      'a version that YAML reads as a number',
      books(`'1'`, '1.0'),
      `"version" must be a string, not a number (books.yaml:2:32). Put it in quotes, for example '1.0.0'.`,
    ],
    [
      'a document without paths',
      "openapi: 3.1.1\ninfo: { title: Books, version: '1' }\n",
      'the document has no paths (books.yaml:1:1). Add at least one path under "paths".',
    ],
    [
      'an invalid value of an OpenAPI field',
      books('in: path', 'in: pth'),
      '"in" has the invalid value "pth" (books.yaml:8:31). Did you mean "path"?',
    ],
    [
      'the same in OpenAPI 3.0',
      inVersion30(books('in: path', 'in: pth')),
      '"in" has the invalid value "pth" (books.yaml:8:31). Did you mean "path"?',
    ],
    [
      'an unknown field',
      books('responses', 'respnses'),
      '"get" has the unknown field "respnses" (books.yaml:9:7). Check the spelling and the indentation.',
    ],
    [
      'a missing field',
      books('          description: The book.\n', ''),
      '"200" has no "description" (books.yaml:11:11). Add "description".',
    ],
    [
      'a path without a leading slash',
      books('/books', 'books'),
      'the path "books/{bookId}" does not start with "/" (books.yaml:4:3). Write it as "/books/{bookId}".',
    ],
    [
      'an unknown type',
      books('type: integer', 'type: integr'),
      '"type" has the invalid value "integr" (books.yaml:8:69). Did you mean "integer"?',
    ],
    [
      'an unknown type in a component, in OpenAPI 3.0',
      inVersion30(books('type: string', 'type: strin')),
      '"type" has the invalid value "strin" (books.yaml:20:24). Did you mean "string"?',
    ],
    [
      'an unknown type in a list of types',
      books('type: string', 'type: [string, nul]'),
      'item 2 of "type" has the invalid value "nul" (books.yaml:20:33). Did you mean "null"?',
    ],
    [
      'a type in place of a schema',
      books('title: { type: string }', 'title: string'),
      '"title" must be a schema (books.yaml:20:16). Write it as { type: string }.',
    ],
    [
      'an invalid regular expression',
      books('type: string', `type: string, pattern: '['`),
      '"[" is not a valid regular expression (books.yaml:20:41). Correct the pattern, or escape special characters with a backslash.',
    ],
    [
      'an undeclared path parameter',
      books('/books/{bookId}', '/books/{bookId}/{page}'),
      'GET /books/{bookId}/{page} does not declare the parameter {page} (books.yaml:5:5). ' +
        'Add a parameter with "name: page" and "in: path".',
    ],
    [
      'a declared path parameter that is not in the path',
      books('/books/{bookId}', '/books'),
      'the path "/books" does not contain {bookId} (books.yaml:8:19). Remove the parameter.',
    ],
    [
      'a duplicate operationId',
      books(
        'components:',
        '  /authors:\n    get: { operationId: readBook, responses: {} }\ncomponents:',
      ),
      'the operationId "readBook" is already used by GET /books/{bookId} (books.yaml:16:25). Give each operation a unique operationId.',
    ],
    [
      'two identical paths',
      books(
        'components:',
        `  /books/{id}:
    get: { parameters: [{ name: id, in: path, required: true, schema: {} }], responses: {} }
components:`,
      ),
      'GET /books/{id} matches the same requests as GET /books/{bookId} (books.yaml:15:3). Remove one of the two.',
    ],
    [
      'an invalid date',
      books('      operationId', '      x-deprecation: { sunset: 2030-02-30 }\n      operationId'),
      '"sunset" must be a date (got "2030-02-30") (books.yaml:6:32). Write it as 2030-12-05 or 2030-12-05T00:00:00Z.',
    ],
    [
      'an alias without an anchor',
      `${BOOKS}x-a: *a\n`,
      'the alias *a has no anchor (books.yaml:21:6). Define the anchor &a on a value above it.',
    ],
    [
      'an alias inside its own anchor',
      `${BOOKS}x-a: &a\n  b: *a\n`,
      'the alias *a is inside its own anchor (books.yaml:22:6). Use $ref for a schema that contains itself.',
    ],
    [
      'aliases that expand to billions of values',
      BOOKS + ALIAS_BOMB,
      'its aliases expand to more than 10,000,000 values. Use $ref instead of *aliases.',
    ],
    [
      'merges that copy millions of keys',
      `${BOOKS}x-bomb:\n  a0: &a0 { ${Array.from({ length: 1000 }, (_, at) => `k${at}: 1`).join(', ')} }\n${Array.from({ length: 1500 }, (_, at) => `  a${at + 1}: &a${at + 1} { <<: *a${at} }\n`).join('')}`,
      expect.stringContaining('its merges (<<) copy more than 1,000,000 keys'),
    ],
    [
      'a very long version',
      `openapi: ${'x'.repeat(1000)}\ninfo: { title: Books, version: '1' }\npaths: {}\n`,
      expect.stringMatching(/^OpenAPI x{80}… is/),
    ],
    [
      'a header parameter with the style of another location',
      withParameter('3.0.3', '{ name: a, in: header, style: form, schema: {} }'),
      '"style" has the invalid value "form" (books.yaml:8:41). Known: simple.',
    ],
    [
      'the same in OpenAPI 3.1',
      withParameter('3.1.1', '{ name: a, in: header, style: form, schema: {} }'),
      '"style" has the invalid value "form" (books.yaml:8:41). Known: simple.',
    ],
    [
      'a parameter with an invalid location',
      withParameter('3.0.3', '{ name: a, in: heder, style: form, schema: {} }'),
      '"in" has the invalid value "heder" (books.yaml:8:26). Did you mean "header"?',
    ],
    [
      'a value under a path with a percent sign',
      withParameter('3.1.1', '{ name: a, in: heder, schema: {} }').replace('/books:', '/%61:'),
      '"in" has the invalid value "heder" (books.yaml:8:26). Did you mean "header"?',
    ],
    ['thousands of nested brackets', `a: ${'['.repeat(20_000)}`, expect.stringMatching(TOO_DEEP)],
    [
      'more than 400 levels',
      `${BOOKS}x-deep: ${'['.repeat(400)}${']'.repeat(400)}\n`,
      expect.stringMatching(TOO_DEEP),
    ],
  ])('%s', async (_mistake, text, expected) => {
    await write('books.yaml', text)

    const message = await loadError('books.yaml')

    expect(message.replace('Cannot load books.yaml: ', '')).toEqual(expected)
  })

  test.each([
    ['!own', 'scalar', '!<!own>'],
    ['!!binary', 'scalar', '!<tag:yaml.org,2002:binary>'],
  ])('the unknown tag %s', async (tag, kind, name) => {
    await write('books.yaml', `${BOOKS}x-tagged: ${tag} aGVsbG8=\n`)

    const message = await loadError('books.yaml')

    expect(message).toMatch(
      /^Cannot load books\.yaml: the YAML is invalid: .* \(books\.yaml:\d+:11\)\. Correct the line\.$/,
    )
    expect(message).toContain(`unknown ${kind} tag ${name}`)
  })

  test.each([400, 3000])('%i nested arrays in valid JSON', async (levels) => {
    const lists = '['.repeat(levels) + ']'.repeat(levels)
    await write('books.json', `{ "openapi": "3.1.0", "x-deep": ${lists} }`)

    const message = await loadError('books.json')

    expect(message.replace('Cannot load books.json: ', '')).toMatch(TOO_DEEP)
  })

  test.each([
    ['arrays in JSON', 'books.json', `{ "openapi": ${'['.repeat(20_000)}`, 415],
    ['objects in JSON', 'books.json', `{ "openapi": ${'{"a":'.repeat(20_000)}`, 2015],
    ['lists in brackets', 'books.yaml', `openapi: ${'['.repeat(20_000)}`, 411],
    ['lists in one line', 'books.yaml', '- '.repeat(20_000), 804],
    ['keys in one line', 'books.yaml', '? '.repeat(20_000), 804],
  ])('the parser stops at 400 levels: %s', async (_what, file, text, column) => {
    await write(file, text)

    const message = await loadError(file)

    expect(message).toBe(
      `Cannot load ${file}: the file is nested more than 400 levels deep (${file}:1:${column}). Flatten the structure.`,
    )
  })

  test('several mistakes are listed in one message, at most twenty', async () => {
    const schemas = Array.from({ length: 22 }, (_, at) => `    S${at}: { type: strng }\n`)
    await write('books.yaml', BOOKS + schemas.join(''))

    const lines = (await loadError('books.yaml')).split('\n')

    expect(lines).toHaveLength(22)
    expect(lines[0]).toBe('Cannot load books.yaml: 22 mistakes.')
    expect(lines[1]).toBe(
      '  "type" has the invalid value "strng" (books.yaml:21:17). Did you mean "string"?',
    )
    expect(lines[21]).toBe('  … and 2 more.')
  })
})

describe('a $ref', () => {
  test.each([
    [
      'to another server is rejected',
      'https://books.test/book.yaml#/Book',
      'points to another server (books.yaml:14:31). Save a copy next to the document, or allow it with --allow-remote-refs.',
    ],
    [
      'out of the folder is rejected',
      '../book.yaml#/Book',
      `points outside the document's folder (books.yaml:14:31). Move the file next to the document, or allow it with --allow-outside-refs.`,
    ],
    [
      'to an absolute URL out of the folder is rejected',
      'file:///etc/secret.yaml',
      `points outside the document's folder (books.yaml:14:31). Move the file next to the document, or allow it with --allow-outside-refs.`,
    ],
    [
      'to a file of another machine is rejected',
      'file://books.test/book.yaml',
      `is not the URL of a local file (books.yaml:14:31). Refer to a file in the document's folder.`,
    ],
    [
      'with encoded slashes is rejected',
      'x%2f..%2f..%2fbook.yaml',
      `is not the URL of a local file (books.yaml:14:31). Refer to a file in the document's folder.`,
    ],
    [
      'to a file with another extension is rejected',
      './.env',
      'is neither a YAML nor a JSON file (books.yaml:14:31). Refer to a .yaml, .yml or .json file.',
    ],
    [
      'to a file that does not exist is reported',
      './book.yaml#/Book',
      'cannot be read: the file does not exist (books.yaml:14:31). Check the path.',
    ],
    [
      'to a missing value is reported',
      '#/components/schemas/Bok',
      'points to a value that does not exist (books.yaml:14:31). Check the spelling.',
    ],
    [
      'to a missing anchor is reported',
      '#Book',
      'points to a value that does not exist (books.yaml:14:31). Check the spelling.',
    ],
  ])('%s', async (_fact, ref, reason) => {
    await write('books.yaml', books('#/components/schemas/Book', ref))

    const message = await loadError('books.yaml')

    expect(message).toBe(`Cannot load books.yaml: the $ref "${ref}" ${reason}`)
  })

  test.each([
    [
      'with a syntax error',
      'Book:\n  type: object\n type: x\n',
      'the indentation is inconsistent (book.yaml:3:1).',
    ],
    [
      'with an open bracket before the next line',
      'Book: {type: object\nBooks: {}\n',
      'the bracket { is not closed (book.yaml:1:7). Add } before book.yaml:2:1, or indent the lines that belong to it.',
    ],
    [
      'with an open bracket at its end',
      'Book: [{type: object}',
      'the bracket [ is not closed (book.yaml:1:7). Add ] before book.yaml:1:22.',
    ],
    [
      'with an open bracket in an open bracket',
      'Book: [1, {type: object\n\nBooks: {}\n',
      'the bracket { is not closed (book.yaml:1:11). Add } before book.yaml:3:1',
    ],
    [
      'with an open quote',
      'Book: {type: "object}\n',
      'the quote " is not closed (book.yaml:1:14). Add " at the end of the text.',
    ],
    [
      'with a wrong type',
      'Book:\n  type: objct\n',
      '"type" has the invalid value "objct" (book.yaml:2:9).',
    ],
    [
      'with an alias bomb',
      ALIAS_BOMB,
      'its aliases expand to more than 10,000,000 values (book.yaml).',
    ],
    [
      'without the value',
      'Bok: {}\n',
      'the $ref "./book.yaml#/Book" points to a value that does not exist (books.yaml:14:31).',
    ],
  ])('to a file %s is reported with the location', async (_what, text, expected) => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await write('book.yaml', text)

    const message = await loadError('books.yaml')

    expect(message).toContain(expected)
  })

  test('through a symbolic link out of the folder is rejected unless it is allowed', async () => {
    await mkdir(join(folder, 'api'))
    await write('api/books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await write('book.yaml', 'Book: { type: object }\n')
    await symlink(join(folder, 'book.yaml'), join(folder, 'api/book.yaml'))

    const message = await loadError('api/books.yaml')
    const contract = await loadContract(join(folder, 'api/books.yaml'), { outsideRefs: true })

    expect(message).toContain(
      `leaves the document's folder through a symbolic link (api/books.yaml:14:31)`,
    )
    expect(contract.operations[0]?.responses[0]?.schema).toEqual({ type: 'object' })
  })

  test('to a pipe is rejected without reading it', async () => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    makePipe('book.yaml')

    const message = await loadError('books.yaml')

    expect(message).toBe(
      'Cannot load books.yaml: the $ref "./book.yaml#/Book" points to a pipe, a socket or a device ' +
        `(books.yaml:14:31). Refer to a file in the document's folder.`,
    )
  })

  test('to a device is rejected, whatever is allowed', async () => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await symlink('/dev/zero', join(folder, 'book.yaml'))

    const message = await loadError('books.yaml', { outsideRefs: true })

    expect(message).toContain('points to a pipe, a socket or a device (books.yaml:14:31)')
  })

  test('to a folder is rejected', async () => {
    await write('books.yaml', books('#/components/schemas/Book', './book.yaml#/Book'))
    await mkdir(join(folder, 'book.yaml'))

    const message = await loadError('books.yaml')

    expect(message).toContain('cannot be read: it is a folder (books.yaml:14:31)')
  })

  test('to another server is read if it is allowed', async () => {
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

  test('to another server whose response never ends is rejected', async () => {
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

    const message = await loadError('books.yaml', { remoteRefs: true })
    server.close()

    expect(message).toContain('cannot be downloaded: the file is larger than 64 MiB')
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

    const message = await loadError('books.yaml', { remoteRefs: true, outsideRefs: true })
    server.close()

    expect(message).toContain('points to a URL that the document must not read')
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
  ])('is reported at the $ref that closes the cycle: %s', async (schema, name, line) => {
    const [before = ''] = BOOKS.split('      type: object')
    await write('c.yaml', 'C: { not: { $ref: "books.yaml#/components/schemas/B" } }\n')
    await write('books.yaml', `${before}      ${schema}\n`)

    const message = await loadError('books.yaml')

    expect(message).toContain(
      `: the schema "${name}" applies itself to the same value, so validation never ends (`,
    )
    expect(message).toMatch(
      new RegExp(`yaml:${line}:\\d+\\)\\. Remove this \\$ref, or move it below`),
    )
    expect(message).not.toContain('mistakes')
  })

  test.each(['properties: { next', 'items: { anyOf: [{}], not', 'patternProperties: { a'])(
    'is accepted when each step leads to a smaller value: %s',
    async (keyword) => {
      const schema = `${keyword}: { $ref: "#/components/schemas/Book" } }`
      await write('books.yaml', books('type: object\n', `anyOf: [{ ${schema} }]\n`))

      const { operations } = await loadContract(join(folder, 'books.yaml'))

      expect(operations[0]?.responses[0]?.validate?.(1)).toBe(true)
    },
  )
})

describe('loading accepts', () => {
  test('a pattern that is only valid without the u flag', async () => {
    await write(
      'books.yaml',
      books('title: { type: string }', String.raw`title: { type: string, pattern: '^[\w-.]+$' }`),
    )

    const { operations } = await loadContract(join(folder, 'books.yaml'))
    const validate = operations[0]?.responses[0]?.validate

    expect([validate?.({ title: 'a-b.c' }), validate?.({ title: 'a b' })]).toEqual([true, false])
  })

  test('the description of a server variable in OpenAPI 3.1', async () => {
    const servers = `servers: [{ url: '{base}', variables: { base: { default: /v3, description: Where. } } }]\n`
    await write('books.yaml', BOOKS + servers)

    const { basePath } = await loadContract(join(folder, 'books.yaml'))

    expect(basePath).toBe('/v3')
  })
})
