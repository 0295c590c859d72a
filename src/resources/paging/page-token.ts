import type { Parameter } from '../../contract/contract.ts'
import type { Id, PageQuery, Position, Sort, StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'

/** The side of a record on which a page is. */
type Side = 'after' | 'before'

/**
 * A token for the page on one side of a record. It contains a position, which stays when the record is removed; of a page that follows in
 * the order of the ids, only the id.
 */
export function toToken(collection: string, side: Side, position: Position): string {
  return seal(
    collection,
    side === 'after' && !('value' in position) ? position.id : { [side]: position },
  )
}

/** The position in a token; `undefined` when this collection did not issue it. */
export function fromToken(
  collection: string,
  token: string,
): Pick<PageQuery, 'after' | 'before'> | undefined {
  const content = unseal(collection, token)
  if (typeof content === 'number' || typeof content === 'string') return { after: content }
  if (!isObject(content)) return undefined
  const side = Object.hasOwn(content, 'after') ? 'after' : 'before'
  const position = positionIn(content[side])

  return position && { [side]: position }
}

function positionIn(given: unknown): Position | undefined {
  if (!isObject(given)) return undefined
  const { id } = given
  if (typeof id !== 'number' && typeof id !== 'string') return undefined

  return Object.hasOwn(given, 'value') ? { id, value: given.value } : { id }
}

/** The position of a record in a list with this order. */
export function positionOf(id: Id, record: StoredRecord, sort: Sort | undefined): Position {
  return sort?.by === undefined ? { id } : { id, value: getOwn(record, sort.by) }
}

/** Whether a parameter takes texts of any form. One that does not takes offsets. */
export function takesTokens(parameter: Parameter | undefined): boolean {
  return parameter === undefined || acceptsToken(parameter)
}

const acceptsToken = once((parameter: Parameter) =>
  parameter.validate(seal('', { after: { id: 1 } })),
)

/** A JSON value as an opaque text of a collection. */
function seal(collection: string, value: unknown): string {
  const text = encodeURIComponent(JSON.stringify(value))
  const signed = `${checksum(`${collection} ${text}`)} ${text}`

  return btoa(signed).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The value in an opaque text; `undefined` when this collection did not issue it. */
function unseal(collection: string, sealed: string): unknown {
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
