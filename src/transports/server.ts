import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { worldPrefixOf } from '../engine/unrecorded-responses.ts'
import type { CoreResponse } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { type Mount, routerOf, type ServedSandbox, type WorldRouter } from '../sandbox/router.ts'
import { baseOf } from './client-url.ts'
import { closeUnanswered } from './connections.ts'
import { isControl, serveControl, type WebHandler } from './control-requests.ts'
import { createDocumentHandler, type ReadDocument } from './document-requests.ts'
import { createExpressHandler } from './express.ts'
import { createHealthHandler, type ReadyTest } from './health-requests.ts'
import {
  PipelinedResponses,
  problemOfBody,
  problemOfParseError,
  problemOfRequest,
  unreadableMethods,
} from './invalid-http.ts'
import { http } from './node-http.ts'
import { inFrontOf, type RequestHandler, toUnrouted, type UnroutedRequest } from './node-request.ts'
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
  const server = http.createServer(
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

/**
 * Express sets the prototype of every request and response, which takes most of a request's time before Node 24. Messages that
 * already have the prototype skip this step, which more than doubles the throughput on Node 20.
 */
function messageClasses(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class SandboxRequest extends http.IncomingMessage {}
  class SandboxResponse<Request extends IncomingMessage> extends http.ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(SandboxRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(SandboxResponse.prototype, app.response)

  return { IncomingMessage: SandboxRequest, ServerResponse: SandboxResponse }
}

/** Saves all changes so far. Resolves when they are saved, and rejects when they cannot be saved. */
export type SaveChanges = () => Promise<void>

/** Methods that change no records (RFC 9110, section 9.2.1; QUERY is safe, too). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'])

/** Wraps a router: requests that may change records are saved before their response, or get a 500. */
function savingRouter(
  router: Pick<WorldRouter, 'resolveMount'>,
  saveChanges: SaveChanges,
): Pick<WorldRouter, 'resolveMount'> {
  const saveOrReject = rejectWithProblem(saveChanges)
  const withSaving = ({ answer, ...mount }: Mount): Mount => ({
    ...mount,
    answer: (request) =>
      answer(SAFE.has(request.method) ? request : { ...request, saveChanges: saveOrReject }),
  })

  return {
    resolveMount: (pathname, header) => {
      const mount = router.resolveMount(pathname, header)
      return mount && withSaving(mount)
    },
  }
}

/** Wraps the Fetch handler of the control interface in the same way. */
function savingHandler(handler: WebHandler, saveChanges: SaveChanges): WebHandler {
  return {
    fetch: (request, peer) =>
      handler.fetch(
        request,
        SAFE.has(request.method) ? peer : { ...peer, saveChanges: rejectWithProblem(saveChanges) },
      ),
  }
}

/** Rejects with a 500 when the changes cannot be saved. */
export function rejectWithProblem(saveChanges: SaveChanges): SaveChanges {
  return () =>
    saveChanges().catch((error) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw problems.internalError(
        `The changes of the request could not be saved and were undone. ${reason}`,
      )
    })
}
