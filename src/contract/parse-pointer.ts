/** The keys and list positions in a JSON Pointer (RFC 6901) that is not percent-encoded. */
export function parsePointer(pointer: string): readonly string[] {
  const keys = pointer.split('/').slice(1)
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
