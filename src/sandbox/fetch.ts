import { sentHeaders } from '../http/headers.ts'
import { type CoreRequest, type CoreResponse, PIECE_INTERVAL, piecesOf } from '../http/message.ts'
import { problems, unwritable } from '../http/problem.ts'
import { realNow } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Mount, WorldRouter } from './router.ts'

/**
 * Answers a web request. Everything that can take long ends when the request's signal is aborted: reading a body, a delay, a
 * response that never comes. So a usual request needs no listener.
 */
export async function answerRequest(
  request: Request,
  router: Pick<WorldRouter, 'resolveMount' | 'notFoundOutsideApi'>,
): Promise<Response> {
  requireRequest(request)
  const { signal } = request
  signal.throwIfAborted()
  const { origin, pathname } = new URL(request.url)
  const mount = router.resolveMount(pathname, (name) => request.headers.get(name) ?? undefined)
  const answered = mount
    ? await mount.answer(withDelivery(toCoreRequest(request, mount)))
    : await router.notFoundOutsideApi(origin, pathname, request.headers.get('origin') ?? undefined)
  const response = await toResponse(answered, request)
  signal.throwIfAborted()

  return response
}

/** Throws a UsageError for a URL: the global `fetch` takes one, and a sandbox takes a `Request` only. */
function requireRequest(request: unknown): void {
  if (typeof request === 'object' && request !== null && 'signal' in request) return
  throw new UsageError({
    code: 'invalid_value',
    task: 'fetch from the sandbox',
    reason: 'the argument must be a Request',
    help: "Write sandbox.fetch(new Request('http://localhost/…')).",
  })
}

/** A web request as a request of the core, at the mount of its URL. */
export function toCoreRequest(
  request: Request,
  { basePath, path, serverPath }: Pick<Mount, 'basePath' | 'path' | 'serverPath'>,
): CoreRequest {
  const { origin, search } = new URL(request.url)

  return {
    method: request.method,
    base: origin + basePath,
    path,
    serverPath,
    query: search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => [...request.headers].flat(),
    body: (limit) => readBody(request, limit),
    signal: request.signal,
  }
}

/** A request with a `Host` came over a network, through a server that passes it on. Others are sent to the sandbox itself. */
function withDelivery(request: CoreRequest): CoreRequest {
  if (request.header('host') === undefined) return request
  return { ...request, delivery: { received: realNow() } }
}

/** A response of the core as a web response. For HEAD it has the length of the body, without the body (RFC 9110, section 9.3.2). */
export async function toResponse(response: CoreResponse, request: Request): Promise<Response> {
  const { fault } = response
  if (fault === 'reset' || fault === 'empty') return Response.error()
  if (fault === 'timeout') return neverAnswer(request)
  try {
    return await writeResponse(response, request)
  } catch (error) {
    return writeResponse(unwritable(error instanceof Error ? error.message : undefined), request)
  }
}

const encoder = new TextEncoder()

/** Throws for a status or a header that a web response cannot have. */
async function writeResponse(
  { status, headers: given, body, fault, stream }: CoreResponse,
  request: Request,
): Promise<Response> {
  const headers = sentHeaders(given)
  if (stream) {
    const events = untilAborted(stream(), request.signal)
    return new Response(fault === 'truncated' ? firstPart(events) : events, { status, headers })
  }
  if (body.length === 0) return new Response(null, { status, headers })
  // A copy, because not every array of bytes is one that responses take.
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body)
  const content = contentOf(bytes, fault)

  return new Response(request.method === 'HEAD' ? null : content, {
    status,
    headers: [...headers, ['Content-Length', String(bytes.length)]],
  })
}

/**
 * The requests whose bodies are being read. Without this reference, the garbage collector would remove a request whose body never
 * ends, and with it the signal by which its client aborts it.
 */
const reading = new Set<Request>()

/** The complete body, as `readStream` reads it. Throws the problem of an incomplete body when the request is aborted meanwhile. */
async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const { body, signal } = request
  reading.add(request)
  try {
    // Not every browser provides the body of a request as a stream.
    const bytes = body
      ? await readStream(body, limit, signal)
      : new Uint8Array(await request.arrayBuffer())
    if (signal.aborted) throw problems.incompleteBody()

    return bytes
  } finally {
    reading.delete(request)
  }
}

/** All bytes, or `undefined` for more than `limit`: reading stops there, because a stream may have no end. */
async function readStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const reader = stream.getReader()
  // This ends the present read.
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel)
  try {
    return await readChunks(reader, limit)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length
    if (size > limit) {
      await reader.cancel()
      return undefined
    }
    chunks.push(read.value)
  }
  return joined(chunks, size)
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The body as the fault of the response leaves it. */
function contentOf(
  bytes: Uint8Array<ArrayBuffer>,
  fault: CoreResponse['fault'],
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> {
  if (fault === 'truncated') return firstHalf(bytes)
  return fault === 'slow-bytes' ? inPieces(bytes) : bytes
}

/** A body in pieces, with a pause before each. */
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = piecesOf(bytes)
  let sent = 0
  return new ReadableStream({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, PIECE_INTERVAL))
      const piece = pieces[sent]
      sent += 1
      if (piece) controller.enqueue(piece)
      if (sent >= pieces.length) controller.close()
    },
  })
}

/** The first half of a body and then an error, as when a connection is closed too soon. */
function firstHalf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = false
  return new ReadableStream({
    pull: (controller) => {
      if (isSent) controller.error(new TypeError(CLOSED))
      else controller.enqueue(bytes.subarray(0, bytes.length / 2))
      isSent = true
    },
  })
}

/**
 * Requests that get no answer. Without this reference the garbage collector would take them, and with them the signals by
 * which their clients abort them.
 */
const unanswered = new Set<Request>()

/** Never resolves. Rejects when the client aborts the request. */
function neverAnswer(request: Request): Promise<never> {
  const { signal } = request
  return new Promise((_resolve, reject) => {
    const end = (): void => {
      unanswered.delete(request)
      reject(signal.reason)
    }
    if (signal.aborted) return end()
    unanswered.add(request)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** A stream that ends with an error when the client aborts its request, as that of a connection does. */
function untilAborted(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const abort = (): void => {
        void reader.cancel().catch(() => undefined)
        controller.error(signal.reason)
      }
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
    },
    pull: async (controller) => {
      const { done, value } = await reader.read()
      if (signal.aborted) return
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => reader.cancel(),
  })
}

/** The first part of a stream and then an error, as when a connection is closed too soon. */
function firstPart(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let isSent = false
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value } = isSent ? {} : await reader.read()
      isSent = true
      if (value) return controller.enqueue(value)
      void reader.cancel().catch(() => undefined)
      controller.error(new TypeError(CLOSED))
    },
    cancel: () => reader.cancel(),
  })
}

const CLOSED = 'The connection was closed before the body ended'
