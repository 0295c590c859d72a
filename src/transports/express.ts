import type { CoreRequest, CoreResponse, Delivery } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { type Mount, routerOf, type WorldRouter } from '../sandbox/router.ts'
import type { World } from '../sandbox/world.ts'
import { refuseUnknown, UsageError } from '../validation/usage-error.ts'
import {
  baseOf,
  type RequestUrlSource,
  refuseBasePath,
  splitTarget,
  toPublicUrl,
} from './client-url.ts'
import { afterTurn, Connections } from './connections.ts'
import { problemOfSocket } from './invalid-http.ts'
import { joinedHeader } from './node-request.ts'
import { type ExpressResponse, write } from './write-response.ts'

/** The most bytes that are read of an unwanted body. Many clients read the response only after they have sent the whole body. */
export const MAX_DRAINED_BYTES: number = 16 * 1024 * 1024

/** The parts of an Express request that the handler reads. Users need no types of Express or Node.js. */
export interface ExpressRequest extends RequestUrlSource {
  readonly method: string
  /** The URL below the path where the app mounts the handler. */
  readonly url: string
  /** The path where the app mounts the handler; empty for the root. */
  readonly baseUrl: string
  readonly rawHeaders: readonly string[]
  readonly httpVersionMajor?: number
  readonly readableEnded: boolean
  readonly destroyed: boolean
  readonly socket: RequestUrlSource['socket'] & { readonly destroyed: boolean }
  on(event: string, listener: (chunk: Uint8Array) => void): unknown
}

/** Options of `toExpress`. */
export interface ExpressOptions {
  /**
   * The URL at which clients reach the root of the app, such as `https://example.com/sandbox`. Links in responses start with
   * it. Default: the URL that the request names, or, when the app trusts a proxy (`trust proxy`), the URL that
   * `X-Forwarded-Host`, `-Proto`, `-Port` and `-Prefix` name.
   */
  readonly publicUrl?: string
}

/** An Express handler. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Turns a sandbox or one of its worlds into an Express handler. Mount it before body parsers. The base path is relative to the
 * mount path, or else to the root. Requests outside the base path go to the app's next handler, and bugs go to its error
 * handler. Throws a UsageError for a value that is not a sandbox, for an invalid `publicUrl`, and for one that ends with the base path.
 *
 * @example
 * express().use(toExpress(createSandbox())).listen(4010)
 */
export function toExpress(sandbox: World, options: ExpressOptions = {}): ExpressHandler {
  const router = routerOf(sandbox)
  refuseUnknown('toExpress', options, ['publicUrl'])
  const publicUrl = options.publicUrl === undefined ? undefined : toPublicUrl(options.publicUrl)
  refuseBasePath(publicUrl, sandbox.contract)
  return createExpressHandler(router, { publicUrl })
}

/** Options for the sandbox's own server. */
interface HandlerOptions {
  /** As in `ExpressOptions`, without a trailing slash. */
  readonly publicUrl?: string | undefined
  /** Called with each request whose world name is invalid. */
  readonly onWrongName?: (
    request: ExpressRequest,
    response: CoreResponse,
    nameError: UsageError,
  ) => void
}

/** Creates an Express handler for a router. */
export function createExpressHandler(
  router: Pick<WorldRouter, 'resolveMount'>,
  { publicUrl, onWrongName }: HandlerOptions = {},
): ExpressHandler {
  const connections = new Connections()
  const runTogether = createTurns()
  return (request, response, next) => {
    const resolved = resolveRequest(router, request)
    if (!resolved) return next()
    const { mount } = resolved
    const { nameError } = mount
    const delivery = connections.deliveryOf(request)
    const received = toCoreRequest(request, response, resolved, publicUrl, delivery)

    runTogether(async () => {
      try {
        const answer = await mount.answer(received)
        if (nameError) onWrongName?.(request, answer, nameError)
        if (!isDisconnected(request)) write(answer, response)
      } catch (error) {
        // Also an error of Node for a response that it cannot write.
        if (!isDisconnected(request)) next(error)
      }
    })
  }
}

/**
 * Runs the tasks of one turn of the event loop together, after all its requests are read. Between two reads of a socket the processor
 * drops much of the code that it has loaded: a request costs up to twice the time when it is answered there.
 */
function createTurns(): (task: () => Promise<void>) => void {
  let tasks: (() => Promise<void>)[] = []
  const runAll = (): void => {
    const due = tasks
    tasks = []
    for (const run of due) void run()
  }

  return (task) => {
    tasks.push(task)
    if (tasks.length === 1) afterTurn(runAll)
  }
}

/** Whether the client has disconnected. */
function isDisconnected({ socket }: ExpressRequest): boolean {
  return socket.destroyed
}

/** The mount that a request reached, and the path where the app mounts the handler. */
interface ResolvedRequest {
  readonly mount: Mount
  readonly prefix: string
  readonly query: string
}

/** Looks for the base path below the mount path of the app, then at the root. */
function resolveRequest(
  router: Pick<WorldRouter, 'resolveMount'>,
  request: ExpressRequest,
): ResolvedRequest | undefined {
  const header = (name: string): string | undefined => joinedHeader(request, name)
  const [mounted, query] = splitTarget(request.url)
  const below = router.resolveMount(mounted, header)
  if (below) return { mount: below, prefix: request.baseUrl, query }
  const [whole] = splitTarget(request.originalUrl)
  const mount = router.resolveMount(whole, header)

  return mount && { mount, prefix: '', query }
}

function toCoreRequest(
  request: ExpressRequest,
  response: ExpressResponse,
  { mount: { basePath, path, serverPath }, prefix, query }: ResolvedRequest,
  publicUrl: string | undefined,
  delivery: Delivery,
): CoreRequest {
  return {
    method: request.method,
    base:
      publicUrl === undefined ? baseOf(request, prefix + basePath) : publicUrl + prefix + basePath,
    path,
    serverPath,
    query,
    header: (name) => joinedHeader(request, name),
    headers: () => request.rawHeaders,
    body: (limit) => readBody(request, response, limit),
    delivery,
  }
}

function readBody(
  request: ExpressRequest,
  response: ExpressResponse,
  limit: number,
): Promise<Uint8Array | undefined> {
  if (request.readableEnded) return Promise.reject(bodyAlreadyRead())
  if (request.destroyed) return Promise.reject(problems.incompleteBody())
  const isTooLong = Number(joinedHeader(request, 'content-length') ?? 0) > limit
  return new Promise((resolve, reject) => {
    // The client need not send all of it to get its response. What it sends is read, because many clients send all of it first.
    if (isTooLong) resolve(undefined)
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (chunk) => {
      size += chunk.length
      if (size <= limit && !isTooLong) chunks.push(chunk)
      if (size <= MAX_DRAINED_BYTES) return
      if (response.headersSent) {
        if (isTooLong) response.req.socket.destroy()
        return
      }
      response.setHeader('Connection', 'close')
      resolve(undefined)
    })
    request.on('end', () => resolve(size <= limit ? Buffer.concat(chunks) : undefined))
    // Node emits this when the connection ends before the body. The server may have ended it with a response.
    request.on('error', () => reject(problemOfSocket(request.socket) ?? problems.incompleteBody()))
  })
}

function bodyAlreadyRead(): UsageError {
  return new UsageError({
    code: 'body_taken',
    task: 'read the body',
    reason: 'another middleware has read it already',
    help: 'Mount the sandbox before body parsers.',
  })
}
