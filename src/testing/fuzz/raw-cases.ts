import { requestHead, type WriteStep } from '../raw-connection.ts'

/** What is written on a bare connection, and what must come of it. */
export interface RawCase {
  readonly what: string
  readonly steps: readonly WriteStep[]
  /** Of the answers, in their order. */
  readonly statuses: readonly number[]
  /** Records that it adds. */
  readonly adds?: number
}

const START = ['Host: x', 'Authorization: Bearer sk_sandbox_enterprise']
const TYPE = 'Content-Type: application/json'
const REX = '{"name":"Rex","categoryId":1}'
const POST = ['POST /v1/pets HTTP/1.1', ...START, TYPE]

/** The last request of a connection: a good one, which shows that what was before it was read to its end. */
const LAST = requestHead('GET /v1/pets/1 HTTP/1.1', ...START, 'Connection: close')

function get(target: string, ...lines: readonly string[]): string {
  return requestHead(`GET ${target} HTTP/1.1`, ...START, ...lines)
}

function post(...lines: readonly string[]): string {
  return requestHead(...POST, ...lines) + REX
}

function chunked(body: string): string {
  return requestHead(...POST, 'Transfer-Encoding: chunked') + body
}

/** A request that leaves the connection good for the next. */
function good(what: string, steps: readonly WriteStep[], status: number, adds = 0): RawCase {
  return { what, steps: [...steps, LAST], statuses: [status, 200], adds }
}

/** A request that cannot be read, which ends the connection. */
function bad(what: string, text: string | Uint8Array, status = 400): RawCase {
  return { what, steps: [text], statuses: [status] }
}

const WHOLE = `1d\r\n${REX}\r\n0\r\n\r\n`

/** Requests in whose framing nothing is wrong, by any server. */
export const WELL_FORMED: readonly RawCase[] = [
  good('pieces with extensions', [chunked(`1d;a=b;c="d"\r\n${REX}\r\n0;e\r\n\r\n`)], 201, 1),
  good(
    'pieces of a byte',
    [chunked([...REX].map((one) => `1\r\n${one}\r\n`).join('')), '0\r\n\r\n'],
    201,
    1,
  ),
  good(
    'pieces with a trailer',
    [chunked(`1d\r\n${REX}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`)],
    201,
    1,
  ),
  good('a body after a pause', [requestHead(...POST, 'Content-Length: 29'), 30, REX], 201, 1),
  good('a POST without any length', [requestHead(...POST)], 400),
  good('a body with GET', [get('/v1/pets/1', 'Content-Length: 29') + REX], 200),
  good(
    'a body that looks like a request',
    [get('/v1/pets/1', 'Content-Length: 18'), 'GET / HTTP/1.1\r\n\r\n'],
    200,
  ),
  good(
    'a refused body that nobody reads',
    [`${requestHead('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 29')}${REX}`],
    401,
  ),
  good(
    'a body of another type',
    [
      `${requestHead('POST /v1/pets HTTP/1.1', ...START, 'Content-Type: a/b', 'Content-Length: 29')}${REX}`,
    ],
    415,
  ),
  good('empty lines before a request', [`\r\n\r\n${get('/v1/pets/1')}`], 200),
  good(
    'an offer of WebSocket',
    [get('/v1/pets/1', 'Connection: Upgrade', 'Upgrade: websocket'), 50],
    200,
  ),
  good(
    'an offer of HTTP/2',
    [get('/v1/pets/1', 'Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'), 50],
    200,
  ),
  good('a host of another name', [get('http://other.test/v1/pets/1')], 200),
  good('a whole address in capitals', [get('HTTP://OTHER.TEST/v1/pets/1')], 200),
  good('a whole address with a user', [get('http://a:b@other.test/v1/pets/1')], 200),
  good('a whole address without a path', [get('http://other.test')], 404),
  good('a fragment', [get('/v1/pets/1#a')], 404),
  good('a path of 15,000 characters', [get(`/v1/pets/${'a'.repeat(15_000)}`)], 404),
  good('a method of WebDAV', [requestHead('PROPFIND /v1/pets HTTP/1.1', ...START)], 405),
  {
    what: 'a request that waits for leave',
    steps: [requestHead(...POST, 'Content-Length: 29', 'Expect: 100-continue'), 30, REX, LAST],
    statuses: [100, 201, 200],
    adds: 1,
  },
  {
    what: 'fifty requests at once',
    steps: [get('/v1/pets/1').repeat(50) + LAST],
    statuses: Array<number>(51).fill(200),
  },
]

