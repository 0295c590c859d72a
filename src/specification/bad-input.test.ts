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

/** What every sandbox starts with. */
const FIRST_PETS = await createSandbox().collection('pets').list()

/** Sends a request that must be refused and change nothing; gives the message of its Error. */
async function refusal(
  { request, sandbox }: OpenedSandbox,
  expected: number,
  ...ask: Parameters<OpenedSandbox['request']>
): Promise<string> {
  const response = await request(...ask)

  const { message, status } = await errorOf(response)
  expect(response.status).toBe(expected)
  expect(status).toBe(expected)
  expect(await sandbox.collection('pets').list()).toEqual(FIRST_PETS)

  return message
}

function fernWith(property: string): string {
  return `{"name": "Fern", "categoryId": 1, ${property}}`
}

/** A valid body of exactly so many bytes. */
function bodyOf(bytes: number): string {
  const frame = JSON.stringify({ ...FERN, name: '' })
  return JSON.stringify({ ...FERN, name: 'x'.repeat(bytes - frame.length) })
}

function bytesOf(...bytes: number[]): Uint8Array {
  const [head = '', tail = ''] = FERN_TEXT.split('Fern')
  return Buffer.concat([Buffer.from(head), Uint8Array.from(bytes), Buffer.from(tail)])
}

const MALFORMED: [string, RequestOptions, RegExp][] = [
  ['no body', {}, /^body is required$/],
  ['an empty body', { raw: '' }, /^body is required$/],
  ['an empty body without a type', { raw: '', type: null }, /^body is required$/],
  ['spaces alone', { raw: '  \n' }, /^body must be valid JSON/],
  ['null', { raw: 'null' }, /^body must be object$/],
  ['a list', { raw: '[]' }, /^body must be object$/],
  ['a list of animals', { body: [FERN] }, /^body must be object$/],
  ['text', { raw: '"Fern"' }, /^body must be object$/],
  ['a number', { raw: '7' }, /^body must be object$/],
  ['a truth', { raw: 'true' }, /^body must be object$/],
  ['an object that is cut short', { raw: '{"name": "Fern"' }, /^body must be valid JSON/],
  ['a text that is cut short', { raw: '{"name": "Fe' }, /^body must be valid JSON/],
  ['a comma too many', { raw: '{"name": "Fern", "categoryId": 1,}' }, /^body must be valid JSON/],
  ['a comma too few', { raw: '{"name": "Fern" "categoryId": 1}' }, /^body must be valid JSON/],
  ['single quotes', { raw: "{'name': 'Fern'}" }, /^body must be valid JSON/],
  ['names without quotes', { raw: '{name: "Fern"}' }, /^body must be valid JSON/],
  ['a comment', { raw: `${FERN_TEXT} // Fern` }, /^body must be valid JSON/],
  ['NaN', { raw: '{"name": "Fern", "categoryId": NaN}' }, /^body must be valid JSON/],
  ['Infinity', { raw: '{"name": "Fern", "categoryId": Infinity}' }, /^body must be valid JSON/],
  ['a zero in front', { raw: '{"name": "Fern", "categoryId": 01}' }, /^body must be valid JSON/],
  ['a plus in front', { raw: '{"name": "Fern", "categoryId": +1}' }, /^body must be valid JSON/],
  ['two bodies', { raw: FERN_TEXT + FERN_TEXT }, /^body must be valid JSON/],
  ['a line break in a text', { raw: '{"name": "Fe\nrn"}' }, /^body must be valid JSON/],
  ['a byte of zero in a text', { raw: '{"name": "Fe\0rn"}' }, /^body must be valid JSON/],
  ['an unknown escape', { raw: '{"name": "\\x41"}' }, /^body must be valid JSON/],
  ['half an escape', { raw: '{"name": "\\u12"}' }, /^body must be valid JSON/],
  ['a form', { raw: 'name=Fern&categoryId=1' }, /^body must be valid JSON/],
]

