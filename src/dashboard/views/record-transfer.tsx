import type { JSX } from 'preact'
import { formatCount } from '../../report/format.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { fileName, messageOf, saveFile, useAction, usePage } from '../page.ts'
import { Button, FileButton } from '../parts/elements.tsx'
import {
  type CollectionDetails,
  inputKindOf,
  type RecordProperty,
  type RecordValues,
  readText,
  toText,
} from './record-values.ts'

/** Saves all records of a collection as a file, and adds the records of one. */
export function TransferButtons({ details }: { readonly details: CollectionDetails }): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { name, properties } = details
  const collection = client.collection(name)
  const save = async (extension: 'json' | 'csv'): Promise<number> => {
    const records = await collection.list()
    const [type, text] =
      extension === 'csv'
        ? ['text/csv', toCsv(records, properties)]
        : ['application/json', JSON.stringify(records, undefined, 2)]
    saveFile(fileName([name], extension), type, text)
    return records.length
  }
  const add = async (file: File): Promise<number> => {
    const text = await file.text()
    const records = readRecords(text, file, properties)
    return forEach(records, 'add', (record) => collection.create(record))
  }

  return (
    <>
      {(['json', 'csv'] as const).map((extension) => (
        <Button
          key={extension}
          disabled={isBusy}
          onClick={() =>
            run(
              () => save(extension),
              (number) => `${formatCount(number, 'record')} saved.`,
            )
          }
        >
          Save {extension.toUpperCase()}
        </Button>
      ))}
      <FileButton
        label="Add from file…"
        fileLabel="File of records"
        accept=".json,.csv,application/json,text/csv"
        isDisabled={isBusy}
        onChoose={(file) =>
          run(
            () => add(file),
            (number) => `${formatCount(number, 'record')} added.`,
          )
        }
      />
    </>
  )
}

/** Changes records one after another. Throws a TypeError that says at which one it failed, and how many were changed until then. */
export async function forEach<Item>(
  items: readonly Item[],
  task: string,
  change: (item: Item) => Promise<unknown>,
  nameOf: (item: Item, at: number) => string = (_, at) => `number ${at + 1}`,
): Promise<number> {
  for (const [at, item] of items.entries()) {
    try {
      await change(item)
    } catch (cause) {
      const place = `record ${nameOf(item, at)}`
      const before = at === 0 ? 'No record' : `${formatCount(at, 'record')} before it`
      const rest = `${before} ${at === 1 || at === 0 ? 'is' : 'are'} done.`
      throw new TypeError(`Cannot ${task} ${place}. ${rest} ${messageOf(cause)}`, { cause })
    }
  }
  return items.length
}

/** The records of a file: CSV, or JSON with a list or one record. Throws a TypeError for any other text. */
function readRecords(
  text: string,
  { name, type }: File,
  properties: CollectionDetails['properties'],
): readonly RecordValues[] {
  const isCsv = /\.csv$/i.test(name) || type === 'text/csv'
  try {
    return isCsv ? readCsv(text, properties) : readJsonRecords(text)
  } catch (cause) {
    const reason = isCsv ? messageOf(cause) : 'it is not a JSON list of records'
    throw new TypeError(`Cannot read ${name}: ${reason}.`, { cause })
  }
}

function readJsonRecords(text: string): readonly RecordValues[] {
  const value: unknown = JSON.parse(text)
  const list = Array.isArray(value) ? value : [value]
  const records = list.filter(isObject)
  if (records.length === list.length) return records
  throw new TypeError('it has other values')
}

/** What the columns of a file are read and written by. */
type Properties = readonly Pick<RecordProperty, 'name' | 'schema'>[]

/** Records as CSV (RFC 4180): a column for each property, and for each that only some records have. Lists and objects are JSON. */
export function toCsv(records: readonly RecordValues[], properties: Properties): string {
  const schemas = schemasOf(properties)
  const names = [...new Set([...schemas.keys(), ...records.flatMap((one) => Object.keys(one))])]
  const rows = records.map((record) =>
    names.map((name) => toText(getOwn(record, name), inputKindOf(schemas.get(name) ?? {}))),
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
