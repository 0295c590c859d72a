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
    body: (limit) => readBody(request, limit),
  }
}

/** A reply as a web response. HEAD tells the length of the body that it leaves out (RFC 9110, section 9.3.2). */
export function toResponse(reply: Reply, method: string): Response {
  const { status, headers, body } = reply
  if (body === '') return new Response(null, { status, headers })
  const bytes = new TextEncoder().encode(body)

  return new Response(method === 'HEAD' ? null : bytes, {
    status,
    headers: { ...headers, 'Content-Length': String(bytes.length) },
  })
}

async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length')) > limit) return undefined
  const bytes = new Uint8Array(await request.arrayBuffer())

  return bytes.length > limit ? undefined : bytes
}