const NOT_UTF8: [string, Uint8Array][] = [
  ['a byte that no text has', bytesOf(0xff)],
  ['Latin-1', bytesOf(0x46, 0xe9)],
  ['a character that is cut short', bytesOf(0xe2, 0x82)],
  ['a character that is too long', bytesOf(0xc0, 0xaf)],
  ['half a surrogate pair', bytesOf(0xed, 0xa0, 0x80)],
  ['a character beyond Unicode', bytesOf(0xf5, 0x80, 0x80, 0x80)],
  ['UTF-16', Buffer.from(`\ufeff${FERN_TEXT}`, 'utf16le')],
]

const REPEATED: [string, string][] = [
  ['with another value', '{"name": "Fern", "name": "Ivy", "categoryId": 1}'],
  ['by an escape', '{"name": "Fern", "n\\u0061me": "Ivy", "categoryId": 1}'],
  [
    'with two large numbers',
    `{"name": "Fern", "categoryId": ${2 ** 60}1, "categoryId": ${2 ** 60}2}`,
  ],
]

const TOO_DEEP: [string, string][] = [
  ['lists', '['.repeat(10_000) + ']'.repeat(10_000)],
  ['objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['lists without an end', '['.repeat(10_000)],
  ['lists in a name', `{"categoryId": 1, "name": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  [
    'lists in a property that is dropped',
    fernWith(`"extra": ${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  ],
]

const INEXACT = [
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

function itAnswersTheList(
  open: OpenSandbox,
  headers: readonly [name: string, value: string][],
): void {
  it.each(headers)('answers the list as JSON to the header %s: %s', async (name, value) => {
    const { base, request } = await open()

    const response = await request('GET', '/pets', { headers: { [name]: value } })

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Link')).toContain(`<${base}/pets?`)
  })
}

describeEachTransport('Bad input', (open) => {
  it.each(MALFORMED)('refuses %s with 400', async (_, options, place) => {
    const opened = await open()

    const message = await refusal(opened, 400, 'POST', '/pets', options)

    expect(message).toMatch(place)
  })

  it.each(NOT_UTF8)('refuses a body that is not UTF-8 with 400: %s', async (_, raw) => {
    const opened = await open()

    const message = await refusal(opened, 400, 'POST', '/pets', { raw })

    expect(message).toMatch(/^body must be valid UTF-8/)
  })

  it.each(REPEATED)('refuses a body that has a key twice, %s', async (_, raw) => {
    const opened = await open()

    const message = await refusal(opened, 400, 'POST', '/pets', { raw })

    expect(message).toMatch(/^body .*(name|categoryId)/)
  })

  it.each(TOO_DEEP)('refuses 10,000 nested %s with 400', async (_, raw) => {
    const opened = await open()

    const message = await refusal(opened, 400, 'POST', '/pets', { raw })

    expect(message).toMatch(/^body must not be nested more than 100 levels deep/)
  })

  it.each(INEXACT)('refuses the category %s rather than alter it, and says why', async (number) => {
    const opened = await open()
    const raw = `{"name": "Fern", "categoryId": ${number}}`

    const message = await refusal(opened, 400, 'POST', '/pets', { raw })

    expect(message).toMatch(/^body\.categoryId must be .* would be altered/)
    expect(message).toContain(number.slice(0, 40))
  })

  it.each(LARGE_INTEGERS)('refuses the limit %s, and says why', async (number) => {
    const opened = await open()

    const message = await refusal(opened, 400, 'GET', `/pets?limit=${number}`)

    expect(message).toMatch(/^query\.limit must be/)
    expect(message, 'it is an integer').not.toBe('query.limit must be integer')
  })

  it.each(LARGE_INTEGERS)('finds no animal with the id %s, and says why', async (number) => {
    const opened = await open()

    const message = await refusal(opened, 404, 'GET', `/pets/${number}`)

    expect(message).toContain(`There is no /pets/${number}`.slice(0, 60))
    expect(message, 'it is an integer').not.toContain('petId must be integer')
  })

  it('does not mistake an id for its neighbour that JavaScript cannot tell apart', async () => {
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
    ['a property with a large number', '"extra": 9007199254740993'],
  ])('drops %s from a body, and is not changed by it', async (key, property) => {
    const { request, sandbox } = await open()

    const response = await request('POST', '/pets', { raw: fernWith(property) })

    const pet = await petOf(response)
    const stored = await sandbox.collection('pets').get(pet.id)
    expect(pet).toStrictEqual({ id: 51, ...FERN, status: 'available' })
    expect(stored).toStrictEqual(pet)
    expect(Object.getPrototypeOf(stored)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
    const [name = ''] = key.startsWith('a ') ? ['extra'] : key.split(' ')
    expect(sandbox.journal.exchanges[0]?.notes).toEqual([
      { kind: 'dropped-property', place: `body.${name}` },
    ])
  })

  it.each(['__proto__', 'constructor'])('takes no required field from %s', async (key) => {
    const opened = await open()

    const message = await refusal(opened, 400, 'POST', '/pets', { raw: `{"${key}": ${FERN_TEXT}}` })

    expect(message).toContain('body.name is required')
  })

  it.each(MEDIA_TYPES)('refuses a body of the type %j with 415', async (type) => {
    const opened = await open()

    const message = await refusal(opened, 415, 'POST', '/pets', { body: FERN, type })

    expect(message).toMatch(/^The body must be application\/json/)
  })

  it.each(ENCODINGS)('refuses a body encoded as %s with 415', async (encoding, raw) => {
    const opened = await open()
    const headers = { 'Content-Encoding': encoding }

    const message = await refusal(opened, 415, 'POST', '/pets', { raw, headers })

    expect(message).toMatch(/^The body must not be encoded/)
  })

  it('takes a body of 1 MiB', async () => {
    const { request } = await open()

    const response = await request('POST', '/pets', { raw: bodyOf(MEBIBYTE) })

    expect(response.status).toBe(201)
  })

  it.each([
    ['a byte more than 1 MiB', bodyOf(MEBIBYTE + 1)],
    ['4 MiB', bodyOf(4 * MEBIBYTE)],
    ['a byte more than 1 MiB that is no JSON', '['.repeat(MEBIBYTE + 1)],
    ['more than 1 MiB, though not so many characters', JSON.stringify('亀'.repeat(400_000))],
  ])('refuses a body of %s with 413', async (_, raw) => {
    const opened = await open()

    const message = await refusal(opened, 413, 'POST', '/pets', { raw })

    expect(message).toBe('The body is larger than 1048576 bytes.')
  })

  it('goes on after a body that is too large', async () => {
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
  ])('answers 404 to the malformed path /pets/%s', async (id) => {
    const opened = await open()

    const message = await refusal(opened, 404, 'GET', `/pets/${id}`)

    expect(message).toContain(`There is no /pets/${id}`.slice(0, 60))
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
  ])('refuses the malformed query ?%s', async (query, place) => {
    const opened = await open()

    const message = await refusal(opened, 400, 'GET', `/pets?${query}`)

    expect(message).toContain(place)
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
  ])('answers the list to the query %s, in which it knows no parameter', async (query) => {
    const { request } = await open()

    const response = await request('GET', `/pets${query}`)

    expect(response.status).toBe(200)
    expect(await response.json()).toHaveLength(20)
  })

  itAnswersTheList(open, [
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

  it('refuses the key when Authorization is sent twice', async () => {
    const { request, sandbox } = await open()
    const key = 'sk_sandbox_free, Bearer sk_sandbox_pro'

    const response = await request('POST', '/pets', { key, body: FERN })

    expect(response.status).toBe(401)
    expect(await sandbox.collection('pets').count()).toBe(50)
  })
})

describeEachTransportWith(['unknown paths'], 'Bad input', (open) => {
  it.each(['/%', '/%E0%A4%A', '/%00', '/pets%2F1', '/pets%00', '/*', '/{petId}'])(
    'answers 404 to the malformed path %s',
    async (path) => {
      const opened = await open()

      const message = await refusal(opened, 404, 'GET', path)

      expect(message).toContain('There is no operation at /')
    },
  )
})

describeEachTransportWith(['forbidden headers'], 'Bad input', (open) => {
  itAnswersTheList(open, [['Cookie', '=;=;']])
})

describe('Bad input, on a bare connection', () => {
  const KEY = 'Authorization: Bearer sk_sandbox_free'

  it.each([
    ['two valid keys', [KEY, 'Authorization: Bearer sk_sandbox_pro']],
    ['the same key twice', [KEY, KEY]],
    ['a key and an empty header', [KEY, 'Authorization: ']],
    ['a wrong and a valid key', ['authorization: Bearer wrong', KEY]],
  ])('refuses Authorization that is sent twice: %s', async (_, headers) => {
    const response = await sendRawRequest(createSandbox(), ['GET /v1/pets HTTP/1.1', ...headers])

    expect(response.status).toBe(401)
    expect((await errorOf(response)).code).toBe('unauthorized')
  })

  it.each([
    ['two types', ['Content-Type: application/json', 'Content-Type: text/plain']],
    ['the same type twice', ['Content-Type: application/json', 'content-type: application/json']],
    ['a type and an empty header', ['Content-Type: application/json', 'Content-Type: ']],
  ])('refuses Content-Type that is sent twice: %s', async (_, types) => {
    const sandbox = createSandbox()
    const head = ['POST /v1/pets HTTP/1.1', KEY, `Content-Length: ${FERN_TEXT.length}`, ...types]

    const response = await sendRawRequest(sandbox, head, FERN_TEXT)

    expect(response.status).toBe(415)
    expect((await errorOf(response)).code).toBe('unsupported_media_type')
    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it('answers HEAD without a body', async () => {
    const response = await sendRawRequest(createSandbox(), ['HEAD /v1/pets HTTP/1.1', KEY])

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(Number(response.headers.get('Content-Length'))).toBeGreaterThan(100)
  })

  it.each([
    ['the whole address', 'GET http://127.0.0.1/v1/pets HTTP/1.1', 200],
    ['a malformed percent-encoding', 'GET /v1/pets/% HTTP/1.1', 404],
    ['dots', 'GET /v1/pets/../pets HTTP/1.1', 404],
    ['a slash too many', 'GET //v1/pets HTTP/1.1', 404],
    ['another base address', 'GET /v1%2Fpets HTTP/1.1', 404],
    ['a star', 'OPTIONS * HTTP/1.1', 404],
    ['TRACE', 'TRACE /v1/pets HTTP/1.1', 405],
    ['a method in small letters', 'get /v1/pets HTTP/1.1', 400],
    ['no HTTP at all', 'HELLO', 400],
  ])('answers a request with %s', async (_, line, status) => {
    const response = await sendRawRequest(createSandbox(), [line, KEY])

    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toBe('application/json')
  })

  it.each([
    [
      'in pieces',
      ['Transfer-Encoding: chunked'],
      `${FERN_TEXT.length.toString(16)}\r\n${FERN_TEXT}\r\n0\r\n\r\n`,
      201,
    ],
    ['of the length told', [`Content-Length: ${FERN_TEXT.length}`], FERN_TEXT, 201],
    ['after an expectation', ['Expect: 7', `Content-Length: ${FERN_TEXT.length}`], FERN_TEXT, 201],
    ['of a length that is no number', ['Content-Length: x'], FERN_TEXT, 400],
    ['of two lengths', ['Content-Length: 1', 'Content-Length: 2'], FERN_TEXT, 400],
    ['in pieces that are none', ['Transfer-Encoding: chunked'], 'zz\r\n', 400],
  ])('answers a body %s', async (_, headers, body, status) => {
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

  it('refuses headers of 20,000 bytes with an Error', async () => {
    const large = `X-Large: ${'x'.repeat(20_000)}`

    const response = await sendRawRequest(createSandbox(), ['GET /v1/pets HTTP/1.1', KEY, large])

    expect(response.status).toBe(431)
    expect((await errorOf(response)).status).toBe(431)
  })
})
