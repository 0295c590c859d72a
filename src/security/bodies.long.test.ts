import { beforeAll, describe, expect, test } from 'vitest'
import { type Contract, createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { TIMEOUT_OF_SECONDS } from '../testing/long-run.ts'
import { TRANSPORTS } from '../testing/routed-sandbox.ts'

const ANY_OBJECT = { type: 'object', additionalProperties: true }
const ROW = { $ref: '#/components/schemas/Row' }
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=b'

let contract: Contract

beforeAll(async () => {
  const accepts = (content: object, responses: object): object => ({
    requestBody: { required: true, content },
    responses: { 200: { description: 'Accepted' }, ...responses },
  })
  const records = {
    type: 'array',
    items: { type: 'object', properties: { id: { type: 'integer' } }, additionalProperties: true },
  }
  const content = { 'application/json': { schema: records }, 'text/csv': { schema: records } }
  contract = await loadDocumentOf(
    {
      '/imports': {
        post: accepts(
          {
            'application/json': { schema: {} },
            'application/x-ndjson': { schema: { type: 'array', items: {} } },
            'text/csv': { schema: { type: 'array', items: ANY_OBJECT } },
            'application/xml': { schema: ANY_OBJECT },
            [FORM]: { schema: ANY_OBJECT },
            'multipart/form-data': { schema: ANY_OBJECT },
          },
          { 413: { description: 'Too large' } },
        ),
      },
      '/rows': {
        post: accepts(
          {
            'application/json': { schema: { type: 'array', items: ROW } },
            'application/x-ndjson': { schema: ROW },
            'text/csv': { schema: { type: 'array', items: ROW } },
            [FORM]: {
              schema: { type: 'object', properties: { a: { type: 'array', items: ROW } } },
            },
          },
          { 400: { description: 'Invalid' } },
        ),
      },
      '/books': {
        get: { responses: { 200: { description: 'Books', content } } },
        post: {
          requestBody: { content: { 'application/json': { schema: ANY_OBJECT } } },
          responses: { 201: { description: 'Created' } },
        },
      },
      '/books/{id}': {
        get: {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: { 200: { description: 'A book' } },
        },
      },
    },
    {
      components: {
        schemas: {
          Row: {
            type: 'object',
            required: ['a'],
            properties: { a: { type: 'integer' } },
            additionalProperties: false,
          },
        },
      },
    },
  )
})

type Body = readonly [what: string, path: string, contentType: string, body: () => string]

function names(count: number, name: (index: number) => string = (index) => `c${index}`): string[] {
  return Array.from({ length: count }, (_, index) => name(index))
}

function members(count: number): string {
  return `{${names(count, (index) => `"k${index}":1`).join(',')}}`
}

function part(name: string, text: string, type = 'application/json'): string {
  const disposition = `Content-Disposition: form-data; name="${name}"`
  return `--b\r\n${disposition}\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`
}

/** Sends a body. The values of a body are counted in the same way for each transport. */
async function send(
  path: string,
  type: string,
  body: string,
  transport = 'in process',
): Promise<Response> {
  const toSandbox = await TRANSPORTS[transport]?.(createSandbox({ contract, records: 1 }))
  if (!toSandbox) throw new Error(`There is no transport ${transport}`)
  return toSandbox('POST', path, { headers: { 'Content-Type': type }, body })
}

test('a body of many values is refused with a 413 by HTTP, too', async () => {
  const rows = `[${'1,'.repeat(2_000_000)}1]`

  const response = await send('/imports', 'application/json', rows, 'by HTTP')

  expect(response.status).toBe(413)
  expect(await response.text()).toContain('The body has more than 1048576 values.')
})

describe('a body of many values', () => {
  test.each<Body>([
    ['a JSON list', '/imports', 'application/json', () => `[${'1,'.repeat(1_100_000)}1]`],
    ['spaced JSON', '/imports', 'application/json', () => `[ ${'{},'.repeat(1_000_000)}1]`],
    ['lines of JSON', '/imports', 'application/x-ndjson', () => '1\n'.repeat(1_100_000)],
    [
      'lists in lines',
      '/rows',
      'application/x-ndjson',
      () => `[${'1,'.repeat(999)}1]\n`.repeat(1100),
    ],
    ['rows of a CSV', '/imports', 'text/csv', () => `a\n${'1\n'.repeat(1_000_000)}`],
    ['empty lines of a CSV', '/rows', 'text/csv', () => `a\n${'\n'.repeat(1_100_000)}`],
    ['columns of a CSV', '/imports', 'text/csv', () => ','.repeat(1_100_000)],
    ['members of an object', '/books', 'application/json', () => members(174_764)],
    ['members in a list', '/rows', 'application/json', () => `[{},{"a":${members(300_000)}}]`],
    ['members in a line', '/rows', 'application/x-ndjson', () => `{}\n${members(300_000)}`],
    ['members in a part', '/imports', MULTIPART, () => `${part('a', members(300_000))}--b--\r\n`],
    ['columns of one row', '/imports', 'text/csv', () => `${names(300_000)}\n${names(300_000)}`],
    ['XML elements', '/imports', 'application/xml', () => `<r>${'<i>1</i>'.repeat(500_000)}</r>`],
    [
      'XML attributes',
      '/imports',
      'application/xml',
      () => `<r ${names(400_000, (index) => `a${index}="1"`).join(' ')}/>`,
    ],
    ['unclosed XML elements', '/imports', 'application/xml', () => '<a>'.repeat(200_000)],
    ['JSON in a form', '/rows', FORM, () => `a=[${'1,'.repeat(1_100_000)}1]`],
    [
      'JSON in several parts',
      '/imports',
      MULTIPART,
      () =>
        `${names(5)
          .map((name) => part(name, `[${'1,'.repeat(400_000)}1]`))
          .join('')}--b--\r\n`,
    ],
  ])('is refused with a 413 that says the limit: %s', async (_, path, type, body) => {
    const response = await send(path, type, body())

    expect(response.status).toBe(413)
    expect(await response.text()).toMatch(
      /(The body|An object of the body) has more than (1048576 values|104857 elements and attributes|174763 members)\./,
    )
  })

  test.each<Body>([
    [
      '20,000 records in JSON',
      '/imports',
      'application/json',
      () => JSON.stringify(names(20_000).map((name) => ({ name, a: 1, b: 2, c: 3, d: [4, 5] }))),
    ],
    ['100,000 members', '/imports', 'application/json', () => members(100_000)],
    ['100,000 numbers', '/imports', 'application/json', () => `[${'1,'.repeat(100_000)}1]`],
    ['50,000 lines of JSON', '/rows', 'application/x-ndjson', () => '{"a":1}\n'.repeat(50_000)],
    ['50,000 rows of a CSV', '/rows', 'text/csv', () => `a\n${'1\n'.repeat(50_000)}`],
    [
      '40,000 XML elements',
      '/imports',
      'application/xml',
      () => `<r>${'<i b="1"/>'.repeat(20_000)}</r>`,
    ],
    [
      'markup in an XML text',
      '/imports',
      'application/xml',
      () => `<r><![CDATA[${'<a b="1">'.repeat(100_000)}]]></r>`,
    ],
    ['9,999 form fields', '/imports', FORM, () => names(9_999, (index) => `a${index}=1`).join('&')],
    [
      '1,000 parts',
      '/imports',
      MULTIPART,
      () =>
        `${names(1000)
          .map((name) => part(name, '1', 'text/plain'))
          .join('')}--b--\r\n`,
    ],
  ])('is accepted: %s', async (_, path, type, body) => {
    expect((await send(path, type, body())).status).toBe(200)
  })

  // Each took from ten seconds to minutes, or all memory.
  test.each<readonly [...Body, status: number]>([
    [
      'columns that no row has',
      '/imports',
      'text/csv',
      () => `${names(6000)}\n${'1\n'.repeat(8000)}`,
      200,
    ],
    [
      'a column name many times',
      '/imports',
      'text/csv',
      () => `${'a,'.repeat(30_000)}a\n${'1\n'.repeat(600)}`,
      200,
    ],
    ['quotes in a CSV', '/imports', 'text/csv', () => `a\n"${'""'.repeat(2_000_000)}"`, 200],
    ['invalid items', '/rows', 'application/json', () => `[${'{"b":1},'.repeat(50_000)}{}]`, 400],
    ['invalid lines', '/rows', 'application/x-ndjson', () => '{"b":1}\n'.repeat(200_000), 400],
    [
      'invalid items below a long name',
      '/rows',
      'application/json',
      () => `[{"${'a'.repeat(1_000_000)}":1},${'{},'.repeat(50_000)}{}]`,
      400,
    ],
    ['separators of a form', '/imports', FORM, () => '&'.repeat(8_000_000), 400],
    ['equal form fields', '/imports', FORM, () => 'a=1&'.repeat(2_000_000), 400],
  ])(
    'is answered in seconds: %s',
    { timeout: TIMEOUT_OF_SECONDS },
    async (_, path, type, body, status) => {
      const response = await send(path, type, body())

      expect(response.status).toBe(status)
    },
  )

  test('may have more values where its size limit is higher', async () => {
    const sandbox = createSandbox({ contract, bodyLimit: 20 * 1024 * 1024 })
    const toSandbox = await TRANSPORTS['by HTTP']?.(sandbox)
    const headers = { 'Content-Type': 'application/json' }

    const response = await toSandbox?.('POST', '/imports', {
      headers,
      body: `[${'1,'.repeat(1_500_000)}1]`,
    })

    expect(response?.status).toBe(200)
  })

  test('is also refused where invalid requests are served', async () => {
    const sandbox = createSandbox({ contract, validation: 'off' })
    const toSandbox = await TRANSPORTS['by HTTP']?.(sandbox)
    const headers = { 'Content-Type': 'text/csv' }

    const response = await toSandbox?.('POST', '/imports', { headers, body: ','.repeat(2_000_000) })

    expect(response?.status).toBe(413)
  })
})

describe('a large or nested body', () => {
  test.each([
    'application/json',
    'application/x-ndjson',
    'text/csv',
    'application/xml',
    FORM,
    MULTIPART,
  ])('of 10 MiB and one byte gets a 413: %s', async (type) => {
    expect((await send('/imports', type, 'a'.repeat(10 * 1024 * 1024 + 1))).status).toBe(413)
  })

  test.each([
    ['10,001 form fields', FORM, names(10_001, (index) => `a${index}=1`).join('&')],
    [
      '1,001 parts',
      MULTIPART,
      `${names(1001)
        .map((name) => part(name, '1'))
        .join('')}--b--\r\n`,
    ],
  ])('gets a 400 with too many parts: %s', async (_, type, body) => {
    expect((await send('/imports', type, body)).status).toBe(400)
  })

  const json = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const xml = (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels)

  test.each<[type: string, write: (levels: number) => string]>([
    ['application/json', json],
    ['application/x-ndjson', json],
    ['application/xml', xml],
  ])('is accepted with 100 levels and gets a 400 with 101: %s', async (type, write) => {
    const [deepest, tooDeep] = [
      await send('/imports', type, write(100)),
      await send('/imports', type, write(101)),
    ]

    expect([deepest.status, tooDeep.status]).toEqual([200, 400])
  })

  test.each([
    [
      'names with brackets have 30 levels, and longer ones are taken as they are',
      FORM,
      `a${'[b]'.repeat(5000)}=1`,
    ],
    ['JSON in a form is a text', FORM, `a=${json(5000)}`],
    ['JSON in a part is a text', MULTIPART, `${part('a', json(5000))}--b--\r\n`],
    ['JSON in a CSV is a text', 'text/csv', `a\n${json(5000)}`],
  ])('is read to its limit, and the rest of it is a text: %s', async (_, type, body) => {
    expect((await send('/imports', type, body)).status).toBe(200)
  })
})

test('a CSV of records with properties of their own has at most ten cells for each value', async () => {
  const books = names(100).map((book, index) => {
    const properties = names(100, (at) => `${book}x${at}`).map((name) => [name, 1])
    return { id: index + 1, ...Object.fromEntries(properties) }
  })
  const sandbox = createSandbox({ contract, records: { books } })

  const response = await sandbox.fetch(
    new Request('http://localhost/books', { headers: { Accept: 'text/csv' } }),
  )

  const rows = (await response.text()).split('\r\n')
  expect(response.headers.get('Content-Type')).toMatch(/^text\/csv/)
  expect(rows).toHaveLength(102)
  expect(rows[0]?.split(',').slice(0, 2)).toEqual(['id', 'c0x0'])
  expect(rows[0]?.split(',').length).toBeLessThan(1100)
})
