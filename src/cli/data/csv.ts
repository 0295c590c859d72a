import { Mistakes } from '../../document/mistake.ts'

/** A record of a CSV file. */
export interface CsvRow {
  /** The values by the names of their columns, without empty ones. */
  readonly values: Readonly<Record<string, string>>
  readonly line: number
  /** Where each value starts in its line, by the names of the columns. */
  readonly columns: ReadonlyMap<string, number>
}

/** A value of a CSV file, and where it starts. */
interface Cell {
  readonly text: string
  readonly line: number
  readonly column: number
}

/** Parses CSV (RFC 4180) whose first line has the names of the columns. Throws `Mistakes` with their location. */
export function parseCsv(file: string, text: string): readonly CsvRow[] {
  const [header = [], ...rows] = linesOf(file, text.replace(/^\uFEFF/, ''))
  const names = header.map((cell) => cell.text.trim())
  for (const [at, name] of names.entries()) {
    if (name !== '' && names.indexOf(name) === at) continue
    const reason = name === '' ? 'the column has no name' : `the column "${name}" exists twice`
    throw mistake(file, header[at], reason, 'Give each column of the first line its own name.')
  }
  return rows.map((cells) => {
    const extra = cells[names.length]
    if (extra) {
      const reason = `the line has more than ${names.length} values`
      throw mistake(file, extra, reason, 'Write values that contain a comma in double quotes.')
    }
    const filled = names.flatMap((name, at) => {
      const cell = cells[at]
      return cell && cell.text !== '' ? [[name, cell] as const] : []
    })
    return {
      values: Object.fromEntries(filled.map(([name, cell]) => [name, cell.text])),
      line: cells[0]?.line ?? 1,
      columns: new Map(filled.map(([name, cell]) => [name, cell.column])),
    }
  })
}

/** A value, in quotes or not, and what ends it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y

/** The cells of each line that is not empty. A value in quotes may contain line breaks. */
function linesOf(file: string, text: string): readonly (readonly Cell[])[] {
  const lines: Cell[][] = []
  let cells: Cell[] = []
  let [line, lineStart, at] = [1, 0, 0]
  while (at < text.length || cells.length > 0) {
    CELL.lastIndex = at
    const found = CELL.exec(text)
    const place = { line, column: at - lineStart + 1 }
    if (!found) {
      throw mistake(
        file,
        { text: '', ...place },
        'the quotes of the value are not closed, or are within it',
        'Write a quote in a value as two, and the whole value in quotes: "a ""b"" c".',
      )
    }
    const [whole, quoted, plain = '', end = ''] = found
    cells.push({ text: quoted?.replaceAll('""', '"') ?? plain, ...place })
    at += whole.length
    const breaks = whole.split(/\r\n|\r|\n/)
    line += breaks.length - 1
    if (breaks.length > 1) lineStart = at - (breaks.at(-1)?.length ?? 0)
    if (end === ',') continue
    if (cells.length > 1 || cells[0]?.text !== '') lines.push(cells)
    cells = []
  }
  return lines
}

function mistake(file: string, cell: Cell | undefined, reason: string, help: string): Mistakes {
  return new Mistakes([
    { reason, location: `${file}:${cell?.line ?? 1}:${cell?.column ?? 1}`, help },
  ])
}
