import type { Id } from './record-table.ts'

/** A text for an id, which tells the number 7 from the text `7`. */
export function idKey(id: Id): string {
  return typeof id === 'number' ? `#${id}` : `"${id}`
}

/** The ids with the same text: generations count by text. */
export function idsLike(id: Id): readonly Id[] {
  const text = String(id)
  return String(Number(text)) === text ? [text, Number(text)] : [text]
}
