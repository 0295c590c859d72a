import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createSandbox } from '../index.ts'
import { sendRawRequest } from '../testing/raw-request.ts'
import { errorOf, petOf } from '../testing/responses.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  type OpenedSandbox,
  type OpenSandbox,
  type RequestOptions,
} from '../testing/transports.ts'

const FERN = { name: 'Fern', categoryId: 1 }
const FERN_TEXT = JSON.stringify(FERN)
const MEBIBYTE = 1024 * 1024

/** The first records of every sandbox. */
const FIRST_PETS = await createSandbox().collection('pets').list()

/** Sends a request that must be refused and change no record. Returns the message of the error. */
async function expectRefusal(
  { request, sandbox }: OpenedSandbox,
  expectedStatus: number,
  ...args: Parameters<OpenedSandbox['request']>
): Promise<string> {
  const response = await request(...args)

  const { message, status } = await errorOf(response)
  expect(response.status).toBe(expectedStatus)
  expect(status).toBe(expectedStatus)
  expect(await sandbox.collection('pets').list()).toEqual(FIRST_PETS)

  return message
}

function fernWith(property: string): string {
  return `{"name": "Fern", "categoryId": 1, ${property}}`
}

/** A valid body with this number of bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ ...FERN, name: '' })
  return JSON.stringify({ ...FERN, name: 'x'.repeat(bytes - empty.length) })
}

/** A body whose name consists of these bytes. */
function bodyWithName(...bytes: number[]): Uint8Array {
  const [head = '', tail = ''] = FERN_TEXT.split('Fern')
  return Buffer.concat([Buffer.from(head), Uint8Array.from(bytes), Buffer.from(tail)])
}

const MALFORMED: [string, RequestOptions, RegExp][] = [
  ['missing', {}, /^body is required$/],
  ['empty', { raw: '' }, /^body is required$/],
  ['empty without a content type', { raw: '', type: null }, /^body is required$/],
  ['white space', { raw: '  \n' }, /^body must be valid JSON/],
  ['null', { raw: 'null' }, /^body must be object$/],
  ['an array', { raw: '[]' }, /^body must be object$/],
  ['an array of animals', { body: [FERN] }, /^body must be object$/],
  ['a string', { raw: '"Fern"' }, /^body must be object$/],
  ['a number', { raw: '7' }, /^body must be object$/],
  ['a boolean', { raw: 'true' }, /^body must be object$/],
  ['an unclosed object', { raw: '{"name": "Fern"' }, /^body must be valid JSON/],
  ['an unclosed string', { raw: '{"name": "Fe' }, /^body must be valid JSON/],
  ['a trailing comma', { raw: '{"name": "Fern", "categoryId": 1,}' }, /^body must be valid JSON/],
  ['a missing comma', { raw: '{"name": "Fern" "categoryId": 1}' }, /^body must be valid JSON/],
  ['single quotes', { raw: "{'name': 'Fern'}" }, /^body must be valid JSON/],
  ['keys without quotes', { raw: '{name: "Fern"}' }, /^body must be valid JSON/],
  ['a comment', { raw: `${FERN_TEXT} // Fern` }, /^body must be valid JSON/],
  ['NaN', { raw: '{"name": "Fern", "categoryId": NaN}' }, /^body must be valid JSON/],
  ['Infinity', { raw: '{"name": "Fern", "categoryId": Infinity}' }, /^body must be valid JSON/],
  ['a leading zero', { raw: '{"name": "Fern", "categoryId": 01}' }, /^body must be valid JSON/],
  [
    'a leading plus sign',
    { raw: '{"name": "Fern", "categoryId": +1}' },
    /^body must be valid JSON/,
  ],
  ['two bodies', { raw: FERN_TEXT + FERN_TEXT }, /^body must be valid JSON/],
  ['a line break in a string', { raw: '{"name": "Fe\nrn"}' }, /^body must be valid JSON/],
  ['a null byte in a string', { raw: '{"name": "Fe\0rn"}' }, /^body must be valid JSON/],
  ['an unknown escape', { raw: '{"name": "\\x41"}' }, /^body must be valid JSON/],
  ['an incomplete escape', { raw: '{"name": "\\u12"}' }, /^body must be valid JSON/],
  ['form data', { raw: 'name=Fern&categoryId=1' }, /^body must be valid JSON/],
]

