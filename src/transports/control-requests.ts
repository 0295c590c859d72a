import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CoreResponse, pathBelow } from '../http/message.ts'
import { CONTROL_PATH, chooseWorld, maskedPath } from '../http/paths.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { UsageError } from '../validation/usage-error.ts'
import { hostOf, splitTarget } from './client-url.ts'
import { MAX_DRAINED_BYTES } from './express.ts'
import { send, writeStream } from './write-response.ts'

/** The parts of a path that `new Request` rewrites: dot segments, backslashes and hash signs. */
const NORMALIZED = /[\\#]|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Whether a request is for the control interface. */
export function isControl(request: IncomingMessage): boolean {
  return below(request) !== undefined
}

/** Called with a request that was refused before the control interface. `target` and `message` contain no API key. */
type OnRefused = (response: CoreResponse, target: string, message: string) => void

/** Answers a request for the control interface. A path that `new Request` would rewrite gets a 400. */
export function serveControl(
  control: WebHandler,
  request: IncomingMessage,
  response: ServerResponse,
  onRefused: OnRefused,
): void {
  const path = below(request) ?? ''
  if (!NORMALIZED.test(path)) return void serveWeb(control, request, response)
  const local = path.replaceAll(/[\\#]/g, '/')
  const { nameError } = chooseWorld(local)
  const refusal = refuseNormalizedPath(path, nameError).toResponse()
  onRefused(refusal, CONTROL_PATH + maskedPath(local), nameError?.message ?? NO_SUCH_ADDRESS)
  send(refusal, response)
}

function below({ url = '' }: IncomingMessage): string | undefined {
  const [path] = splitTarget(url)
  return pathBelow(CONTROL_PATH, path)
}

const NO_SUCH_ADDRESS = 'a path must not contain \\ or #, or a segment . or ...'

/** The 400 for such a path. Without it, a request for a world named `..` would change the default world. */
function refuseNormalizedPath(path: string, nameError: UsageError | undefined): Problem {
  return nameError
    ? problems.invalidUsage(nameError)
    : problems.invalidRequest(`There is nothing at ${CONTROL_PATH}${path}: ${NO_SUCH_ADDRESS}`)
}

/** A Fetch handler that also gets the address of the client. */
export interface WebHandler {
  fetch(request: Request, peer: Peer): Promise<Response>
}

/** The client of a request, and how changes are saved before the response. */
interface Peer {
  readonly address?: string | undefined
  /** Called after a change. Resolves when it is saved. Rejects with a Problem when it cannot be saved and must be undone. */
  readonly saveChanges?: (() => Promise<void>) | undefined
}

/** Answers a Node request with a Fetch handler. Bodies are streams in both directions. */
export async function serveWeb(
  handler: WebHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = openBody(incoming)
  const disconnected = new AbortController()
  outgoing.on('close', () => disconnected.abort())
  try {
    const request = toRequest(incoming, body.stream, disconnected.signal)
    if (!(request instanceof Request)) return void send(request.toResponse(), outgoing)
    const response = await handler.fetch(request, { address: incoming.socket.remoteAddress })
    await write(response, outgoing)
  } catch (error) {
    // A client that disconnected needs no response.
    if (incoming.socket.destroyed) return
    console.error(error)
    if (outgoing.headersSent) return void outgoing.destroy()
    send(
      problems.internalError('The sandbox failed. The cause is in its log.').toResponse(),
      outgoing,
    )
  } finally {
    body.drain()
  }
}

/** The Fetch request of a Node request, or a problem when the Fetch standard cannot express it. */
function toRequest(
  incoming: IncomingMessage,
  body: Body['stream'],
  signal: AbortSignal,
): Request | Problem {
  const { method = 'GET', rawHeaders } = incoming
  if (method === 'TRACE') return problems.methodNotAllowed('TRACE is not available.', 'GET')
  const address = addressOf(incoming)
  if (!URL.canParse(address) || new URL(address).username !== '') {
    return problems.invalidRequest(
      `The request target must be a URL of this server (got ${address}).`,
    )
  }
  const pairs = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    headers: new Headers(pairs),
    duplex: 'half',
    signal,
    ...(hasBody && { body }),
  }
  return new Request(address, init)
}

/** A target in absolute form overrides the Host header (RFC 9112, section 3.2.2). */
function addressOf(incoming: IncomingMessage): string {
  const { url = '/', headers, socket } = incoming
  return url.startsWith('/') ? `http://${hostOf(headers.host, socket)}${url}` : url
}

/** A request body as a stream, with a way to discard the rest. */
interface Body {
  readonly stream: ReadableStream<Uint8Array>
  /** Reads and discards the rest, so that the connection can carry the next request. A rest that is too long ends the connection. */
  readonly drain: () => void
}

/** Opens a body as a stream. Node's own `toWeb` hangs when a body on a kept-alive connection is not read. */
function openBody(incoming: IncomingMessage): Body {
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined
  let drained = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        reader = controller
      },
      pull: () => void incoming.resume(),
      cancel: () => {
        reader = undefined
      },
    },
    { highWaterMark: 0 },
  )
  incoming.on('data', (chunk: Uint8Array) => {
    if (reader) {
      reader.enqueue(chunk)
      incoming.pause()
    } else {
      drained += chunk.length
      if (drained > MAX_DRAINED_BYTES) incoming.destroy()
    }
  })
  incoming.on('end', () => reader?.close())
  incoming.on('error', (error) => reader?.error(error))
  incoming.pause()

  return {
    stream,
    drain: () => {
      reader = undefined
      if (!incoming.complete) incoming.resume()
    },
  }
}

/** Writes a response while its body arrives. */
async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (!response.body) return void outgoing.end()
  await writeStream(response.body, outgoing)
}
