import { AWAIT_RESPONSE, requestHead, type WriteStep } from '../raw-connection.ts'

/** What is written to a TCP connection, and the expected responses. */
export interface RawCase {
  readonly name: string
  readonly steps: readonly WriteStep[]
  /** The statuses of the responses in order. */
  readonly statuses: readonly number[]
  /** The number of records that it creates. */
  readonly created?: number
}

const START = ['Host: x', 'Authorization: Bearer sk_sandbox_enterprise']
const TYPE = 'Content-Type: application/json'
const REX = '{"name":"Rex","categoryId":1}'
const POST = ['POST /v1/pets HTTP/1.1', ...START, TYPE]

/** The last request of a connection. It is valid, which shows that the server read the previous request completely. */
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

/** A case after which the connection remains usable. */
function keepsConnection(
  name: string,
  steps: readonly WriteStep[],
  status: number,
  created = 0,
): RawCase {
  return { name, steps: [...steps, LAST], statuses: [status, 200], created }
}

/** A case after which the server closes the connection. */
function closesConnection(name: string, text: string | Uint8Array, status = 400): RawCase {
  return { name, steps: [text], statuses: [status] }
}

const ALL_CHUNKS = `1d\r\n${REX}\r\n0\r\n\r\n`

/** Requests with valid framing. */
export const WELL_FORMED: readonly RawCase[] = [
  keepsConnection(
    'chunks with extensions',
    [chunked(`1d;a=b;c="d"\r\n${REX}\r\n0;e\r\n\r\n`)],
    201,
    1,
  ),
  keepsConnection(
    'chunks of one byte',
    [chunked([...REX].map((one) => `1\r\n${one}\r\n`).join('')), '0\r\n\r\n'],
    201,
    1,
  ),
  keepsConnection(
    'chunks with a trailer',
    [chunked(`1d\r\n${REX}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`)],
    201,
    1,
  ),
  keepsConnection(
    'a body after a pause',
    [requestHead(...POST, 'Content-Length: 29'), 30, REX],
    201,
    1,
  ),
  keepsConnection('a POST without a length', [requestHead(...POST)], 400),
  keepsConnection('a body with GET', [get('/v1/pets/1', 'Content-Length: 29') + REX], 200),
  keepsConnection(
    'a body that looks like a request',
    [get('/v1/pets/1', 'Content-Length: 18'), 'GET / HTTP/1.1\r\n\r\n'],
    200,
  ),
  keepsConnection(
    'a refused request with an unread body',
    [`${requestHead('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 29')}${REX}`],
    401,
  ),
  keepsConnection(
    'a body with another content type',
    [
      `${requestHead('POST /v1/pets HTTP/1.1', ...START, 'Content-Type: a/b', 'Content-Length: 29')}${REX}`,
    ],
    415,
  ),
  keepsConnection('empty lines before a request', [`\r\n\r\n${get('/v1/pets/1')}`], 200),
  // Node drops what arrives together with a request to upgrade. Clients wait for the response, too.
  keepsConnection(
    'an upgrade to WebSocket',
    [get('/v1/pets/1', 'Connection: Upgrade', 'Upgrade: websocket'), AWAIT_RESPONSE],
    200,
  ),
  keepsConnection(
    'an upgrade to HTTP/2',
    [
      get('/v1/pets/1', 'Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'),
      AWAIT_RESPONSE,
    ],
    200,
  ),
  keepsConnection('another host name', [get('http://other.test/v1/pets/1')], 200),
  keepsConnection('an absolute URL in upper case', [get('HTTP://OTHER.TEST/v1/pets/1')], 200),
  keepsConnection(
    'an absolute URL with user information',
    [get('http://a:b@other.test/v1/pets/1')],
    200,
  ),
  keepsConnection('an absolute URL without a path', [get('http://other.test')], 404),
  keepsConnection('a fragment', [get('/v1/pets/1#a')], 404),
  keepsConnection('a path of 15,000 characters', [get(`/v1/pets/${'a'.repeat(15_000)}`)], 404),
  keepsConnection('a method of WebDAV', [requestHead('PROPFIND /v1/pets HTTP/1.1', ...START)], 405),
  {
    name: 'a request with Expect: 100-continue',
    steps: [
      requestHead(...POST, 'Content-Length: 29', 'Expect: 100-continue'),
      AWAIT_RESPONSE,
      REX,
      LAST,
    ],
    statuses: [100, 201, 200],
    created: 1,
  },
  {
    name: 'fifty pipelined requests',
    steps: [get('/v1/pets/1').repeat(50) + LAST],
    statuses: Array<number>(51).fill(200),
  },
]

