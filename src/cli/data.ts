import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Contract, Schema } from '../contract/contract.ts'
import { propertiesOf, withBranches } from '../contract/schema.ts'
import { asUsageError, type Mistake, Mistakes } from '../document/mistake.ts'
import type { Locale } from '../generate/locale.ts'
import { matches } from '../generate/matches.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { resourcesIn } from '../resources/bind.ts'
import { parametersIn } from '../resources/collect-examples.ts'
import { suggestCollection } from '../resources/collection-name.ts'
import { checkRows } from '../resources/first-records/check-first-records.ts'
import { completeGiven } from '../resources/first-records/complete-given.ts'
import {
  type GivenCollection,
  type GivenRow,
  givenCollection,
  givenRows,
} from '../resources/first-records/given-records.ts'
import type { GivenRecords } from '../resources/first-records/records-option.ts'
import type { Resource } from '../resources/resource.ts'
import { OTHERS } from '../resources/start-of.ts'
import { withIds } from '../resources/with-ids.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { ValueMistake, ValuePath } from '../validation/value-check.ts'
import { describeSystemError } from './system-error.ts'

/** What the records of files are for. */
interface DataTarget {
  readonly contract: Contract
  readonly seed: number
  readonly locale?: Locale | undefined
  /** Called with each file that is read. */
  readonly onRead: (file: string) => void
}

/**
 * The records of files and folders by collection, for the option `records`. What a record lacks is generated. Throws a UsageError that
 * lists the mistakes, each with its location (file:line:column).
 */
export async function readRecords(
  paths: readonly string[],
  target: DataTarget,
): Promise<Readonly<Record<string, readonly StoredRecord[]>>> {
  const records = new Map<string, StoredRecord[]>()
  const mistakes: Mistake[] = []
  const { contract } = target
  const resources = resourcesIn(contract)
  const isCollection = (name: string): boolean => {
    return givenCollection(name, resources, contract) !== undefined
  }
  for (const path of paths) target.onRead(resolve(path))
  const tables = await readTables(paths, mistakes, { isCollection, onRead: target.onRead })
  for (const table of tables) {
    const { name, rows } = await recordsOf(table, target, mistakes)
    records.set(name, [...(records.get(name) ?? []), ...rows])
  }
  if (mistakes.length > 0)
    throw asUsageError(paths.join(', '), new Mistakes(mistakes), 'invalid_records')

  return Object.fromEntries(records)
}

/** The option `records` with the records of files. Collections that have no file start as without files. */
export function withData(
  records: number | 'default' | GivenRecords | undefined,
  data: Readonly<Record<string, readonly StoredRecord[]>>,
): GivenRecords {
  const named = typeof records === 'object' ? records : { [OTHERS]: records ?? 'default' }
  return { [OTHERS]: 'default', ...named, ...data }
}

/** The complete records of one table. */
async function recordsOf(
  table: DataTable,
  { contract, seed, locale }: DataTarget,
  mistakes: Mistake[],
): Promise<{ readonly name: string; readonly rows: readonly StoredRecord[] }> {
  const { collection } = table
  const resources = resourcesIn(contract)
  const found = givenCollection(collection, resources, contract)
  const problem = found ? nestedProblem(found) : unknownCollection(collection, resources)
  if (!found || problem) {
    mistakes.push({ location: table.location, reason: '', ...problem })
    return { name: collection, rows: [] }
  }
  const { name } = found
  const resource = found.resource.operations ? await withIds(found.resource) : found.resource
  const given = givenRows(table.value, resource, found.values).map(({ value, at }): GivenRow => {
    const record = isObject(value) ? typed(value, resource, table.isText) : value
    return { value: record, at: (inner) => [collection, ...at(inner)] }
  })
  const objects = given.flatMap(({ value }) => (isObject(value) ? [value] : []))
  const parameters = parametersIn(resource.path, name)
  const rows = await completeGiven({ resource, name, parameters }, objects, seed, locale)
  const complete = rows.values()
  const checked = given.map(({ value, at }) => {
    return { value: isObject(value) ? complete.next().value : value, at }
  })
  for (const mistake of checkRows(resource, checked)) mistakes.push(located(mistake, table))

  return { name, rows }
}