const NOT_UTF8: [string, Uint8Array][] = [
  ['an invalid byte', bodyWithName(0xff)],
  ['Latin-1', bodyWithName(0x46, 0xe9)],
  ['an incomplete character', bodyWithName(0xe2, 0x82)],
  ['an overlong encoding', bodyWithName(0xc0, 0xaf)],
  ['a lone surrogate', bodyWithName(0xed, 0xa0, 0x80)],
  ['a code point beyond Unicode', bodyWithName(0xf5, 0x80, 0x80, 0x80)],
  ['UTF-16', Buffer.from(`\ufeff${FERN_TEXT}`, 'utf16le')],
]

const REPEATED: [string, string][] = [
  ['with another value', '{"name": "Fern", "name": "Ivy", "categoryId": 1}'],
  ['written with an escape', '{"name": "Fern", "n\\u0061me": "Ivy", "categoryId": 1}'],
  [
    'with two large numbers',
    `{"name": "Fern", "categoryId": ${2 ** 60}1, "categoryId": ${2 ** 60}2}`,
  ],
]

const TOO_DEEP: [string, string][] = [
  ['arrays', '['.repeat(10_000) + ']'.repeat(10_000)],
  ['objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['unclosed arrays', '['.repeat(10_000)],
  [
    'arrays in a known property',
    `{"categoryId": 1, "name": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  ],
  [
    'arrays in an unknown property',
    fernWith(`"extra": ${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  ],
]

const UNSAFE_NUMBERS = [
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '1e20',
  '1e400',
  '9007199254740993.0',
  '1'.repeat(1000),
]

const LARGE_INTEGERS = [
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '1'.repeat(1000),
]

const MEDIA_TYPES = [
  null,
  '',
  'text/plain',
  'text/json',
  'application/jsonx',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/vnd.api+json',
  'application/json, text/plain',
  'application',
  ';;;',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/json; charset=',
  'application/json;charset="latin1"',
]

const ENCODINGS: [string, Uint8Array | string][] = [
  ['gzip', gzipSync(FERN_TEXT)],
  ['gzip', FERN_TEXT],
  ['br', FERN_TEXT],
  ['deflate', FERN_TEXT],
  ['GZIP', FERN_TEXT],
  ['gzip, identity', FERN_TEXT],
]

function itReturnsTheList(
  open: OpenSandbox,
  headers: readonly [name: string, value: string][],
): void {
  it.each(headers)('returns the list as JSON for the header %s: %s', async (name, value) => {
    const { base, request } = await open()

    const response = await request('GET', '/pets', { headers: { [name]: value } })

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Link')).toContain(`<${base}/pets?`)
  })
}

describeEachTransport('Bad input', (open) => {
  it.each(MALFORMED)('returns 400 for a malformed body: %s', async (_, options, expected) => {
    const opened = await open()

    const message = await expectRefusal(opened, 400, 'POST', '/pets', options)

    expect(message).toMatch(expected)
  })

  it.each(NOT_UTF8)('returns 400 for a body that is not UTF-8: %s', async (_, raw) => {
    const opened = await open()

    const message = await expectRefusal(opened, 400, 'POST', '/pets', { raw })

    expect(message).toMatch(/^body must be valid UTF-8/)
  })

  it.each(REPEATED)('returns 400 for a body with a repeated key, %s', async (_, raw) => {
    const opened = await open()

    const message = await expectRefusal(opened, 400, 'POST', '/pets', { raw })

    expect(message).toMatch(/^body .*(name|categoryId)/)
  })

  it.each(TOO_DEEP)('returns 400 for 10,000 nested %s', async (_, raw) => {
    const opened = await open()

    const message = await expectRefusal(opened, 400, 'POST', '/pets', { raw })

    expect(message).toMatch(/^body must not be nested more than 100 levels deep/)
  })

  it.each(UNSAFE_NUMBERS)(
    'returns 400 for the category %s, which JavaScript cannot store exactly',
    async (number) => {
      const opened = await open()
      const raw = `{"name": "Fern", "categoryId": ${number}}`

      const message = await expectRefusal(opened, 400, 'POST', '/pets', { raw })

      expect(message).toMatch(/^body\.categoryId must be .* would be altered/)
      expect(message).toContain(number.slice(0, 40))
    },
  )

  it.each(LARGE_INTEGERS)('returns 400 for the limit %s with the true reason', async (number) => {
    const opened = await open()

    const message = await expectRefusal(opened, 400, 'GET', `/pets?limit=${number}`)

    expect(message).toMatch(/^query\.limit must be/)
    expect(message, 'it is an integer').not.toBe('query.limit must be integer')
  })

  it.each(LARGE_INTEGERS)('returns 404 for the id %s with the true reason', async (number) => {
    const opened = await open()

    const message = await expectRefusal(opened, 404, 'GET', `/pets/${number}`)

    expect(message).toContain(`No resource was found at /pets/${number}`.slice(0, 60))
    expect(message, 'it is an integer').not.toContain('petId must be integer')
  })

  it('does not round an id to one that JavaScript stores exactly', async () => {
    const opened = await open({ records: 0 })
    await opened.sandbox.collection('pets').create({ ...FERN, id: 9007199254740991 })

    const near = await opened.request('GET', '/pets/9007199254740992')
    const exact = await opened.request('GET', '/pets/9007199254740991')

    expect([near.status, exact.status]).toEqual([404, 200])
  })

  it.each([
    ['__proto__', '"__proto__": {"status": "sold", "polluted": true}'],
    ['__proto__ that is null', '"__proto__": null'],
    ['constructor', '"constructor": {"prototype": {"polluted": true}}'],
    ['prototype', '"prototype": {"polluted": true}'],
    ['hasOwnProperty', '"hasOwnProperty": 1'],
    ['toJSON', '"toJSON": 1'],
    ['extra with a large number', '"extra": 9007199254740993'],
  ])('drops the property %s from a body', async (key, property) => {
    const { request, sandbox } = await open()

    const response = await request('POST', '/pets', { raw: fernWith(property) })

    const pet = await petOf(response)
    const stored = await sandbox.collection('pets').get(pet.id)
    expect(pet).toStrictEqual({ id: 51, ...FERN, status: 'available' })
    expect(stored).toStrictEqual(pet)
    expect(Object.getPrototypeOf(stored)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
    const [name = ''] = key.split(' ')
    expect(sandbox.journal.exchanges[0]?.notes).toEqual([
      { kind: 'dropped-property', place: `body.${name}` },
    ])
  })

  it.each(['__proto__', 'constructor'])(
    'does not read required properties from %s',
    async (key) => {
      const opened = await open()

      const message = await expectRefusal(opened, 400, 'POST', '/pets', {
        raw: `{"${key}": ${FERN_TEXT}}`,
      })

      expect(message).toContain('body.name is required')
    },
  )

  it.each(MEDIA_TYPES)('returns 415 for the content type %j', async (type) => {
    const opened = await open()

    const message = await expectRefusal(opened, 415, 'POST', '/pets', { body: FERN, type })

    expect(message).toMatch(/^The Content-Type of the body must be application\/json/)
  })

  it.each(ENCODINGS)('returns 415 for the content encoding %s', async (encoding, raw) => {
    const opened = await open()
    const headers = { 'Content-Encoding': encoding }

    const message = await expectRefusal(opened, 415, 'POST', '/pets', { raw, headers })

    expect(message).toMatch(/^The body must not have a content coding/)
  })

  it('accepts a body of 1 MiB', async () => {
    const { request } = await open()

    const response = await request('POST', '/pets', { raw: bodyOf(MEBIBYTE) })

    expect(response.status).toBe(201)
  })

  it.each([
    ['1 MiB and one byte', bodyOf(MEBIBYTE + 1)],
    ['4 MiB', bodyOf(4 * MEBIBYTE)],
    ['1 MiB and one byte that is not JSON', '['.repeat(MEBIBYTE + 1)],
    ['more than 1 MiB in fewer characters', JSON.stringify('亀'.repeat(400_000))],
  ])('returns 413 for a body of %s', async (_, raw) => {
    const opened = await open()

    const message = await expectRefusal(opened, 413, 'POST', '/pets', { raw })

    expect(message).toBe('The body is larger than 1048576 bytes.')
  })

  it('serves the next request after a body that is too large', async () => {
    const { request } = await open()
    await request('POST', '/pets', { raw: bodyOf(2 * MEBIBYTE) })

    const response = await request('POST', '/pets', { body: FERN })

    expect(response.status).toBe(201)
  })

  it.each([
    '%',
    '%%',
    '%zz',
    '%1',
    '%E0%A4%A',
    '%FF',
    '%00',
    '%C0%AF',
    '%2F',
    '..%2F',
    '1%00',
    'a'.repeat(8000),
  ])('returns 404 for the malformed path /pets/%s', async (id) => {
    const opened = await open()

    const message = await expectRefusal(opened, 404, 'GET', `/pets/${id}`)

    expect(message).toContain(`No resource was found at /pets/${id}`.slice(0, 60))
  })

  it.each([
    ['limit=%', 'query.limit'],
    ['limit=%zz', 'query.limit'],
    ['limit=%FF', 'query.limit'],
    ['limit=%00', 'query.limit'],
    ['limit=5%00', 'query.limit'],
    ['limit=__proto__', 'query.limit'],
    ['limit=1&limit=2', 'query.limit'],
    [Array(500).fill('limit=1').join('&'), 'query.limit must be given once'],
    ['status=__proto__', 'query.status'],
    ['status=constructor', 'query.status'],
    ['status=%ED%A0%80', 'query.status'],
    ['cursor=__proto__', 'query.cursor'],
    ['cursor=%', 'query.cursor'],
    ['cursor=../../etc/passwd', 'query.cursor'],
  ])('returns 400 for the malformed query ?%s', async (query, expected) => {
    const opened = await open()

    const message = await expectRefusal(opened, 400, 'GET', `/pets?${query}`)

    expect(message).toContain(expected)
  })

  it.each([
    '?',
    '?&&&',
    '?=',
    '?=&=',
    '?%',
    '?limit[]=5',
    '?limit[x]=5',
    '?LIMIT=0',
    '?__proto__=1',
    '?__proto__[limit]=0',
    '?constructor=1',
    '?hasOwnProperty=1',
    '?where=1&after=2',
    `?${'x'.repeat(8000)}`,
  ])('returns the list for the query %s, which has no known parameters', async (query) => {
    const { request } = await open()

    const response = await request('GET', `/pets${query}`)

    expect(response.status).toBe(200)
    expect(await response.json()).toHaveLength(20)
  })

  itReturnsTheList(open, [
    ['Accept', ',,,'],
    ['Accept', 'text/html'],
    ['Accept', 'application/json;q=0'],
    ['Accept', '*'],
    ['Accept-Encoding', 'gzip;q=x,,'],
    ['Accept-Language', ';;;'],
    ['Accept-Charset', 'utf-16'],
    ['Prefer', ',,;;=='],
    ['If-None-Match', '*'],
    ['If-Modified-Since', 'yesterday'],
    ['Range', 'bytes=0-1'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-Host', 'evil.example'],
  ])

  it('returns 401 when Authorization contains two keys', async () => {
    const { request, sandbox } = await open()
    const key = 'sk_sandbox_free, Bearer sk_sandbox_pro'

    const response = await request('POST', '/pets', { key, body: FERN })

    expect(response.status).toBe(401)
    expect(await sandbox.collection('pets').count()).toBe(50)
  })
})

describeEachTransportWith(['unknown paths'], 'Bad input', (open) => {
  it.each(['/%', '/%E0%A4%A', '/%00', '/pets%2F1', '/pets%00', '/*', '/{petId}'])(
    'returns 404 for the malformed path %s',
    async (path) => {
      const opened = await open()

      const message = await expectRefusal(opened, 404, 'GET', path)

      expect(message).toContain('There is no operation at /')
    },
  )
})

describeEachTransportWith(['forbidden headers'], 'Bad input', (open) => {
  itReturnsTheList(open, [['Cookie', '=;=;']])
})

describe('Bad input, over a TCP connection', () => {
  const KEY = 'Authorization: Bearer sk_sandbox_free'

  it.each([
    ['two valid keys', [KEY, 'Authorization: Bearer sk_sandbox_pro']],
    ['the same key twice', [KEY, KEY]],
    ['a key and an empty header', [KEY, 'Authorization: ']],
    ['an unknown and a valid key', ['authorization: Bearer wrong', KEY]],
  ])('returns 401 for two Authorization headers: %s', async (_, headers) => {
    const response = await sendRawRequest(createSandbox(), ['GET /v1/pets HTTP/1.1', ...headers])

    expect(response.status).toBe(401)
    expect((await errorOf(response)).code).toBe('unauthorized')
  })

  it.each([
    ['two types', ['Content-Type: application/json', 'Content-Type: text/plain']],
    ['the same type twice', ['Content-Type: application/json', 'content-type: application/json']],
    ['a type and an empty header', ['Content-Type: application/json', 'Content-Type: ']],
  ])('returns 415 for two Content-Type headers: %s', async (_, types) => {
    const sandbox = createSandbox()
    const head = ['POST /v1/pets HTTP/1.1', KEY, `Content-Length: ${FERN_TEXT.length}`, ...types]

    const response = await sendRawRequest(sandbox, head, FERN_TEXT)

    expect(response.status).toBe(415)
    expect((await errorOf(response)).code).toBe('unsupported_media_type')
    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it('returns no body for HEAD', async () => {
    const response = await sendRawRequest(createSandbox(), ['HEAD /v1/pets HTTP/1.1', KEY])

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(Number(response.headers.get('Content-Length'))).toBeGreaterThan(100)
  })

  it.each([
    ['an absolute URL', 'GET http://127.0.0.1/v1/pets HTTP/1.1', 200],
    ['a malformed percent-encoding', 'GET /v1/pets/% HTTP/1.1', 404],
    ['dot segments', 'GET /v1/pets/../pets HTTP/1.1', 404],
    ['a double slash', 'GET //v1/pets HTTP/1.1', 404],
    ['an encoded slash', 'GET /v1%2Fpets HTTP/1.1', 404],
    ['an asterisk', 'OPTIONS * HTTP/1.1', 404],
    ['TRACE', 'TRACE /v1/pets HTTP/1.1', 405],
    ['a method in lower case', 'get /v1/pets HTTP/1.1', 400],
    ['no HTTP', 'HELLO', 400],
  ])('returns JSON for a request with %s', async (_, line, status) => {
    const response = await sendRawRequest(createSandbox(), [line, KEY])

    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toBe('application/json')
  })

  it.each([
    [
      'in chunks',
      ['Transfer-Encoding: chunked'],
      `${FERN_TEXT.length.toString(16)}\r\n${FERN_TEXT}\r\n0\r\n\r\n`,
      201,
    ],
    ['with Content-Length', [`Content-Length: ${FERN_TEXT.length}`], FERN_TEXT, 201],
    [
      'with an unknown Expect header',
      ['Expect: 7', `Content-Length: ${FERN_TEXT.length}`],
      FERN_TEXT,
      201,
    ],
    ['with a Content-Length that is not a number', ['Content-Length: x'], FERN_TEXT, 400],
    ['with two Content-Length headers', ['Content-Length: 1', 'Content-Length: 2'], FERN_TEXT, 400],
    ['in malformed chunks', ['Transfer-Encoding: chunked'], 'zz\r\n', 400],
  ])('returns 201 or 400 for a body %s', async (_, headers, body, status) => {
    const sandbox = createSandbox()
    const type = 'Content-Type: application/json'

    const response = await sendRawRequest(
      sandbox,
      ['POST /v1/pets HTTP/1.1', KEY, type, ...headers],
      body,
    )

    expect(response.status).toBe(status)
    expect(await sandbox.collection('pets').count()).toBe(status === 201 ? 51 : 50)
  })

  it('returns 431 with an error body for headers of 20,000 bytes', async () => {
    const large = `X-Large: ${'x'.repeat(20_000)}`

    const response = await sendRawRequest(createSandbox(), ['GET /v1/pets HTTP/1.1', KEY, large])

    expect(response.status).toBe(431)
    expect((await errorOf(response)).status).toBe(431)
  })
})
