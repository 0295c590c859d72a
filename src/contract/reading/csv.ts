import { invalidBody } from './body-text.ts'
import { objectNode, type TextNode, textNode } from './text-node.ts'

/** A field: in quotes, with `""` for a quote, or without, and what follows it (RFC 4180, section 2). */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y

/** The records of a CSV text as objects by the names in its first line. Throws a 400 for a text that is not CSV. */
export function csvNode(text: string): TextNode {
  const [names = [], ...rows] = parseRows(text)
  const list = textNode()
  for (const [index, row] of rows.entries()) {
    const pairs = names.map((name, column) => [name, row[column] ?? ''] as const)
    list.children.set(String(index), objectNode(pairs))
  }
  return rows.length === 0 ? { ...list, value: [] } : list
}

function parseRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  FIELD.lastIndex = 0
  while (FIELD.lastIndex < text.length) {
    const match = FIELD.exec(text)
    if (!match)
      throw invalidBody(`must be valid CSV: line ${rows.length + 1} has an unexpected quote`)
    const [, quoted, plain = '', end] = match
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}