/** A mistake with its place in the file. */
function located(
  { path, part, reason, help, ...suggestion }: ValueMistake,
  table: DataTable,
): Mistake {
  return {
    reason,
    location: table.locate(path.slice(1), part),
    ...(help !== undefined && { help }),
    ...suggestion,
  }
}

function unknownCollection(name: string, resources: readonly Resource[]): Partial<Mistake> {
  return { reason: `unknown collection "${name}"`, ...suggestCollection(name, resources) }
}

/** A nested collection is named by its path, because each parent has its own. */
function nestedProblem({ resource, name }: GivenCollection): Partial<Mistake> | undefined {
  const { parents, path } = resource
  if (!parents || name !== resource.name) return undefined
  return {
    reason: `"${name}" is below other records`,
    help: `Name one collection by its path, such as ${path.slice(1).replace(/[{}]/g, '')}.`,
  }
}

/** The values of a record with the types of its schema: those of CSV are texts, and an id may be a text of a number. */
function typed(row: StoredRecord, { schema, id }: Resource, isText: boolean): StoredRecord {
  const properties = propertiesOf(schema)
  const entries = Object.entries(row).map(([name, value]) => {
    const own = properties.get(name) ?? {}
    return [name, isText || name === id ? typedValue(value, own) : value] as const
  })
  return Object.fromEntries(entries)
}

function typedValue(value: unknown, schema: Schema): unknown {
  if (typeof value === 'number' && !matches(schema, value) && matches(schema, String(value))) {
    return String(value)
  }
  if (typeof value !== 'string') return value
  const types = withBranches(schema).flatMap(({ type = [] }) => type)
  if (types.length === 0 || types.includes('string')) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** The records of one collection in a file. */
export interface DataTable {
  /** The name of the collection, or its path. */
  readonly collection: string
  /** What the file has for the collection: usually a list of records. */
  readonly value: unknown
  /** The list, or the only record. Those of a CSV file have only texts. */
  readonly rows: readonly unknown[]
  readonly isText: boolean
  /** Where the name of the collection is, or the file. */
  readonly location: Mistake['location']
  /** Where a part of the value is. */
  readonly locate: (path: ValuePath, part?: 'key' | 'value') => Mistake['location']
}

/** The formats of files with records. */
const FORMATS = /\.(json|ya?ml|csv)$/i

/** A file with records, and the collection that it is named after. */
interface DataFile {
  readonly file: string
  readonly collection: string
}

/**
 * The files with records that a path names: itself, or those in a folder. In a folder, the path of a file without its ending is the
 * name of the collection: `pets.csv`, `orgs/acme/repos.json`.
 */
async function dataFiles(path: string): Promise<readonly DataFile[]> {
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

/** How tables are read. */
interface TableReading {
  readonly isCollection?: (name: string) => boolean
  /** Called with each file that is read. */
  readonly onRead?: (file: string) => void
}

/** The tables of files and folders. Adds what is wrong with their texts to `mistakes`. Throws a UsageError for a file that cannot be read. */
export async function readTables(
  paths: readonly string[],
  mistakes: Mistake[],
  { isCollection = () => false, onRead = () => undefined }: TableReading = {},
): Promise<readonly DataTable[]> {
  const tables: DataTable[] = []
  for (const path of paths) {
    for (const one of await dataFiles(path)) {
      onRead(resolve(one.file))
      try {
        tables.push(...(await tablesIn(one, mistakes, isCollection)))
      } catch (error) {
        if (!(error instanceof Mistakes)) throw error
        mistakes.push(...error.list)
      }
    }
  }
  return tables
}

/**
 * The tables of a file: one of CSV, of a list, or of a body of the collection that the file is named after; else one for each property of an
 * object. Throws `Mistakes` when it has none.
 */
async function tablesIn(
  { file, collection }: DataFile,
  mistakes: Mistake[],
  isCollection: (name: string) => boolean,
): Promise<readonly DataTable[]> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw unreadable(file, describeSystemError(cause), 'Check the file and its permissions.', cause)
  })
  if (/\.csv$/i.test(file)) return [csvTable(file, collection, text, mistakes)]
  const { parseSettings } = await import('../document/parse-text.ts')
  const source = parseSettings(file, pathToFileURL(file), text, (all) => mistakes.push(...all))
  const { value } = source
  const table = (name: string, own: unknown, pointer: readonly string[]): DataTable => ({
    ...{ collection: name, value: own, rows: Array.isArray(own) ? own : [own], isText: false },
    location: { source, pointer, part: 'key' },
    locate: (path, part) => ({
      source,
      pointer: [...pointer, ...path.map(String)],
      ...(part && { part }),
    }),
  })
  if (Array.isArray(value)) return [table(collection, value, [])]
  if (!isObject(value)) throw new Mistakes([noTables(source.locate([]))])
  const isBody = isCollection(collection) && !Object.keys(value).every(isCollection)
  if (isBody) return [table(collection, value, [])]

  return Object.entries(value).map(([name, own]) => table(name, own, [name]))
}

