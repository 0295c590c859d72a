import type { ServerResponse } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { type Ask, pathBelow, type Reply } from '../message.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { UsageError } from '../usage-error.ts'

/** So much of a body that is too large is still read, for its sender to get around to reading the answer. */
const DRAINED = 16 * 1024 * 1024

/**
 * The sandbox as an Express handler, for any app to mount. Requests outside the contract's base path go on to the
 * app's next handler.
 *
 * @example
 * express().use(toExpress(createSandbox())).listen(4010)
 */
export function toExpress(sandbox: Sandbox): RequestHandler {
  const { basePath } = sandbox.contract

  return (request, response, next) => {
    const ask = toAsk(request, response, basePath)
    if (!ask) return next()

    sandbox.answer(ask).then(
      (reply) => send(reply, response),
      (error: unknown) => {
        const hasLeft = request.socket.destroyed
        if (!hasLeft) next(error)
      },
    )
  }
}

/** The base path counts from where the app mounted the handler, else from the root. */
function toAsk(request: Request, response: Response, basePath: string): Ask | undefined {
  const [mounted] = splitTarget(request.url)
  const [whole, query] = splitTarget(request.originalUrl)
  const below = pathBelow(basePath, mounted)
  const path = below ?? pathBelow(basePath, whole)
  if (path === undefined) return undefined
  const mount = below === undefined ? '' : request.baseUrl

  return {
    method: request.method,
    base: `${request.protocol}://${hostOf(request)}${mount}${basePath}`,
    path,
    query,
    header: (name) => headerOf(request, name),
    body: (limit) => readBody(request, response, limit),
  }
}

/** Path and query of a request target, which may be a whole address (RFC 9112, section 3.2.2). */
function splitTarget(target: string): [path: string, query: string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')

  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)]
}

/** What the client called this server; its own address where that is missing or no name. */
export function hostOf({ headers: { host }, socket }: Request): string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : `127.0.0.1:${socket.localPort}`
}

/** Node keeps the first of several Authorization headers; joined, as the Fetch API has them, they are no key. */
function headerOf({ headers, rawHeaders }: Request, name: string): string | undefined {
  if (name === 'authorization') {
    const isAuthorization = (at: number): boolean => rawHeaders[at]?.toLowerCase() === name
    const values = rawHeaders.filter((_, at) => at % 2 === 1 && isAuthorization(at - 1))
    return values.length > 1 ? values.join(', ') : headers.authorization
  }
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

function readBody(
  request: Request,
  response: Response,
  limit: number,
): Promise<Uint8Array | undefined> {
  if (request.readableEnded) return Promise.reject(bodyTaken())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      if (size <= DRAINED || response.headersSent) return
      response.setHeader('Connection', 'close')
      resolve(undefined)
    })
    request.on('end', () => resolve(size <= limit ? Buffer.concat(chunks) : undefined))
    request.on('error', reject)
  })
}

function bodyTaken(): UsageError {
  return new UsageError(
    'body_taken',
    'Cannot read the body: another handler has read it. Mount the sandbox before body parsers.',
  )
}

/** Writes a reply; Node leaves the body out for HEAD. */
export function send({ status, headers, body, fault }: Reply, response: ServerResponse): void {
  if (fault) return void response.socket?.resetAndDestroy()
  response.writeHead(
    status,
    body ? { ...headers, 'Content-Length': Buffer.byteLength(body) } : headers,
  )
  response.end(body)
}