/** Requests that no server can read, and that change nothing. */
export const MALFORMED: readonly RawCase[] = [
  ...['zz', '-1d', '0x1d', 'FFFFFFFFFFFFFFFFFF', '', ' '].map((size) =>
    bad(`a piece of "${size}" bytes`, chunked(`${size}\r\n${REX}\r\n0\r\n\r\n`)),
  ),
  bad('pieces that end with line feeds', chunked(`1d\n${REX}\n0\n\n`)),
  bad('a piece that is longer than it says', chunked(`1c\r\n${REX}\r\n0\r\n\r\n`)),
  ...['+29', '0x1d', '-1', '29, 29', '29 29', '2.9e1', '', '99999999999999999999'].map((length) =>
    bad(`a length of "${length}"`, post(`Content-Length: ${length}`)),
  ),
  bad('the same length twice', post('Content-Length: 29', 'Content-Length: 29')),
  bad(
    'a length, and pieces',
    requestHead(...POST, 'Content-Length: 29', 'Transfer-Encoding: chunked') + WHOLE,
  ),
  bad(
    'pieces, and a length',
    requestHead(...POST, 'Transfer-Encoding: chunked', 'Content-Length: 29') + WHOLE,
  ),
  bad('a space before the colon', requestHead(...POST, 'Transfer-Encoding : chunked') + WHOLE),
  bad('a header that goes on in the next line', get('/v1/pets/1', 'X-A: a', ' b')),
  bad('a header without a name', get('/v1/pets/1', ': a')),
  bad('brackets in a name', get('/v1/pets/1', 'X(y): a')),
  bad('a zero byte in a header', get('/v1/pets/1', 'X: a\0b')),
  bad('a zero byte in the path', get('/v1/pets/\0')),
  bad('a space in the path', get('/v1/pets /1')),
  bad('bytes that are no ASCII in the path', Buffer.from(get('/v1/pets/\xff'), 'latin1')),
  bad('line feeds alone', get('/v1/pets/1').replaceAll('\r\n', '\n')),
  bad('carriage returns alone', get('/v1/pets/1').replaceAll('\r\n', '\r')),
  bad('no target', requestHead('GET HTTP/1.1', ...START)),
  bad('an authority as target', get('x:80')),
  bad('a script as target', get('javascript:alert(1)')),
  bad('an unknown method', requestHead('FOO /v1/pets HTTP/1.1', ...START)),
  bad('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  bad('zero bytes', new Uint8Array(64)),
  bad('a target of 20,000 characters', get(`/v1/pets?x=${'a'.repeat(20_000)}`), 431),
  bad('a header of 20,000 characters', get('/v1/pets', `X: ${'a'.repeat(20_000)}`), 431),
  bad('headers without end', `GET / HTTP/1.1\r\n${`X: ${'a'.repeat(60)}\r\n`.repeat(400)}`, 431),
]

/** Hosts that HTTP forbids, and Node lets through. */
export const INVALID_HOSTS: readonly RawCase[] = [
  ['Host: a', 'Host: b'],
  ['Host: a, b'],
  ['Host: a@b'],
  ['Host: a/b'],
  ['Host: a:b'],
  ['Host: a b'],
  [],
].map((hosts) => ({
  what: `the hosts ${JSON.stringify(hosts)}`,
  steps: [requestHead('GET /v1/pets/1 HTTP/1.1', ...hosts, ...START.slice(1)), LAST],
  statuses: [400, 200],
}))

/**
 * Bodies in a transfer coding that the server does not know. A creation follows each, which would be the rest of the body for
 * who knows the coding: it must not be taken for a request.
 */
export const UNKNOWN_CODINGS: readonly RawCase[] = [
  ['gzip'],
  ['gzip, chunked'],
  ['chunked, gzip'],
  ['identity'],
  ['identity, chunked'],
  ['chunked, chunked'],
  ['chunked;q=1'],
  ['xchunked'],
  [', chunked'],
  [''],
  ['chunked', 'chunked'],
  ['gzip', 'chunked'],
  ['chunked', 'gzip'],
]
  .map((codings) => codings.map((coding) => `Transfer-Encoding: ${coding}`))
  .concat([
    ['Content-Length: 37', 'Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding: gzip, chunked', 'Content-Length: 37'],
    ['Content-Length: 37', 'Transfer-Encoding: identity'],
  ])
  .map((lines) => ({
    what: `a body by ${JSON.stringify(lines)}`,
    steps: [requestHead(...POST, ...lines) + WHOLE + post('Content-Length: 29'), 5, LAST],
    statuses: [400],
  }))

/** What a client writes that never ends its request. */
export const INCOMPLETE: readonly string[] = [
  '',
  'G',
  'GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ',
  requestHead(...POST, 'Content-Length: 29') + REX.slice(1),
  requestHead(...POST, 'Content-Length: 9007199254740991'),
  chunked(`1d\r\n${REX}\r\n`),
]
