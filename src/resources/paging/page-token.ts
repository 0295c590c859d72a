import type { Parameter } from '../../contract/contract.ts'
import type { Id, PageQuery, Position, Sort, StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { seal, unseal } from '../cursor.ts'

/** The side of a record on which a page is. */
type Side = 'after' | 'before'

/** A token for the page on one side of a record. It contains a position, which stays when the record is removed. */
export function toToken(collection: string, side: Side, position: Position): string {
  return seal(collection, { [side]: position })
}

/** The position in a token; `undefined` when this collection did not issue it. */
export function fromToken(
  collection: string,
  token: string,
): Pick<PageQuery, 'after' | 'before'> | undefined {
  const content = unseal(collection, token)
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
  return parameter?.validate(seal('', { after: { id: 1 } })) ?? true
}
