import type { Ask, Reply } from '../message.ts'
import { problems } from '../problem.ts'
import type { Place, World } from '../sandbox/world.ts'
import { UsageError } from '../usage-error.ts'
import { headerOf } from './raw-headers.ts'
import { leaveUnanswered } from './unanswered.ts'

/** Bytes of an unwanted body that are still read: only a sender that is done with it turns to the answer. */
export const DRAINED: number = 16 * 1024 * 1024

/** A name or an address, with or without a port. */
export const HOST: RegExp = /^[\w.:[\]-]+$/

/** What is read of an Express request. Spelt out, so that users need install neither Express's types nor Node's. */
export interface ExpressRequest {
  readonly method: string
  /** The target below where the app mounted the handler, with the query. */
  readonly url: string
  /** The whole target, as it was sent. */
  readonly originalUrl: string
  /** Where the app mounted the handler; empty for its root. */
  readonly baseUrl: string
  readonly protocol: string
  /** By the Host header, or by what a proxy says that the app trusts. */
  readonly host: string
  readonly headers: {
    readonly host?: string | undefined
    readonly authorization?: string | undefined
    readonly [name: string]: string | string[] | undefined
  }
  readonly rawHeaders: readonly string[]
  readonly readableEnded: boolean
  readonly socket: { readonly destroyed: boolean; readonly localPort?: number | undefined }
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

/** An Express handler. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/**
 * The sandbox, or one of its worlds, as a handler for an Express app to mount before its body parsers. The base path counts
 * from where it is mounted, or else from the root. Requests outside of it go on to the app's next handler; so do errors that
 * are no answer of the service.
 *
 * @example
 * express().use(toExpress(createSandbox())).listen(4010)
 */
export function toExpress(sandbox: World): ExpressHandler {
  return serving(sandbox)
}

/** Anything that has places as an Express handler. */
export function serving(sandbox: Pick<World, 'at'>): ExpressHandler {
  return (request, response, next) => {
    const reached = reach(sandbox, request)
    if (!reached) return next()

    reached.place
      .answer(toAsk(request, response, reached))
      .then((reply) => send(reply, response))
      // This catches what Node throws at a reply that it cannot write, too.
      .catch((error: unknown) => {
        const hasLeft = request.socket.destroyed
        if (!hasLeft) next(error)
      })
  }
}

/** A place of the sandbox, and where the app mounted it. */
interface Reached {
  readonly place: Place
  readonly mount: string
  readonly query: string
}

/** The base path counts from where the app mounted the handler, else from the root. */
function reach(
  sandbox: Pick<World, 'at'>,
  { url, originalUrl, baseUrl }: ExpressRequest,
): Reached | undefined {
  const [mounted, query] = splitTarget(url)
  const below = sandbox.at(mounted)
  if (below) return { place: below, mount: baseUrl, query }
  const [whole] = splitTarget(originalUrl)
  const place = sandbox.at(whole)

  return place && { place, mount: '', query }
}

function toAsk(
  request: ExpressRequest,
  response: ExpressResponse,
  { place: { basePath, path }, mount, query }: Reached,
): Ask {
  return {
    method: request.method,
    base: baseOf(request, mount + basePath),
    path,
    query,
    header: (name) => headerOf(request, name),
    headers: () => request.rawHeaders,
    body: (limit) => readBody(request, response, limit),
  }
}

let latest = { protocol: '', host: '', path: '', base: '' }

/**
 * The address of a path as the client asked for it. A target that is a whole address has scheme and host of its own, and the
 * Host header does not count then (RFC 9112, section 3.2.2); nor does it where a proxy that the app trusts tells another.
 * Most requests have the base address of the latest, and two that are the same string are compared at once.
 */
export function baseOf(request: ExpressRequest, path: string): string {
  const { originalUrl, protocol, headers, socket } = request
  if (isWhole(originalUrl)) return new URL(originalUrl).origin + path
  const host = hostOf(
    headers['x-forwarded-host'] === undefined ? headers.host : request.host,
    socket,
  )
  if (latest.host !== host || latest.path !== path || latest.protocol !== protocol) {
    latest = { protocol, host, path, base: `${protocol}://${host}${path}` }
  }
  return latest.base
}

function isWhole(target: string): boolean {
  return !target.startsWith('/') && /^https?:/i.test(target) && URL.canParse(target)
}

/** Path and query of a request target, which may be a whole address (RFC 9112, section 3.2.2). */
export function splitTarget(target: string): [path: string, query: string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')

  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)]
}

/** What the client called this server; its own address where that is missing, or is no host. */
export function hostOf(host: string | undefined, { localPort }: ExpressRequest['socket']): string {
  return host !== undefined && HOST.test(host) ? host : `127.0.0.1:${localPort}`
}

function readBody(
  request: ExpressRequest,
  response: ExpressResponse,
  limit: number,
): Promise<Uint8Array | undefined> {
  if (request.readableEnded) return Promise.reject(bodyTaken())
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (chunk) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      if (size <= DRAINED || response.headersSent) return
      response.setHeader('Connection', 'close')
      resolve(undefined)
    })
    request.on('end', () => resolve(size <= limit ? Buffer.concat(chunks) : undefined))
    // Of a request, this is told when its connection ends.
    request.on('error', () => reject(problems.incompleteBody()))
  })
}

function bodyTaken(): UsageError {
  return new UsageError(
    'body_taken',
    'Cannot read the body: another handler has read it. Mount the sandbox before body parsers.',
  )
}

/** Writes a reply; Node leaves the body out for HEAD. */
export function send({ status, headers, body, fault }: Reply, response: ExpressResponse): void {
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
