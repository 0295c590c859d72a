import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../index.ts'
import { loadContract } from '../load.ts'
import { openControl } from '../testing/control.ts'
import { sendRawRequest } from '../testing/raw-request.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})

afterEach(() => rm(folder, { recursive: true }))

interface Hostile {
  /** In place of `/books`. */
  readonly path?: string
  /** Further lines of its GET. */
  readonly operation?: string
  /** Of a book's id. */
  readonly id?: string
  /** What the answer of its GET declares. */
  readonly headers?: string
  /** Further properties of a book. */
  readonly properties?: string
}

/** A sandbox of a document that somebody else has written. */
async function serve({
  path = '/books',
  operation,
  headers = '{}',
  id = 'integer',
  properties = '',
}: Hostile) {
  const schema = `{ $ref: '#/components/schemas/Book' }`
  const file = join(folder, 'books.yaml')
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
        '201': { description: Added., content: { application/json: { schema: ${schema} } } }
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
  return createSandbox({ contract: await loadContract(file), records: 3, auth: false })
}

async function firstOf(sandbox: Sandbox): Promise<unknown> {
  const response = await sandbox.fetch(new Request('http://localhost/books?limit=1'))
  return response.json()
}

describe('a document runs no code', () => {
  const LAST_WORD = 'globalThis.isTaken = true'

  afterEach(() => Reflect.deleteProperty(globalThis, 'isTaken'))

  test.each([
    ['then', `{ constructor.constructor: ['${LAST_WORD}'] }`],
    ['toJSON', `{ constructor.constructor: ['${LAST_WORD}'] }`],
    ['toJSON', `{ seed.constructor: ['${LAST_WORD}'] }`],
    ['toJSON', `{ helpers.fake: ['{{constructor.constructor(${LAST_WORD})()}}'] }`],
    ['toJSON', `{ helpers.fake: ['{{helpers.fake.constructor(${LAST_WORD})()}}'] }`],
    ['toJSON', `{ helpers.fake: ['{{seed.constructor.constructor(${LAST_WORD})()}}'] }`],
  ])('by its hints: %s: %s', async (name, hint) => {
    const sandbox = await serve({ properties: `${name}: { x-faker: ${hint} }` })

    await expect(firstOf(sandbox)).rejects.toThrow('its x-faker hint fails')
    expect(globalThis).not.toHaveProperty('isTaken')
  })

  test('by names that are quoted badly in code', async () => {
    const name = `"']\\n;${LAST_WORD};//\``
    const properties = `? ${JSON.stringify(name)}\n        : { type: integer, enum: [7], default: 7 }`
    const sandbox = await serve({ properties })

    expect(await firstOf(sandbox)).toMatchObject([{ [name]: 7 }])
    expect(globalThis).not.toHaveProperty('isTaken')
  })
})

test('a document puts no check out of force', async () => {
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

describe('a document changes no prototype', () => {
  test.each(['__proto__', 'constructor', 'toString'])('by a property named %s', async (name) => {
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

describe('a document writes no header of its own', () => {
  test('by the address of a successor', async () => {
    const notice = String.raw`{ date: 2020-01-01, successor: "/new\r\nX-Evil: 1" }`
    const sandbox = await serve({ operation: `x-deprecation: ${notice}` })

    const { headers, status } = await sendRawRequest(sandbox, ['GET /books HTTP/1.1'])

    expect(status).toBe(200)
    expect(headers.get('X-Evil')).toBeNull()
    expect(headers.get('Link')).toMatch(/\/new%0D%0AX-Evil:%201>; rel="successor-version"$/)
  })

  test('by the names of headers that it declares', async () => {
    const header = '{ schema: { type: string } }'
    const names = String.raw`"A\r\nX-Evil: 1": ${header}, "Ä": ${header}, "B, C": ${header}, X-Fine: ${header}`
    const sandbox = await serve({ headers: `{ ${names} }` })

    const { headers, status } = await sendRawRequest(sandbox, ['GET /books HTTP/1.1'])

    expect(status).toBe(200)
    expect(headers.get('X-Evil')).toBeNull()
    expect(headers.get('Access-Control-Expose-Headers')).toMatch(/, X-Sandbox-Reason, X-Fine$/)
  })

  test('by a path that no header can carry', async () => {
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

describe('a record writes no header', () => {
  test('by its id', async () => {
    const sandbox = await serve({ id: 'string' })
    const { steer } = openControl({}, sandbox)
    const id = '\r\nX-Evil: 1>; rel="evil"'

    const added = await steer('POST', '/records/books', { body: { id, title: 'Emma' } })
    const listed = await sendRawRequest(sandbox, ['GET /books?limit=1 HTTP/1.1'])

    expect(added.headers.get('Location')).toBe(`/__sandbox/records/books/${encodeURIComponent(id)}`)
    expect(await listed.json()).toMatchObject([{ id }])
    expect(listed.headers.get('X-Evil')).toBeNull()
    expect(listed.headers.get('Link')).toMatch(/^<[^<>]+&cursor=[\w-]+>; rel="next"$/)
  })
})

describe('a document of good faith', () => {
  test('lets no client divide a path among parameters for minutes', async () => {
    const parameters = ['from', 'to', 'by', 'at', 'on']
      .map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`)
      .join(', ')
    const file = join(folder, 'ways.yaml')
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
