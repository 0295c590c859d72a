import { type Ask, pathBelow, type Reply } from '../message.ts'

/** A web request as the core asks it; `undefined` for an address outside `basePath`. */
export function toAsk(request: Request, basePath: string): Ask | undefined {
  const { origin, pathname, search } = new URL(request.url)
  const path = pathBelow(basePath, pathname)
  if (path === undefined) return undefined

  return {
    method: request.method,
    base: origin + basePath,
    path,
    query: search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => request.headers,
    body: (limit) => readBody(request, limit),
  }
}

/** A reply as a web response. HEAD tells the length of the body that it leaves out (RFC 9110, section 9.3.2). */
export function toResponse(reply: Reply, method: string): Response {
  const { status, headers, body, fault } = reply
  if (fault) return Response.error()
  if (body === '') return new Response(null, { status, headers })
  const bytes = new TextEncoder().encode(body)

  return new Response(method === 'HEAD' ? null : bytes, {
    status,
    headers: { ...headers, 'Content-Length': String(bytes.length) },
  })
}

/** A stream is read no further than `limit`: it may have no end. */
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
