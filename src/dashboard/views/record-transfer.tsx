import type { JSX } from 'preact'
import { formatCount } from '../../report/format.ts'
import { isObject } from '../../validation/objects.ts'
import { fileName, messageOf, saveFile, useAction, usePage } from '../page.ts'
import { Button, FileButton } from '../parts/elements.tsx'
import { readCsv, toCsv } from './record-csv.ts'
import type { CollectionDetails, RecordValues } from './record-values.ts'

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
