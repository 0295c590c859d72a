import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { CoreResponse } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { HOST } from './client-url.ts'
import { http } from './node-http.ts'

/** The latest valid host. Most requests name the same host. */
let latestHost = ''

function isHostName(host: string): boolean {
  if (host === latestHost) return true
  if (!(HOST.test(host) && URL.canParse(`http://${host}`))) return false
  latestHost = host
  return true
}

/** The 400 for a body of unknown length. The server then closes the connection (RFC 9112, section 6.3). */
export function problemOfBody({ headers }: IncomingMessage): Problem | undefined {
  const coding = headers['transfer-encoding'] ?? 'chunked'
  if (coding.toLowerCase() === 'chunked') return undefined
  return problems.invalidRequest(
    `The Transfer-Encoding must be chunked, or left out (got ${JSON.stringify(coding)}).`,
  )
}

/**
 * The 400 for requests that Node accepts but HTTP forbids (RFC 9112, section 3.2), for which Express would respond with HTML, and for
 * the script of a service worker (Service Workers, section 4.1): it would see what the dashboard sends and gets, and stay.
 */
export function problemOfRequest(request: IncomingMessage): Problem | undefined {
  const { url = '', httpVersion, headers, rawHeaders } = request
  const { host } = headers
  if (host === undefined && httpVersion === '1.1')
    return problems.invalidRequest('The Host header is missing. HTTP/1.1 requires it.')
  const isHost = (text: string, at: number): boolean =>
    at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
  if (rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost))
    return problems.invalidRequest('The request must have one Host header (got several).')
  if (host && !isHostName(host))
    return problems.invalidRequest('The Host header must be a host, with or without a port.')
  if (headers['service-worker'] !== undefined)
    return problems.invalidRequest('A response of the sandbox cannot be a service worker.')
  if (url.startsWith('/') || url === '*' || URL.canParse(url)) return undefined

  return problems.invalidRequest(`The request target must be a path or a URL (got ${url}).`)
}

/** The methods that Node cannot read, each once. Their operations are served by other transports only. */
export function unreadableMethods(methods: readonly string[]): readonly string[] {
  return [...new Set(methods)].filter((method) => !http.METHODS.includes(method))
}

/**
 * The problem for a request that Node could not parse, by Node's error code. `timeout` is the request timeout in milliseconds;
 * `unreadable` are the methods of the API that Node cannot read.
 */
export function problemOfParseError(
  code: string | undefined,
  timeout: number,
  unreadable: readonly string[] = [],
): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return problems.headersTooLarge(
      `The request's headers are larger than ${http.maxHeaderSize} bytes.`,
    )
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problems.requestTimeout(`The request did not arrive within ${timeout / 1000} seconds.`)
  }
  const hint =
    code === 'HPE_INVALID_METHOD' && unreadable.length > 0
      ? ` Node.js cannot read these methods of the API: ${unreadable.join(', ')}. sandbox.fetch and MSW answer them.`
      : ''
  return problems.invalidRequest(`The request is not valid HTTP (RFC 9112).${hint}`)
}

/** Milliseconds that a client has to read the error response and to close the connection. */
const LINGER_MS = 1000

/** The problem with which a connection was ended, by socket. */
const refusals = new WeakMap<object, Problem>()

/** The problem with which the server ended a connection because of data that it could not parse. */
export function problemOfSocket(socket: object): Problem | undefined {
  return refusals.get(socket)
}

/** The last two responses of a connection, until they are sent. Longer references make garbage collection expensive. */
interface LatestResponses {
  before?: ServerResponse | undefined
  last?: ServerResponse | undefined
}

/**
 * Refuses data on a connection that cannot be parsed. Earlier requests are answered first (RFC 9112, section 9.3.2), and no
 * request is answered twice.
 */
export class PipelinedResponses {
  readonly #turns = new WeakMap<Duplex, LatestResponses>()
  readonly #refused = new WeakSet<Duplex>()

  /** Whether a connection was refused. Later data on it is not parsed as a request. */
  hasRefused(socket: Duplex): boolean {
    return this.#refused.has(socket)
  }

  /** Registers the response of a request that was parsed. */
  take(last: ServerResponse): void {
    const turn = this.#turnOf(last.req.socket)
    turn.before = turn.last
    turn.last = last
    last.on('close', () => {
      if (turn.before === last) turn.before = undefined
      // A request with an incomplete body is kept, because the body may be the data that cannot be parsed.
      if (turn.last === last && last.req.complete) turn.last = undefined
    })
  }

  #turnOf(socket: Duplex): LatestResponses {
    const known = this.#turns.get(socket)
    if (known) return known
    const turn = {}
    this.#turns.set(socket, turn)
    return turn
  }

  /** Ends a connection with a problem. `toResponse` creates its response after the earlier responses are sent. */
  refuse(
    socket: Duplex,
    problem: Problem,
    toResponse: (problem: Problem) => Promise<CoreResponse>,
  ): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    // Node removes its own error listener from this socket, and an error without a listener ends the process.
    socket.on('error', () => undefined)
    const { before, last } = this.#turnOf(socket)
    const end = (): void => {
      if (socket.writable) refusals.set(socket, problem)
      toResponse(problem)
        .then((response) => close(socket, response))
        .catch(() => close(socket))
    }

    if (!last || last.req.complete) {
      whenClosed(last, end)
      return
    }
    // The body of this request cannot be parsed. The request may already have a response.
    whenClosed(before, () => {
      if (last.headersSent) whenClosed(last, () => close(socket))
      else end()
    })
  }
}

/** Calls `then` when a response is sent or its connection is closed. */
function whenClosed(response: ServerResponse | undefined, then: () => void): void {
  if (!response || response.closed || response.writableFinished) then()
  else response.once('close', then)
}

/** Writes a response directly to a socket, for which Node has no response object, and ends the socket. */
function close(socket: Duplex, response?: CoreResponse): void {
  if (!socket.writable) return void socket.destroy()
  socket.end(response && bytesOf(response))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** Throws for a header that Node would not write either. */
function bytesOf({ status, headers, body }: CoreResponse): Buffer {
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    return `${name}: ${value}`
  })

  const head = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n')

  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}
