import type { Schema } from '../contract/contract.ts'
import { plainName } from '../contract/plain-name.ts'
import { itemsOf, schemaAt } from '../contract/schema-places.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { idPropertyOf } from './id-property.ts'
import { shapeOf, wordOf } from './path-shape.ts'
import { ASIDE, findRecord } from './record-place.ts'

/** An id with a higher rank may be that of something else. */
const MAX_RANK = 2

/**
 * Whether the response at a path shows the record that the path leads to, such as an order with the list of its items at
 * `/orders/{orderId}`, although there are paths such as `/orders/{orderId}/{itemId}`.
 */
export function showsOneRecord(body: Schema, path: string): boolean {
  const { stem, parameter } = shapeOf(path)
  if (stem === undefined || itemsOf(body)) return false
  const context = { word: wordOf(stem), parameter }
  const found = findRecord(body, context)
  const record = found && schemaAt(body, found.place)
  if (!record || itemsOf(record)) return false
  const id = idPropertyOf(record, context)
  if (!id || id.rank > MAX_RANK || id.name.startsWith('/')) return false

  return [...propertiesOf(record)].some(
    ([name, property]) => name !== id.name && !itemsOf(property) && !ASIDE.test(plainName(name)),
  )
}
