import {
  inputKindOf,
  type RecordProperty,
  type RecordValues,
  readText,
  toText,
} from './record-values.ts'

/** What the columns of a file are read and written by. */
type Properties = readonly Pick<RecordProperty, 'name' | 'schema'>[]

/** Records as CSV (RFC 4180): a column for each property, and for each that only some records have. Lists and objects are JSON. */
export function toCsv(records: readonly RecordValues[], properties: Properties): string {
  const schemas = schemasOf(properties)
  const names = [...new Set([...schemas.keys(), ...records.flatMap((one) => Object.keys(one))])]
  const rows = records.map((record) =>
    names.map((name) => toText(record[name], inputKindOf(schemas.get(name) ?? {}))),
  )
  return [names, ...rows].map((row) => `${row.map(quoted).join(',')}\r\n`).join('')
}

function schemasOf(properties: Properties): ReadonlyMap<string, RecordProperty['schema']> {
  return new Map(properties.map(({ name, schema }) => [name, schema]))
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * The records of a CSV file, whose first line has the names of the properties. An empty cell leaves a property out. Throws a TypeError for a
 * cell that its property cannot have, and for a file of another form.
 */
export function readCsv(text: string, properties: Properties): readonly RecordValues[] {
  const [names = [], ...rows] = cellsOf(text)
  const schemas = schemasOf(properties)
  if (names.length === 0) throw new TypeError('it has no line with the names of the properties')

  return rows.map((row, at) => {
    if (row.length !== names.length) {
      throw new TypeError(`record ${at + 1} has ${row.length} cells instead of ${names.length}`)
    }
    const members = names.flatMap((name, column) => {
      const read = readText(row[column] ?? '', schemas.get(name) ?? {})
      if ('error' in read) throw new TypeError(`${name} of record ${at + 1}: ${read.error}`)
      return read.value === undefined ? [] : [[name, read.value] as const]
    })
    return Object.fromEntries(members)
  })
}

/** The lines of a CSV text, each as its cells. */
function cellsOf(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
  const source = text.replace(/^\uFEFF/, '')
  while (cell.lastIndex < source.length || row.length > 0) {
    const [, inQuotes, plain = '', end] = cell.exec(source) ?? []
    if (end === undefined) throw new TypeError(`the quotes of record ${rows.length} are not closed`)
    row.push(inQuotes?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
    if (end === '') break
  }
  return rows
}
