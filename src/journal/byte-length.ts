const encoder = new TextEncoder()

/** The number of bytes of a body: of a text in UTF-8. */
export function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? encoder.encode(body).length : body.length
}
