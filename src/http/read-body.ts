/** In bytes. */
export const MEBIBYTE: number = 1024 * 1024

/** The body is longer than the limit. */
export class BodyTooLongError extends Error {
  override readonly name = 'BodyTooLong'
}

/**
 * Reads a body to its end as text. Counts its bytes as they come, after decompression, and cancels the rest of a body of
 * more than `limit` bytes: a server may send a few bytes that decompress to gigabytes. Rejects with {@link BodyTooLongError}.
 */
export async function readBodyText(
  { body }: { readonly body: ReadableStream<Uint8Array> | null },
  limit: number,
): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    size += read.value.length
    if (size > limit) {
      // Not awaited: a stream may never confirm that it was cancelled.
      void reader?.cancel().catch(() => undefined)
      throw new BodyTooLongError(`A body has more than ${limit} bytes`)
    }
    text += decoder.decode(read.value, { stream: true })
  }
  return text + decoder.decode()
}
