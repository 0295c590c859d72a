import type { Command } from 'commander'
import { getOwn } from '../../validation/objects.ts'
import { collect } from '../setting-options.ts'
import type { Paint } from '../terminal.ts'
import {
  formatTable,
  parsePair,
  parseValues,
  runVerb,
  toInteger,
  type VerbResult,
} from './run-verb.ts'

type Row = Readonly<Record<string, unknown>>

interface ListOptions {
  readonly where?: readonly string[]
  readonly limit?: number
  readonly skip?: number
}

const COLLECTION = 'a name from "records"'

/** Adds `ctl records` and its verbs. */
export function addRecords(ctl: Command): void {
  const records = ctl
    .command('records')
    .description('list the collections, list the records of a collection, or change records')
    .usage('[collection | verb] [options]')
    .argument('[collection]', COLLECTION)
    .option('--where <name=value>', 'only records with this property value; repeatable', collect)
    .option('--limit <number>', 'the maximum number of records', toInteger('--limit', 1))
    .option('--skip <number>', 'the number of records to leave out first', toInteger('--skip', 0))
    .action((collection: string | undefined, options: ListOptions, command: Command) =>
      collection === undefined
        ? listCollections(command)
        : listRecords(command, collection, options),
    )
  records
    .command('get')
    .description('show a record')
    .argument('<collection>', COLLECTION)
    .argument('<id>', 'the id of the record')
    .action((name: string, id: string, _options: object, command: Command) =>
      runVerb(command, async (client, paint) => {
        const record = await client.collection(name).get(id)
        const result = recordsResult(record ? [record] : [], paint, record ?? null)
        return { ...result, isMissing: record === undefined }
      }),
    )
  addChanges(records)
}

function addChanges(records: Command): void {
  records
    .command('add')
    .description('add a record')
    .argument('<collection>', COLLECTION)
    .argument('<values...>', `for example name=Rex categoryId=3, or '{"name":"Rex"}'`)
    .action((name: string, words: readonly string[], _options: object, command: Command) => {
      const values = parseValues(words)
      return runVerb(command, async (client, paint) => {
        const record = await client.collection(name).create(values)
        return recordsResult([record], paint, record)
      })
    })
  records
    .command('change')
    .description('change a record')
    .argument('<collection>', COLLECTION)
    .argument('<id>', 'the id of the record')
    .argument('<values...>', `for example status=sold, or '{"status":"sold"}'`)
    .action((name: string, id: string, words: readonly string[], ...rest: [object, Command]) => {
      const [, command] = rest
      const values = parseValues(words)
      return runVerb(command, async (client, paint) => {
        const record = await client.collection(name).update(id, values)
        return recordsResult([record], paint, record)
      })
    })
  records
    .command('remove')
    .description('remove a record')
    .argument('<collection>', COLLECTION)
    .argument('<id>', 'the id of the record')
    .action((name: string, id: string, _options: object, command: Command) =>
      runVerb(command, async (client) => {
        const removed = await client.collection(name).remove(id)
        const line = removed
          ? `Removed the record ${id} from the collection "${name}".`
          : `The collection "${name}" has no record with the id ${id}.`
        return { value: { removed }, lines: [line], isMissing: !removed }
      }),
    )
}

function listCollections(command: Command): Promise<void> {
  return runVerb(command, async (client, paint) => {
    const names = await client.collections()
    const counted = names.map(async (name) =>
      // There is one collection for each combination of the ids in the braces.
      name.includes('{') ? { name } : { name, count: await client.collection(name).count() },
    )
    const value: readonly { readonly name: string; readonly count?: number }[] =
      await Promise.all(counted)
    const rows = value.map(({ name, count }) => [name, count])
    return {
      value,
      lines: formatTable(paint, ['COLLECTION', 'RECORDS'], rows, 'There are no collections.'),
    }
  })
}

function listRecords(
  command: Command,
  collection: string,
  { where = [], limit, skip }: ListOptions,
): Promise<void> {
  const wanted = new Map<string, string[]>()
  for (const [name, value] of where.map(parsePair)) {
    wanted.set(name, [...(wanted.get(name) ?? []), value])
  }
  const range = { ...(skip !== undefined && { skip }), ...(limit !== undefined && { limit }) }
  const query = { where: Object.fromEntries(wanted), ...range }

  return runVerb(command, async (client, paint) => {
    const rows = await client.collection(collection).list(query)
    return recordsResult(rows, paint, rows)
  })
}

function recordsResult(rows: readonly Row[], paint: Paint, value: unknown): VerbResult {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => names.map((name) => getOwn(row, name)))

  return { value, lines: formatTable(paint, names, cells, 'There are no such records.') }
}
