import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { type Mount, routerOf, type WorldRouter } from '../sandbox/router.ts'
import type { World } from '../sandbox/world.ts'
import { refuseUnknown, UsageError } from '../validation/usage-error.ts'
import { type Addressed, baseOf, splitTarget } from './address.ts'
import { problemOfSocket } from './pipelined-responses.ts'
import { refuseBasePath, toPublicUrl } from './public-url.ts'
import { joinedHeader } from './raw-headers.ts'
import { leaveUnanswered } from './unanswered-sockets.ts'

/** Bytes of an unwanted body that are still read: only a sender that is done with it turns to the answer. */
export const MAX_DRAINED_BYTES: number = 16 * 1024 * 1024

/** What is read of an Express request. Spelt out, so that users need install neither Express's types nor Node's. */
export interface ExpressRequest extends Addressed {
  readonly method: string
  /** Below where the app mounted the handler. */
  readonly url: string
  /** Where the app mounted the handler; empty for its root. */
  readonly baseUrl: string
  readonly rawHeaders: readonly string[]
  readonly readableEnded: boolean
  readonly destroyed: boolean
  readonly socket: Addressed['socket'] & { readonly destroyed: boolean }
  on(event: string, listener: (chunk: Uint8Array) => void): unknown
}

/** What is done to an Express response. */
export interface ExpressResponse {
  readonly headersSent: boolean
  /** Has the socket, which the response itself lacks while it waits for those of earlier requests. */
  readonly req: { readonly socket: { resetAndDestroy(): unknown; destroy(): unknown } }
  setHeader(name: string, value: string): unknown
  writeHead(status: number, headers: Record<string, string | number>): unknown
  write(chunk: Uint8Array, written: () => void): unknown
  end(body: string): unknown
}

/** How a handler is mounted. */
export interface ExpressOptions {
  /**
   * The address by which clients reach the root of the app, as `https://example.com/sandbox`: links in answers start with it.
   * When left out, they start with the address that the request names; where the app trusts a proxy (`trust proxy`), with
   * the one that `X-Forwarded-Host`, `-Proto`, `-Port` and `-Prefix` name.
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
 * The sandbox, or one of its worlds, as a handler for an Express app to mount before its body parsers. The base path counts
 * from where it is mounted, or else from the root. Requests outside of it go on to the app's next handler; so do errors that
 * are no answer of the service. Throws a UsageError for a `publicUrl` that is no address, or ends with the base path.
 *
 * @example
 * express().use(toExpress(createSandbox())).listen(4010)
 */
export function toExpress(sandbox: World, options: ExpressOptions = {}): ExpressHandler {
  refuseUnknown('toExpress option', options, ['publicUrl'])
  const publicUrl = options.publicUrl === undefined ? undefined : toPublicUrl(options.publicUrl)
  refuseBasePath(publicUrl, sandbox.contract)
  return createExpressHandler(routerOf(sandbox), { publicUrl })
}

/** How a sandbox is served beyond what `toExpress` offers. */
interface HandlerOptions {
  /** Without a slash at its end. */
  readonly publicUrl?: string | undefined
  /** Called with each request that names what cannot be a world, and why it cannot. */
  readonly onWrongName?: (request: ExpressRequest, response: CoreResponse, fault: string) => void
}

/** A router as an Express handler. */
export function createExpressHandler(
  router: Pick<WorldRouter, 'resolveMount'>,
  { publicUrl, onWrongName }: HandlerOptions = {},
): ExpressHandler {
  return (request, response, next) => {
    const reached = resolveRequest(router, request)
    if (!reached) return next()
    const { fault } = reached.mount

    reached.mount
      .answer(toCoreRequest(request, response, reached, publicUrl))
      .then((answer) => {
        if (fault !== undefined) onWrongName?.(request, answer, fault)
        if (!isDisconnected(request)) send(answer, response)
      })
      // This catches what Node throws at a reply that it cannot write, too.
      .catch((error: unknown) => isDisconnected(request) || next(error))
  }
}

/** Whether nobody is there any more to be answered. */
function isDisconnected({ socket }: ExpressRequest): boolean {
  return socket.destroyed
}

/** What a request reached, and the path under which the app mounted the handler. */
interface ResolvedRequest {
  readonly mount: Mount
  readonly prefix: string
  readonly query: string
}

/** The base path counts from where the app mounted the handler, else from the root. */
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
  { mount: { basePath, path }, prefix, query }: ResolvedRequest,
  publicUrl: string | undefined,
): CoreRequest {
  return {
    method: request.method,
    base:
      publicUrl === undefined ? baseOf(request, prefix + basePath) : publicUrl + prefix + basePath,
    path,
    query,
    header: (name) => joinedHeader(request, name),
    headers: () => request.rawHeaders,
    body: (limit) => readBody(request, response, limit),
  }
}

function readBody(
  request: ExpressRequest,
  response: ExpressResponse,
  limit: number,
): Promise<Uint8Array | undefined> {
  if (request.readableEnded) return Promise.reject(bodyAlreadyRead())
  if (request.destroyed) return Promise.reject(problems.incompleteBody())
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (chunk) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      if (size <= MAX_DRAINED_BYTES || response.headersSent) return
      response.setHeader('Connection', 'close')
      resolve(undefined)
    })
    request.on('end', () => resolve(size <= limit ? Buffer.concat(chunks) : undefined))
    // A request emits this when its connection ends before its body does. The server may have ended it, with an answer.
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

/** Writes a reply; Node leaves the body out for HEAD. */
export function send(
  { status, headers, body, fault }: CoreResponse,
  response: ExpressResponse,
): void {
  if (fault === 'reset') return void response.req.socket.resetAndDestroy()
  if (fault === 'timeout') return void leaveUnanswered(response.req.socket)
  response.writeHead(
    status,
    body ? { ...headers, 'Content-Length': Buffer.byteLength(body) } : headers,
  )
  if (fault !== 'truncated') return void response.end(body)
  const half = Buffer.from(body).subarray(0, Buffer.byteLength(body) / 2)
  response.write(half, () => response.req.socket.destroy())
}
