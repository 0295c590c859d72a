import type { CoreRequest } from '../../http/message.ts'

/** A request whose body is read once, so that it can be decided more than once. What it changes is saved by a commit only. */
export function keepBody(request: CoreRequest): CoreRequest {
  const { method, base, serverPath, path, query, signal } = request
  let kept: Promise<Uint8Array | undefined> | undefined

  return {
    method,
    base,
    serverPath,
    path,
    query,
    ...(signal && { signal }),
    header: (name) => request.header(name),
    headers: () => request.headers(),
    body: async (limit) => {
      kept ??= request.body(limit)
      const bytes = await kept
      return bytes && bytes.length > limit ? undefined : bytes
    },
  }
}
