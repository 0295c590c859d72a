import type { Id } from '../records/record-table.ts'

/**
 * An opaque cursor for `?cursor=`: the position after a record. It contains an id instead of an offset, so a page neither repeats
 * nor skips a record when others are created or deleted meanwhile.
 */
export function toCursor(collection: string, id: Id): string {
  return seal(collection, id)
}

/** The id in a cursor; `undefined` when this collection did not issue the cursor. */
export function fromCursor(collection: string, cursor: string): Id | undefined {
  const id = unseal(collection, cursor)

  return typeof id === 'number' || typeof id === 'string' ? id : undefined
}

/** A JSON value as an opaque text of a collection. */
export function seal(collection: string, value: unknown): string {
  const text = encodeURIComponent(JSON.stringify(value))
  const signed = `${checksum(`${collection} ${text}`)} ${text}`

  return btoa(signed).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The value in an opaque text; `undefined` when this collection did not issue it. */
export function unseal(collection: string, sealed: string): unknown {
  try {
    const [, text = ''] = atob(sealed.replaceAll('-', '+').replaceAll('_', '/')).split(' ')
    const value: unknown = JSON.parse(decodeURIComponent(text))

    return seal(collection, value) === sealed ? value : undefined
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