/** Requests with invalid framing, which change nothing. */
export const MALFORMED: readonly RawCase[] = [
  ...['zz', '-1d', '0x1d', 'FFFFFFFFFFFFFFFFFF', '', ' '].map((size) =>
    closesConnection(`a chunk of the size "${size}"`, chunked(`${size}\r\n${REX}\r\n0\r\n\r\n`)),
  ),
  closesConnection('chunks that end with line feeds', chunked(`1d\n${REX}\n0\n\n`)),
  closesConnection('a chunk that is longer than its size', chunked(`1c\r\n${REX}\r\n0\r\n\r\n`)),
  ...['+29', '0x1d', '-1', '29, 29', '29 29', '2.9e1', '', '99999999999999999999'].map((length) =>
    closesConnection(`the Content-Length "${length}"`, post(`Content-Length: ${length}`)),
  ),
  closesConnection(
    'two equal Content-Length headers',
    post('Content-Length: 29', 'Content-Length: 29'),
  ),
  closesConnection(
    'Content-Length and Transfer-Encoding',
    requestHead(...POST, 'Content-Length: 29', 'Transfer-Encoding: chunked') + ALL_CHUNKS,
  ),
  closesConnection(
    'Transfer-Encoding and Content-Length',
    requestHead(...POST, 'Transfer-Encoding: chunked', 'Content-Length: 29') + ALL_CHUNKS,
  ),
  closesConnection(
    'a space before the colon',
    requestHead(...POST, 'Transfer-Encoding : chunked') + ALL_CHUNKS,
  ),
  closesConnection('a header that continues on the next line', get('/v1/pets/1', 'X-A: a', ' b')),
  closesConnection('a header without a name', get('/v1/pets/1', ': a')),
  closesConnection('parentheses in a header name', get('/v1/pets/1', 'X(y): a')),
  closesConnection('a null byte in a header', get('/v1/pets/1', 'X: a\0b')),
  closesConnection('a null byte in the path', get('/v1/pets/\0')),
  closesConnection('a space in the path', get('/v1/pets /1')),
  closesConnection('non-ASCII bytes in the path', Buffer.from(get('/v1/pets/\xff'), 'latin1')),
  closesConnection(
    'line feeds without carriage returns',
    get('/v1/pets/1').replaceAll('\r\n', '\n'),
  ),
  closesConnection(
    'carriage returns without line feeds',
    get('/v1/pets/1').replaceAll('\r\n', '\r'),
  ),
  closesConnection('no target', requestHead('GET HTTP/1.1', ...START)),
  closesConnection('an authority as the target', get('x:80')),
  closesConnection('a javascript: URL as the target', get('javascript:alert(1)')),
  closesConnection('an unknown method', requestHead('FOO /v1/pets HTTP/1.1', ...START)),
  closesConnection('the connection preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  closesConnection('null bytes', new Uint8Array(64)),
  closesConnection('a target of 20,000 characters', get(`/v1/pets?x=${'a'.repeat(20_000)}`), 431),
  closesConnection(
    'a header of 20,000 characters',
    get('/v1/pets', `X: ${'a'.repeat(20_000)}`),
    431,
  ),
  closesConnection(
    'endless headers',
    `GET / HTTP/1.1\r\n${`X: ${'a'.repeat(60)}\r\n`.repeat(400)}`,
    431,
  ),
]

/** Host headers that HTTP forbids and Node accepts. */
export const INVALID_HOSTS: readonly RawCase[] = [
  ['Host: a', 'Host: b'],
  ['Host: a, b'],
  ['Host: a@b'],
  ['Host: a/b'],
  ['Host: a:b'],
  ['Host: a b'],
  [],
].map((hosts) => ({
  name: `the hosts ${JSON.stringify(hosts)}`,
  steps: [requestHead('GET /v1/pets/1 HTTP/1.1', ...hosts, ...START.slice(1)), LAST],
  statuses: [400, 200],
}))

/**
 * Bodies with transfer codings that the server does not support. A POST follows each. A proxy that supports the coding could
 * treat it as a part of the body, so the server must not treat it as a request.
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
    name: `a body with ${JSON.stringify(lines)}`,
    steps: [requestHead(...POST, ...lines) + ALL_CHUNKS + post('Content-Length: 29'), 5, LAST],
    statuses: [400],
  }))

/** Incomplete requests. */
export const INCOMPLETE: readonly string[] = [
  '',
  'G',
  'GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ',
  requestHead(...POST, 'Content-Length: 29') + REX.slice(1),
  requestHead(...POST, 'Content-Length: 9007199254740991'),
  chunked(`1d\r\n${REX}\r\n`),
]
