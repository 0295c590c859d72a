import { isObject } from '../../validation/objects.ts'
import type { ContentWriter } from './content-writer.ts'

export const csvWriter: ContentWriter = {
  takesText: true,
  sample: 'id,name\r\n1,Amber\r\n2,Cedar\r\n',
  write: (value, { mediaType }) => ({
    body: writeRows(value, mediaType.includes('tab') ? '\t' : ','),
  }),
}

/** How many cells a table may have for each value in it, where it has more than so many cells. */
const CELLS_PER_VALUE = 10
const MANY_CELLS = 100_000

/**
 * Rows in the form of RFC 4180. Objects get a first row with the names of all their properties. Where nearly all cells would be
 * empty, because each object has other properties, the table has only the first columns.
 */
function writeRows(value: unknown, separator: string): string {
  if (typeof value === 'string') return value
  const items = [value].flat()
  const objects = items.filter(isObject)
  const names = columnsOf(objects.map((item) => Object.keys(item)))
  const cellsOf = (item: unknown): readonly unknown[] => {
    if (isObject(item)) return names.map((name) => (Object.hasOwn(item, name) ? item[name] : ''))
    return Array.isArray(item) ? item : [item]
  }
  const rows = [...(names.length > 0 ? [names] : []), ...items.map(cellsOf)]

  return rows
    .map((cells) => `${cells.map((cell) => toCell(cell, separator)).join(separator)}\r\n`)
    .join('')
}

function columnsOf(rows: readonly (readonly string[])[]): readonly string[] {
  const names = new Set(rows.flat())
  const values = rows.reduce((sum, { length }) => sum + length, 0)
  const cells = Math.max(MANY_CELLS, CELLS_PER_VALUE * values)

  return [...names].slice(0, Math.ceil(cells / rows.length))
}

function toCell(value: unknown, separator: string): string {
  const isPlain = typeof value !== 'object' || value === null
  const text = isPlain ? String(value ?? '') : JSON.stringify(value)
  const isQuoted = /["\r\n]/.test(text) || text.includes(separator)

  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text
}
