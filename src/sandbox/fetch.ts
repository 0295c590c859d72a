import type { Ask, Reply } from '../message.ts'
import { problems } from '../problem.ts'
import type { Place } from './world.ts'

/** A web request as an Ask, at the place that its address leads to. */
export function toAsk(request: Request, { basePath, path }: Pick<Place, 'basePath' | 'path'>): Ask {
  const { origin, search } = new URL(request.url)

  return {
    method: request.method,
    base: origin + basePath,
    path,
    query: search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => [...request.headers].flat(),
    body: (limit) => readBody(request, limit),
    signal: request.signal,
  }
}

/** Requests under way. The garbage collector would take one that hangs, and with it the signal by which its client aborts it. */
const pending = new Set<Request>()

/**
 * What `work` resolves to. Rejects with the reason of the request's signal as soon as it is aborted, and does not start the
 * work when it is aborted already.
 */
export function unlessAborted<Result>(
  request: Request,
  work: () => Promise<Result>,
): Promise<Result> {
  const { signal } = request
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort)
    pending.add(request)
    work()
      .then(resolve, reject)
      .finally(() => {
        pending.delete(request)
        signal.removeEventListener('abort', abort)
      })
  })
}

/** A reply as a web response. HEAD tells the length of the body that it leaves out (RFC 9110, section 9.3.2). */
export async function toResponse(reply: Reply, request: Request): Promise<Response> {
  const { status, headers, body, fault } = reply
  if (fault === 'reset') return Response.error()
  if (fault === 'timeout') {
    const { never } = await import('./response-faults.ts')
    return never(request)
  }
  if (body === '') return new Response(null, { status, headers })
  const bytes = new TextEncoder().encode(body)
  const content = fault === 'truncated' ? await half(bytes) : bytes

  return new Response(request.method === 'HEAD' ? null : content, {
    status,
    headers: { ...headers, 'Content-Length': String(bytes.length) },
  })
}

async function half(bytes: Uint8Array<ArrayBuffer>): Promise<ReadableStream> {
  const { halfOf } = await import('./response-faults.ts')
  return halfOf(bytes)
}

/** The whole body, as `readStream` reads it. Throws the problem of an incomplete one when the request is aborted meanwhile. */
async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const { body, signal } = request
  // Not every browser shows the body of a request as a stream.
  const bytes = body
    ? await readStream(body, limit, signal)
    : new Uint8Array(await request.arrayBuffer())
  if (signal.aborted) throw problems.incompleteBody()

  return bytes
}

/** All bytes, or `undefined` for more than `limit`, which are read no further: a stream may have no end. */
async function readStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const reader = stream.getReader()
  // This ends the read that is under way.
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
