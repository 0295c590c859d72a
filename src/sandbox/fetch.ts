import type { Ask, Reply } from '../message.ts'
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
  }
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

/** The whole body, or `undefined` for one of more than `limit` bytes, which is read no further: it may have no end. */
async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  // Not every browser shows the body of a request as a stream.
  if (!request.body) return new Uint8Array(await request.arrayBuffer())
  const reader = request.body.getReader()
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
