import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { worldPrefixOf } from '../engine/unrecorded-responses.ts'
import type { CoreResponse } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { routerOf } from '../sandbox/router.ts'
import { baseOf } from './address.ts'
import { isControl, serveControl } from './control-requests.ts'
import { createDocumentHandler, type ReadDocument } from './document-requests.ts'
import { createExpressHandler } from './express.ts'
import { createHealthHandler, type ReadyTest } from './health-requests.ts'
import { messageClasses } from './message-classes.ts'
import { problemOfParseError, unreadableMethods } from './parse-error.ts'
import { PipelinedResponses } from './pipelined-responses.ts'
import { inFrontOf, type RequestHandler } from './request-handler.ts'
import { problemOfBody, problemOfRequest } from './request-problem.ts'
import { type SaveChanges, savingHandler, savingRouter } from './save-changes.ts'
import type { ServedSandbox } from './served-sandbox.ts'
import { closeUnanswered } from './unanswered-sockets.ts'
import { toUnrouted, type UnroutedRequest } from './unrouted-request.ts'
import type { WebHandler } from './web.ts'
import { send, sendLater, sendUnwritable } from './write-response.ts'

/** Milliseconds that a client has to send the head of its request, and all of it. */
const HEAD_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 30_000

/**
 * Milliseconds for which a connection without a request is kept open by default: longer than load balancers and clients keep theirs,
 * which is 60 seconds at most as a rule. Who closes first must be the client: a request that it sends at that moment fails.
 */
const KEEP_ALIVE = 75_000

/** Options of the server. */
export interface ServerExtras {
  /** Answers the requests below `/__sandbox`. */
  readonly control?: WebHandler | undefined
  /** Answers browsers that open `/` or `/__sandbox`. */
  readonly dashboard?: RequestHandler | undefined
  /** Answers the requests for metrics. */
  readonly metrics?: RequestHandler | undefined
  /** Whether requests to the API can be answered now. Default: always. */
  readonly isReady?: ReadyTest | undefined
  /** Reads the OpenAPI document of the sandbox, which is served when it is given. */
  readonly readDocument?: ReadDocument | undefined
  /** Called after each request that may have changed records, and awaited before the response is sent. */
  readonly saveChanges?: SaveChanges | undefined
  /** The URL by which clients reach the server, without a slash at its end. Links in responses start with it. */
  readonly publicUrl?: string | undefined
  /** Addresses, subnets and ranges of proxies whose `X-Forwarded-*` headers tell the address that clients use. */
  readonly trustProxy?: readonly string[] | undefined
  /** How long a connection without a request is kept open, in milliseconds. Default: 75,000. */
  readonly keepAlive?: number | undefined
  /** Called with each request that reaches neither a world nor the control interface. */
  readonly onUnrouted?: ((request: UnroutedRequest) => void) | undefined
}

/** Creates an HTTP server for a sandbox. Every error response has an Error body. */
export function createSandboxServer(sandbox: ServedSandbox, extras: ServerExtras = {}): Server {
  const app = createApp(sandbox, extras)
  const turns = new PipelinedResponses()
  const listener = createListener(sandbox, extras, app, turns)
  const server = createServer(
    {
      ...messageClasses(app),
      headersTimeout: HEAD_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      keepAliveTimeout: extras.keepAlive ?? KEEP_ALIVE,
      connectionsCheckingInterval: 1000,
      // Node's own error response has no body.
      requireHostHeader: false,
    },
    listener,
  )
  closeUnanswered(server)
  // An expectation that Node does not know may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listener)
  // Node drops all headers after the 2,000th, perhaps with the API key. Their size has its own limit.
  server.maxHeadersCount = 0
  const refuse = (problem: Problem): Promise<CoreResponse> =>
    routerOf(sandbox).rejectUnparsed(problem)
  const unreadable = unreadableMethods(sandbox.contract.operations.map(({ method }) => method))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    turns.refuse(socket, problemOfParseError(error.code, REQUEST_TIMEOUT, unreadable), refuse)
  })
  server.on('connect', (_request, socket) => {
    const problem = problems.methodNotAllowed(
      'CONNECT is not available: this server is not a proxy.',
      'GET',
    )
    turns.refuse(socket, problem, refuse)
  })

  return server
}

/** Passes each request to the control interface or to the app, and refuses invalid HTTP before. */
function createListener(
  sandbox: ServedSandbox,
  extras: ServerExtras,
  app: Express,
  turns: PipelinedResponses,
): RequestListener {
  const { control: given, dashboard, metrics, readDocument, saveChanges, onUnrouted } = extras
  const health = createHealthHandler(extras.isReady ?? (async () => true))
  const isControlled = given !== undefined
  const document =
    readDocument && createDocumentHandler(sandbox, { ...extras, readDocument, isControlled })
  const control = given && saveChanges ? savingHandler(given, saveChanges) : given

  const serveRest = (request: IncomingMessage, response: ServerResponse): void => {
    if (control && isControl(request)) {
      serveControl(control, request, response, (response, target, message) =>
        onUnrouted?.({ ...toUnrouted(request, response, message), target }),
      )
    } else app(request, response)
  }

  const serve = [dashboard, document, metrics, health].reduce(inFrontOf, serveRest)

  return (request, response) => {
    // Data after an invalid body may be the rest of that body, so it is not parsed as a request.
    if (turns.hasRefused(request.socket)) return
    turns.take(response)
    const refuse = async (problem: Problem): Promise<CoreResponse> => {
      const refusal = await routerOf(sandbox).rejectUnparsed(problem, request.headers.origin)
      onUnrouted?.(toUnrouted(request, refusal, problem.message))
      return refusal
    }
    const bodyFault = problemOfBody(request)
    const problem = problemOfRequest(request)
    if (bodyFault) turns.refuse(request.socket, bodyFault, refuse)
    else if (problem) sendLater(refuse(problem), response)
    else {
      try {
        serve(request, response)
      } catch (error) {
        // Outside of Express, an error would end the process.
        sendUnwritable(error, response)
      }
    }
  }
}

function createApp(
  sandbox: ServedSandbox,
  { saveChanges, onUnrouted, publicUrl, trustProxy = [] }: ServerExtras,
): Express {
  const app = express()
  const router = routerOf(sandbox)
  app.disable('x-powered-by')
  app.set('trust proxy', [...trustProxy])
  app.use(
    createExpressHandler(saveChanges ? savingRouter(router, saveChanges) : router, {
      publicUrl,
      onWrongName: (request, response, { message }) =>
        onUnrouted?.(toUnrouted(request, response, message)),
    }),
  )
  app.use(async (request, response) => {
    const notFound = await router.notFoundOutsideApi(
      publicUrl ?? baseOf(request, ''),
      request.path,
      request.headers.origin,
    )
    const { title, basePath } = sandbox.contract
    const base = worldPrefixOf(sandbox.contract, request.path) + basePath || '/'
    onUnrouted?.(
      toUnrouted(request, notFound, `nothing is at this path; the API "${title}" is at ${base}`),
    )
    send(notFound, response)
  })
  app.use(answerBug(sandbox))

  return app
}

/** Any error other than a Problem is a bug. It is printed to the console, and the client gets an Error body. */
function answerBug(sandbox: ServedSandbox): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    console.error(error)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const message = 'The sandbox failed. This is a bug of pet-sandbox. The cause is in its log.'
    response.statusMessage = ''
    const { origin } = request.headers
    sendLater(routerOf(sandbox).rejectUnparsed(problems.internalError(message), origin), response)
  }
}
