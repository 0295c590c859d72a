import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Diagnostics } from '../document/diagnostics.ts'
import { loadDocument } from '../document/load-document.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { loadContract } from '../load.ts'
import { openControl } from '../testing/control.ts'
import { TIMEOUT_OF_SECONDS } from '../testing/long-run.ts'
import { sendRawRequest } from '../testing/raw-request.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const directory = useTemporaryDirectory()

interface HostileParts {
  /** The path of the collection. Default: `/books`. */
  readonly path?: string
  /** The fields of its GET operation. */
  readonly operation?: string
  /** The type of a book's id. */
  readonly id?: string
  /** The headers that the response of GET declares. */
  readonly headers?: string
  /** Additional properties of a book. */
  readonly properties?: string
}

/** The diagnostics of the latest document. */
let diagnostics: Diagnostics

/** Creates a sandbox for a document with these parts. */
async function serve({
  path = '/books',
  operation,
  headers = '{}',
  id = 'integer',
  properties = '',
}: HostileParts) {
  const schema = `{ $ref: '#/components/schemas/Book' }`
  const file = join(directory(), 'books.yaml')
  await writeFile(
    file,
    `openapi: 3.1.1
info: { title: Books, version: '1' }
paths:
  ${path}:
    get:
      ${operation ?? 'operationId: listBooks'}
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
        - { name: cursor, in: query, schema: { type: string } }
      responses:
        '200':
          description: Books.
          headers: ${headers}
          content: { application/json: { schema: { type: array, items: ${schema} } } }
    post:
      requestBody: { content: { application/json: { schema: ${schema} } } }
      responses:
        '201':
          description: Added.
          headers: { Location: { schema: { type: string } } }
          content: { application/json: { schema: ${schema} } }
components:
  schemas:
    Book:
      type: object
      properties:
        id: { type: ${id}, readOnly: true }
        title: { type: string }
        ${properties}
`,
  )
  const loaded = await loadDocument(file)
  diagnostics = loaded.diagnostics
  return createSandbox({ contract: loaded.contract, records: 3, auth: false })
}

async function listFirstBook(sandbox: Sandbox): Promise<unknown> {
  const response = await sandbox.fetch(new Request('http://localhost/books?limit=1'))
  return response.json()
}

describe('a document cannot run code', () => {
  const CODE = 'globalThis.isTaken = true'

  afterEach(() => Reflect.deleteProperty(globalThis, 'isTaken'))

  test.each([
    ['then', `{ constructor.constructor: ['${CODE}'] }`],
    ['toJSON', `{ constructor.constructor: ['${CODE}'] }`],
    ['toJSON', `{ seed.constructor: ['${CODE}'] }`],
    ['toJSON', `{ helpers.fake: ['{{constructor.constructor(${CODE})()}}'] }`],
    ['toJSON', `{ helpers.fake: ['{{helpers.fake.constructor(${CODE})()}}'] }`],
    ['toJSON', `{ helpers.fake: ['{{seed.constructor.constructor(${CODE})()}}'] }`],
  ])('with an x-faker hint of the property %s: %s', async (name, hint) => {
    const sandbox = await serve({ properties: `${name}: { x-faker: ${hint} }` })

    expect(await listFirstBook(sandbox)).toEqual([])
    expect(diagnostics.list()).toMatchObject([
      { reason: expect.stringContaining('its x-faker hint fails') },
    ])
    expect(globalThis).not.toHaveProperty('isTaken')
  })

  test('with a property name that contains quotes', async () => {
    const name = `"']\\n;${CODE};//\``
    const properties = `? ${JSON.stringify(name)}\n        : { type: integer, enum: [7], default: 7 }`
    const sandbox = await serve({ properties })

    expect(await listFirstBook(sandbox)).toMatchObject([{ [name]: 7 }])
    expect(globalThis).not.toHaveProperty('isTaken')
  })
})

test('a document cannot disable validation with keywords of the validator', async () => {
  const sandbox = await serve({ properties: '\n      $async: true\n      $dynamicRef: "#nowhere"' })

  const { status } = await sandbox.fetch(
    new Request('http://localhost/books', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"title":5}',
    }),
  )

  expect(status).toBe(400)
})