function noTables(location: string): Mistake {
  return {
    reason: 'the file must be an object of arrays, or an array',
    location,
    help: 'Write the records of each collection below its name, such as {"pets": [{"name": "Rex"}]}.',
  }
}

function csvTable(file: string, collection: string, text: string, mistakes: Mistake[]): DataTable {
  const rows = parseCsv(file, text, mistakes)
  const at = (row: CsvRow | undefined, column = 1): string => `${file}:${row?.line ?? 1}:${column}`
  const values = rows.map((row) => row.values)
  return {
    ...{ collection, value: values, rows: values, isText: true },
    location: file,
    locate: ([row, name = '']) => {
      const own = rows[Number(row)]
      return at(own, own?.columns.get(String(name)))
    },
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

/** Parses CSV (RFC 4180) whose first line has the names of the columns. Adds what is wrong with the text to `mistakes`. */
export function parseCsv(file: string, text: string, mistakes: Mistake[]): readonly CsvRow[] {
  const [header = [], ...rows] = linesOf(file, text.replace(/^\uFEFF/, ''), mistakes)
  const names = header.map((cell) => cell.text.trim())
  for (const [at, name] of names.entries()) {
    if (name !== '' && names.indexOf(name) === at) continue
    const reason = name === '' ? 'the column has no name' : `the column "${name}" exists twice`
    const help = 'Give each column of the first line its own name.'
    mistakes.push(mistake(file, header[at], reason, help))
  }
  return rows.map((cells) => {
    const extra = cells[names.length]
    if (extra) {
      const reason = `the line has more than ${names.length} values`
      const help = 'Write values that contain a comma in double quotes.'
      mistakes.push(mistake(file, extra, reason, help))
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

/** The cells of each line that is not empty, up to a value whose end is not known. A value in quotes may contain line breaks. */
function linesOf(file: string, text: string, mistakes: Mistake[]): readonly (readonly Cell[])[] {
  const lines: Cell[][] = []
  let cells: Cell[] = []
  let [line, lineStart, at] = [1, 0, 0]
  while (at < text.length || cells.length > 0) {
    CELL.lastIndex = at
    const found = CELL.exec(text)
    const place = { line, column: at - lineStart + 1 }
    if (!found) {
      const reason = 'the quotes of the value are not closed, or are within it'
      const help = 'Write a quote in a value as two, and the whole value in quotes: "a ""b"" c".'
      mistakes.push(mistake(file, { text: '', ...place }, reason, help))
      return lines
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

function mistake(file: string, cell: Cell | undefined, reason: string, help: string): Mistake {
  return { reason, location: `${file}:${cell?.line ?? 1}:${cell?.column ?? 1}`, help }
}
