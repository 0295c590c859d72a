import type { CollectionDetails } from './collection-details.ts'
import { inputKindOf } from './property-input.ts'

/** The most columns of a table. */
const MAX_COLUMNS = 8
/** Longer texts are cut before they are drawn. */
const MAX_TEXT = 200

/** The properties that are columns: the id first, then what fits into a cell, in the order of the document. */
export function columnsOf({
  id,
  properties,
}: Pick<CollectionDetails, 'id' | 'properties'>): string[] {
  const others = properties.filter(({ name }) => name !== id)
  const isJson = ({ schema }: (typeof others)[number]): boolean => inputKindOf(schema) === 'json'
  const short = others.filter((one) => !isJson(one))
  const names = [...short, ...others.filter(isJson)].map(({ name }) => name)

  return [id, ...names].slice(0, MAX_COLUMNS)
}

/** The text of a cell. */
export function cellText(value: unknown): string {
  if (value === undefined) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
