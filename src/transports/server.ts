import {
  createServer,
  IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { pathBelow, type Reply } from '../message.ts'
import { type Problem, problems } from '../problem.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { hostOf, send, serving, splitTarget } from './express.ts'
import { type Settle, settling, settlingWeb } from './settle.ts'
import { serveWeb, type WebHandler } from './web.ts'

/** Milliseconds that a client has for its request's head, and for all of the request. */
const HEAD_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 30_000

/** A name or an address, with or without a port. */
const HOST = /^[\w.:[\]-]+$/

/** Where the control interface is. */
const CONTROL_PATH = '/__sandbox'

/** What a server has besides the sandbox. */
export interface ServerExtras {
  /** Answers what is below `/__sandbox`. */
  readonly control?: WebHandler | undefined
  /** Asked after each request that may have changed records, before its answer is sent. */
  readonly settle?: Settle | undefined
}

/** An HTTP server with the sandbox on it, ready to listen. Every refusal it sends has the Error body. */
export function createSandboxServer(sandbox: Sandbox, extras: ServerExtras = {}): Server {
  const { settle } = extras
  const app = createApp(sandbox, settle)
  const control = extras.control && settle ? settlingWeb(extras.control, settle) : extras.control
  const listener: RequestListener = (request, response) => {
    const fault = faultOf(request)
    if (fault) send(sandbox.refuseUnread(fault), response)
    else if (control && isControl(request)) void serveWeb(control, request, response)
    else app(request, response)
  }
  const server = createServer(
    {
      ...messageClasses(app),
      headersTimeout: HEAD_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: 1000,
      // Node's own refusal has no body.
      requireHostHeader: false,
    },
    listener,
  )
  // An expectation that Node does not know may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listener)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, sandbox.refuseUnread(unreadable(error.code)))
  })
  server.on('connect', (_request, socket) => {
    refuse(
      socket,
      sandbox.refuseUnread(
        problems.methodNotAllowed('CONNECT is not available: this is no proxy.', 'GET'),
      ),
    )
  })

  return server
}

function isControl({ url = '' }: IncomingMessage): boolean {
  const [path] = splitTarget(url)
  return pathBelow(CONTROL_PATH, path) !== undefined
}

function createApp(sandbox: Sandbox, settle: Settle | undefined): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(serving(settle ? settling(sandbox, settle) : sandbox))
  app.use((request, response) => {
    send(sandbox.elsewhere(`${request.protocol}://${hostOf(request)}`, request.path), response)
  })
  app.use(answerBug(sandbox))

  return app
}

/** What is no Problem is a bug: it is told to the developer, and the client gets an Error body all the same. */
function answerBug(sandbox: Sandbox): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    console.error(error)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const message =
      'The sandbox failed, which is a bug of pet-sandbox. What happened is in its log.'
    send(sandbox.refuseUnread(problems.internalError(message)), response)
  }
}

/**
 * Express sets the prototype of every request and response, which before Node 24 takes most of the time of a request.
 * Messages that are born with the prototype it sets spare that: more than twice the requests a second on Node 20.
 */
function messageClasses(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class SandboxRequest extends IncomingMessage {}
  class SandboxResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(SandboxRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(SandboxResponse.prototype, app.response)

  return { IncomingMessage: SandboxRequest, ServerResponse: SandboxResponse }
}

/** What Node reads and HTTP forbids (RFC 9112, section 3.2). Express answers such a target with a page of HTML. */
function faultOf(request: IncomingMessage): Problem | undefined {
  const { url = '', httpVersion, headers, rawHeaders } = request
  const { host } = headers
  if (host === undefined && httpVersion === '1.1')
    return problems.invalidRequest('The request has no Host header, which HTTP/1.1 asks for.')
  const isHost = (text: string, at: number): boolean =>
    at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
  if (rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost))
    return problems.invalidRequest('The request has several Host headers, and must have one.')
  if (host && !(HOST.test(host) && URL.canParse(`http://${host}`)))
    return problems.invalidRequest('The Host header is no host, with or without a port.')
  if (url.startsWith('/') || url === '*' || URL.canParse(url)) return undefined

  return problems.invalidRequest(`The request's target is no address: ${url}`)
}

/** Node's reasons for not reading a request. */
function unreadable(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return problems.headersTooLarge(`The request's headers are larger than ${maxHeaderSize} bytes.`)
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problems.requestTimeout(
      `The request was not whole after ${REQUEST_TIMEOUT / 1000} seconds.`,
    )
  }
  return problems.invalidRequest('The request is not HTTP that can be read (RFC 9112).')
}

/** Answers on a bare connection, where Node made no response to write to, and ends it. */
function refuse(socket: Duplex, { status, headers, body }: Reply): void {
  if (!socket.writable) return void socket.destroy()
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)

  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}
