import { isObject } from '../../validation/is-object.ts'
import type { ContentWriter } from './content-writer.ts'

export const csvWriter: ContentWriter = {
  takesText: true,
  sample: 'id,name\r\n1,Amber\r\n2,Cedar\r\n',
  write: (value, { mediaType }) => ({
    body: writeRows(value, mediaType.includes('tab') ? '\t' : ','),
  }),
}

/** Rows in the form of RFC 4180. Objects get a first row with the names of all their properties. */
function writeRows(value: unknown, separator: string): string {
  if (typeof value === 'string') return value
  const items = [value].flat()
  const names = [...new Set(items.filter(isObject).flatMap((item) => Object.keys(item)))]
  const cellsOf = (item: unknown): readonly unknown[] => {
    if (isObject(item)) return names.map((name) => (Object.hasOwn(item, name) ? item[name] : ''))
    return Array.isArray(item) ? item : [item]
  }
  const rows = [...(names.length > 0 ? [names] : []), ...items.map(cellsOf)]

  return rows
    .map((cells) => `${cells.map((cell) => toCell(cell, separator)).join(separator)}\r\n`)
    .join('')
}

function toCell(value: unknown, separator: string): string {
  const isPlain = typeof value !== 'object' || value === null
  const text = isPlain ? String(value ?? '') : JSON.stringify(value)
  const isQuoted = /["\r\n]/.test(text) || text.includes(separator)

  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text
}
