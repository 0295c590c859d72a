import type { Id } from './id.ts'

/**
 * The place after a record, as an opaque text for `?cursor=`. It holds an id rather than an offset, so that records which
 * come and go meanwhile make no item appear twice or not at all.
 */
export function toCursor(collection: string, id: Id): string {
  const text = encodeURIComponent(JSON.stringify(id))
  const sealed = `${checksum(`${collection} ${text}`)} ${text}`

  return btoa(sealed).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The id in a cursor; `undefined` for one that this collection did not give out. */
export function fromCursor(collection: string, cursor: string): Id | undefined {
  try {
    const [, text = ''] = atob(cursor.replaceAll('-', '+').replaceAll('_', '/')).split(' ')
    const id: unknown = JSON.parse(decodeURIComponent(text))
    const isId = typeof id === 'number' || typeof id === 'string'

    return isId && toCursor(collection, id) === cursor ? id : undefined
  } catch {
    return undefined
  }
}

/** FNV-1a: no secret, but cursors that a client makes up are refused by it. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0).toString(36)
}
