import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mistake } from '../../document/mistake.ts'
import { Mistakes } from '../../document/mistake.ts'
import { parseSettings } from '../../document/parse-text.ts'
import { isObject } from '../../validation/objects.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { describeSystemError } from '../system-error.ts'
import { type CsvRow, parseCsv } from './csv.ts'

/** The records of one collection in a file. */
export interface DataTable {
  /** The name of the collection, or its path. */
  readonly collection: string
  /** The records. Those of a CSV file have only texts. */
  readonly rows: readonly unknown[]
  readonly isText: boolean
  /** Where the name of the collection is: `file:line:column`, or the file. */
  readonly location: string
  /** Where a value of a record is. */
  readonly locate: (row: number, pointer: readonly string[], part?: 'key' | 'value') => string
}

/** The formats of files with records. */
const FORMATS = /\.(json|ya?ml|csv)$/i

/**
 * The files with records that a path names: itself, or those in a folder. In a folder, the path of a file without its ending is the
 * name of the collection: `pets.csv`, `orgs/acme/repos.json`.
 */
export async function dataFiles(
  path: string,
): Promise<readonly { readonly file: string; readonly collection: string }[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [{ file: path, collection: nameOf(path) }]
    const names = await readdir(path, { recursive: true })
    const found = names.filter((name) => FORMATS.test(name) && !/(^|[\\/])\./.test(name)).sort()
    if (found.length === 0) {
      throw unreadable(path, 'it has no files with records', 'Add a file such as pets.csv.')
    }
    return found.map((name) => {
      const file = join(path, name)
      const parts = relative(path, file).split(sep)
      return { file, collection: [...parts.slice(0, -1), nameOf(file)].join('/') }
    })
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw unreadable(path, describeSystemError(cause), 'Name a file or a folder.', cause)
  }
}

function nameOf(file: string): string {
  return basename(file, extname(file))
}

/** The tables of a file: one of CSV or of a list, or one for each property of an object. Throws `Mistakes`. */
export async function readTables(file: string, collection: string): Promise<readonly DataTable[]> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw unreadable(file, describeSystemError(cause), 'Check the file and its permissions.', cause)
  })
  if (/\.csv$/i.test(file)) return [csvTable(file, collection, text)]
  const source = parseSettings(file, pathToFileURL(file), text)
  const { value } = source
  const table = (name: string, rows: unknown, pointer: readonly string[]): DataTable => {
    const isList = Array.isArray(rows)
    return {
      ...{ collection: name, rows: isList ? rows : [rows], isText: false },
      location: source.locate(pointer, 'key'),
      locate: (row, inner, part) =>
        source.locate([...pointer, ...(isList ? [String(row)] : []), ...inner], part),
    }
  }
  if (Array.isArray(value)) return [table(collection, value, [])]
  if (!isObject(value)) throw new Mistakes([noTables(source.locate([]))])

  return Object.entries(value).map(([name, rows]) => table(name, rows, [name]))
}

function noTables(location: string): Mistake {
  return {
    reason: 'the file must be an object of arrays, or an array',
    location,
    help: 'Write the records of each collection below its name, such as {"pets": [{"name": "Rex"}]}.',
  }
}

function csvTable(file: string, collection: string, text: string): DataTable {
  const rows = parseCsv(file, text)
  const at = (row: CsvRow | undefined, column = 1): string => `${file}:${row?.line ?? 1}:${column}`
  return {
    ...{ collection, rows: rows.map(({ values }) => values), isText: true },
    location: file,
    locate: (row, [name = '']) => at(rows[row], rows[row]?.columns.get(name)),
  }
}

function unreadable(path: string, reason: string, help: string, cause?: unknown): UsageError {
  return new UsageError({
    code: 'unreadable_data',
    task: `read the records of ${path}`,
    reason,
    help,
    cause,
  })
}