describe('a document cannot change a prototype', () => {
  test.each(['__proto__', 'constructor', 'toString'])('with a property named %s', async (name) => {
    const known = Object.getOwnPropertyNames(Object.prototype)
    const sandbox = await serve({
      properties: `${name}: { type: object, properties: { polluted: { type: string } } }`,
    })

    await sandbox.fetch(
      new Request('http://localhost/books', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: `{"title":"Emma","${name}":{"polluted":"yes"}}`,
      }),
    )

    expect(JSON.stringify(await sandbox.collection('books').get(4))).toContain('"polluted":"yes"')
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(known)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('a document cannot add a response header', () => {
  test('with the URL of a successor', async () => {
    const notice = String.raw`{ date: 2020-01-01, successor: "/new\r\nX-Evil: 1" }`
    const sandbox = await serve({ operation: `x-deprecation: ${notice}` })

    const { headers, status } = await sendRawRequest(sandbox, ['GET /books HTTP/1.1'])

    expect(status).toBe(200)
    expect(headers.get('X-Evil')).toBeNull()
    expect(headers.get('Link')).toMatch(/\/new%0D%0AX-Evil:%201>; rel="successor-version"$/)
  })

  test('with the names of documented headers', async () => {
    const header = '{ schema: { type: string } }'
    const names = String.raw`"A\r\nX-Evil: 1": ${header}, "Ä": ${header}, "B, C": ${header}, X-Fine: ${header}`
    const sandbox = await serve({ headers: `{ ${names} }` })

    const { headers, status } = await sendRawRequest(sandbox, ['GET /books HTTP/1.1'])

    expect(status).toBe(200)
    expect(headers.get('X-Evil')).toBeNull()
    expect(headers.get('Access-Control-Expose-Headers')).toMatch(
      /, X-Sandbox-Reason, X-Sandbox-Source, X-Fine$/,
    )
  })

  test.each(
    ['X Limit', '', 'A\r\nX-Evil: 1', 'Trailer', 'Transfer-Encoding', 'content-length'].concat([
      'Connection',
      'Keep-Alive',
      'Upgrade',
      'TE',
      'Content-Type',
      'Date',
    ]),
  )('with %j as the header of a quota, which is a mistake with its place', async (name) => {
    const file = join(directory(), 'quota.json')
    const rateLimitHeaders = { [name]: 'limit', 'X-Left': 'remaining' }
    const hints = { plans: { all: { minute: 9, day: 9 } }, rateLimitHeaders }
    const paths = { '/a': { get: { responses: { 200: { description: 'All.' } } } } }
    const info = { title: 'A', version: '1' }
    await writeFile(file, JSON.stringify({ openapi: '3.1.1', info, 'x-sandbox': hints, paths }))
    const { contract, diagnostics } = await loadDocument(file)

    const { headers, status } = await sendRawRequest(createSandbox({ contract }), [
      'GET /a HTTP/1.1',
    ])

    expect([status, headers.get('X-Left'), headers.get('X-Evil')]).toEqual([200, '8', null])
    expect([...headers.values()]).not.toContain('9')
    expect(diagnostics.list()).toMatchObject([
      {
        reason: expect.stringContaining('must be the name of a header'),
        location: expect.stringMatching(/quota\.json:1:\d+$/),
      },
    ])
  })

  test('with the name of a documented header of a quota', async () => {
    const sandbox = await serve({ headers: '{ "X-RateLimit Limit": { schema: {} } }' })

    const { status } = await sendRawRequest(sandbox, ['GET /books HTTP/1.1'])

    expect(status).toBe(200)
    expect(diagnostics.list()).toMatchObject([
      { reason: '"X-RateLimit Limit" is not the name of a header', assumed: 'it is not sent' },
    ])
  })

  test('with a title in a challenge', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    const sandbox = createSandbox({ contract: { ...contract, title: 'Книги\r\nX-Evil: 1' } })
    const target = `${contract.basePath}/books`

    const { headers, status } = await sendRawRequest(sandbox, [`GET ${target} HTTP/1.1`])

    expect([status, headers.get('X-Evil')]).toEqual([401, null])
    expect(headers.get('WWW-Authenticate')).toContain('realm="?X-Evil: 1"')
  })

  test('with a path that is not valid in a header', async () => {
    const sandbox = await serve({ path: '"/книги>\\r\\nX-Evil: 1"' })
    const path = encodeURI('/книги>\r\nX-Evil: 1')

    const listed = await sendRawRequest(sandbox, [`GET ${path}?limit=1 HTTP/1.1`])
    const added = await sendRawRequest(
      sandbox,
      [`POST ${path} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 2'],
      '{}',
    )

    expect([listed.status, added.status]).toEqual([200, 201])
    expect(listed.headers.get('Link')).toContain(`${path}?limit=1&cursor=`)
    expect(added.headers.get('Location')).toMatch(new RegExp(`${path}/4$`))
    expect(added.headers.get('X-Evil')).toBeNull()
  })
})

describe('a record cannot add a response header', () => {
  test('with its id', async () => {
    const sandbox = await serve({ id: 'string' })
    const { callControl } = openControl({}, sandbox)
    const id = '\r\nX-Evil: 1>; rel="evil"'

    const added = await callControl('POST', '/records/books', { body: { id, title: 'Emma' } })
    const listed = await sendRawRequest(sandbox, ['GET /books?limit=1 HTTP/1.1'])

    expect(added.headers.get('Location')).toBe(`/__sandbox/records/books/${encodeURIComponent(id)}`)
    expect(await listed.json()).toMatchObject([{ id }])
    expect(listed.headers.get('X-Evil')).toBeNull()
    expect(listed.headers.get('Link')).toMatch(/^<[^<>]+&cursor=[\w-]+>; rel="next"$/)
  })
})

describe('a path template with several parameters in one segment', () => {
  test('matches long paths in linear time', async () => {
    const parameters = ['from', 'to', 'by', 'at', 'on']
      .map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`)
      .join(', ')
    const file = join(directory(), 'ways.yaml')
    await writeFile(
      file,
      `openapi: 3.1.1
info: { title: Ways, version: '1' }
paths:
  /ways/{from}-{to}-{by}-{at}-{on}.:
    get:
      parameters: [${parameters}]
      responses: { '200': { description: A way., content: { application/json: { example: {} } } } }
`,
    )
    const sandbox = createSandbox({ contract: await loadContract(file), auth: false })

    const way = await sandbox.fetch(new Request('http://localhost/ways/here-there-train-8-monday.'))
    const long = await sandbox.fetch(new Request(`http://localhost/ways/${'-'.repeat(15_000)}.`))
    const none = await sandbox.fetch(new Request(`http://localhost/ways/${'-'.repeat(15_000)}`))

    expect([way.status, long.status, none.status]).toEqual([200, 200, 404])
  })
})

describe('a document of any content is loaded and served in bounded time:', () => {
  /** A list of schemas S0, S1, … and a last one that is an object. */
  function chainOf(length: number, schemaAt: (next: string) => string): string {
    const lines = Array.from(
      { length },
      (_, index) =>
        `    S${index}: ${schemaAt(`{ $ref: '#/components/schemas/S${index + 1}' }`)}\n`,
    )
    return `components:\n  schemas:\n${lines.join('')}    S${length}: { type: object }\n`
  }

  function withSchema(schema: string, more = ''): string {
    return `openapi: 3.1.1
info: { title: Things, version: '1' }
paths:
  /things:
    post:
      requestBody: { content: { application/json: { schema: ${schema} } } }
      responses: { '201': { description: Added. } }
${more}`
  }

  const LOOP = `{ $ref: '#/components/schemas/Loop' }`
  const FIRST = `{ $ref: '#/components/schemas/S0' }`
  const DEEP = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`

  async function answer(text: string, body: string): Promise<number> {
    const file = join(directory(), 'api.yaml')
    await writeFile(file, text)
    const loaded = await loadDocument(file)
    diagnostics = loaded.diagnostics
    const sandbox = createSandbox({ contract: loaded.contract, auth: false })
    const headers = { 'Content-Type': 'application/json' }
    const { status } = await sandbox.fetch(
      new Request('http://localhost/things', { method: 'POST', headers, body }),
    )
    return status
  }

  test.each<[string, (next: string) => string, string, number]>([
    [
      'properties with 2^40 paths',
      (next) => `{ properties: { a: ${next}, b: ${next} } }`,
      DEEP,
      400,
    ],
    ['allOf with 2^40 branches', (next) => `{ allOf: [${next}, ${next}] }`, '{}', 201],
    ['anyOf with 2^40 branches', (next) => `{ anyOf: [${next}, ${next}] }`, '{}', 201],
    [
      'anyOf with 3^40 ways to fail',
      (next) => `{ type: object, properties: { a: { anyOf: [${next}, ${next}, ${next}] } } }`,
      DEEP,
      400,
    ],
  ])('%s', async (_what, schemaAt, body, expected) => {
    const status = await answer(withSchema(FIRST, chainOf(40, schemaAt)), body)

    expect(status).toBe(expected)
  })

  test.each<[string, (next: string) => string]>([
    ['allOf', (next) => `{ allOf: [${next}] }`],
    ['a $ref', (next) => next],
    ['a $ref beside keywords', (next) => next.replace('{', '{ minProperties: 1, ')],
    ['properties', (next) => `{ properties: { a: ${next} } }`],
  ])('a chain of 5,000 schemas through %s', async (_what, schemaAt) => {
    const status = await answer(withSchema(FIRST, chainOf(5000, schemaAt)), '{"a":{}}')

    expect(status).toBe(201)
  })

  test.each([
    ['a list of itself', `{ type: array, items: ${LOOP} }`],
    ['a list of lists of itself', `{ type: array, items: { type: array, items: ${LOOP} } }`],
    [
      'a list of itself or of texts',
      `{ type: array, items: { anyOf: [${LOOP}, { type: string }] } }`,
    ],
    ['a map of itself', `{ additionalProperties: ${LOOP} }`],
    ['a tuple of itself', `{ type: array, prefixItems: [${LOOP}], items: ${LOOP} }`],
    [
      'properties and lists of itself',
      `{ properties: { data: ${LOOP}, items: { type: array, items: ${LOOP} } } }`,
    ],
    [
      'every kind of value',
      `{ oneOf: [{ type: string }, { type: array, items: ${LOOP} }, { type: object, additionalProperties: ${LOOP} }] }`,
    ],
  ])('a schema that contains itself: %s', async (_what, schema) => {
    const content = `content: { application/json: { schema: ${LOOP} } }`
    const more = `    get: { responses: { '200': { description: All., ${content} } } }
components: { schemas: { Loop: ${schema} } }
`
    const text = withSchema(LOOP, more).replace('Added. ', `Added., ${content} `)

    const statuses = [await answer(text, '[[]]'), await answer(text, '{"data":{},"items":[{}]}')]

    expect(statuses).toContain(201)
    expect(statuses).not.toContain(500)
  })

  test('a schema with 50,000 properties', async () => {
    const properties = Array.from({ length: 50_000 }, (_, index) => `p${index}: {}`).join(', ')

    const status = await answer(withSchema(`{ properties: { ${properties} } }`), '{}')

    expect(status).toBe(201)
    expect(diagnostics.list()[0]?.reason).toMatch(/^"properties" must be an object of at most/)
  })

  test('names of a million characters, which diagnostics cut', async () => {
    const name = 'x'.repeat(1_000_000)
    const schema = `{ properties: { ${name}: { type: ${name} }, b: { $ref: '#/${name}' } } }`

    const status = await answer(withSchema(schema), '{}')

    expect(status).toBe(201)
    expect(Math.max(...diagnostics.list().map(({ reason }) => reason.length))).toBeLessThan(600)
  })

  test.each([
    'file:///etc/passwd',
    'file:///etc/passwd.yaml',
    '../../../../../../etc/passwd',
    'http://127.0.0.1:1/a.yaml',
    'http://169.254.169.254/a.json',
    '//books.test/a.yaml',
    '/dev/zero',
  ])('a $ref to %s, which is not read', async (ref) => {
    const status = await answer(withSchema(`{ $ref: '${ref}' }`), '{}')

    expect(status).toBe(201)
    expect(diagnostics.list()).toMatchObject([
      { reason: expect.stringContaining(`"${ref}"`), assumed: 'it stands for anything' },
    ])
  })

  test('__proto__ as the name of every kind of part', async () => {
    const part = '{ __proto__: { polluted: yes } }'
    const more = `__proto__: { polluted: yes }
security: [${part}]
x-sandbox: { __proto__: { polluted: yes }, plans: ${part} }
components: { schemas: ${part}, responses: ${part}, parameters: ${part}, examples: ${part}, headers: ${part}, securitySchemes: ${part} }
`
    const known = Object.getOwnPropertyNames(Object.prototype)

    const status = await answer(withSchema(`{ properties: ${part}, $defs: ${part} }`, more), '{}')

    expect(status).toBe(201)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(known)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('one request to a hostile document is answered in seconds:', {
  timeout: TIMEOUT_OF_SECONDS,
}, () => {
  const BRANCHES = Array.from({ length: 5000 }, (_, at) => ({
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: `k${at}` }, size: { type: 'integer' } },
  }))
  const content = { 'application/json': { schema: { oneOf: BRANCHES } } }
  const patterns = Array.from({ length: 10 }, (_, at) => ({
    name: `q${at}`,
    in: 'query',
    schema: { type: 'string', pattern: '^(a+)+$' },
  }))
  const evil = patterns.map(({ name }) => `${name}=${'a'.repeat(60)}!`).join('&')

  test.each([
    ['5,000 alternatives of a body', { requestBody: { content } }, '', 'k4000', 200],
    ['a body that none of 5,000 alternatives allows', { requestBody: { content } }, '', 'x', 400],
    ['5,000 alternatives of a response', { responses: { 200: { content } } }, '', 'k1', 200],
    ['ten parameters with slow patterns', { parameters: patterns }, `?${evil}`, 'k1', 400],
  ])('%s', async (_what, operation, query, kind, status) => {
    const post = { responses: { 200: { description: 'Done.' } }, ...operation }
    const info = { title: 'T', version: '1' }
    const file = join(directory(), 'large.json')
    await writeFile(file, JSON.stringify({ openapi: '3.1.0', info, paths: { '/run': { post } } }))
    const sandbox = await createSandbox({ contract: await loadContract(file) })
    const headers = { 'Content-Type': 'application/json' }

    const response = await sandbox.fetch(
      new Request(`http://localhost/run${query}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ kind }),
      }),
    )

    expect(response.status).toBe(status)
  })
})
