import type { Id } from './id-generator.ts'

/**
 * An opaque cursor for `?cursor=`: the position after a record. It contains an id instead of an offset, so a page neither repeats
 * nor skips a record when others are created or deleted meanwhile.
 */
export function toCursor(collection: string, id: Id): string {
  const text = encodeURIComponent(JSON.stringify(id))
  const signed = `${checksum(`${collection} ${text}`)} ${text}`

  return btoa(signed).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The id in a cursor; `undefined` when this collection did not issue the cursor. */
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

/** FNV-1a. It is not a secret, but it detects cursors that a client made up. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0).toString(36)
}
