import type { Command } from 'commander'
import { getOwn } from '../../validation/own-property.ts'
import { collect } from '../collect.ts'
import type { Paint } from '../log.ts'
import { type Report, steer, tabled } from './steer.ts'
import { toPair, toValues, toWholeNumber } from './words.ts'

type Row = Readonly<Record<string, unknown>>

interface ListOptions {
  readonly where?: readonly string[]
  readonly limit?: number
}

const COLLECTION = 'as "records" lists it'

/** `ctl records`, with its verbs. */
export function addRecords(ctl: Command): void {
  const records = ctl
    .command('records')
    .description('list the collections or the records of one, or change them')
    .usage('[collection | verb] [options]')
    .argument('[collection]', COLLECTION)
    .option('--where <name=value>', 'only records with this value; repeatable', collect)
    .option('--limit <number>', 'at most so many', toWholeNumber('--limit', 1))
    .action((collection: string | undefined, options: ListOptions, command: Command) =>
      collection === undefined
        ? listCollections(command)
        : listRecords(command, collection, options),
    )
  records
    .command('get')
    .description('show a record')
    .argument('<collection>', COLLECTION)
    .argument('<id>', 'of the record')
    .action((name: string, id: string, _options: object, command: Command) =>
      steer(command, async (client, paint) => {
        const record = await client.collection(name).get(id)
        const report = tellRecords(record ? [record] : [], paint, record ?? null)
        return { ...report, isMissing: record === undefined }
      }),
    )
  addChanges(records)
}

function addChanges(records: Command): void {
  records
    .command('add')
    .description('add a record')
    .argument('<collection>', COLLECTION)
    .argument('<values...>', `as name=Rex categoryId=3, or '{"name":"Rex"}'`)
    .action((name: string, words: readonly string[], _options: object, command: Command) => {
      const values = toValues(words)
      return steer(command, async (client, paint) => {
        const record = await client.collection(name).create(values)
        return tellRecords([record], paint, record)
      })
    })
  records
    .command('change')
    .description('change a record')
    .argument('<collection>', COLLECTION)
    .argument('<id>', 'of the record')
    .argument('<values...>', `as status=sold, or '{"status":"sold"}'`)
    .action((name: string, id: string, words: readonly string[], ...rest: [object, Command]) => {
      const [, command] = rest
      const values = toValues(words)
      return steer(command, async (client, paint) => {
        const record = await client.collection(name).update(id, values)
        return tellRecords([record], paint, record)
      })
    })
  records
    .command('remove')
    .description('remove a record')
    .argument('<collection>', COLLECTION)
    .argument('<id>', 'of the record')
    .action((name: string, id: string, _options: object, command: Command) =>
      steer(command, async (client) => {
        const removed = await client.collection(name).remove(id)
        const line = removed ? `${name} ${id} is removed.` : `There was no ${name} ${id}.`
        return { value: { removed }, lines: [line], isMissing: !removed }
      }),
    )
}

function listCollections(command: Command): Promise<void> {
  return steer(command, async (client, paint) => {
    const names = await client.collections()
    const counted = names.map(async (name) => ({
      name,
      count: await client.collection(name).count(),
    }))
    const value = await Promise.all(counted)
    const rows = value.map(({ name, count }) => [name, count])
    return { value, lines: tabled(paint, ['COLLECTION', 'RECORDS'], rows, 'There are none.') }
  })
}

function listRecords(
  command: Command,
  collection: string,
  { where = [], limit }: ListOptions,
): Promise<void> {
  const wanted = new Map<string, string[]>()
  for (const [name, value] of where.map(toPair)) {
    wanted.set(name, [...(wanted.get(name) ?? []), value])
  }
  const query = { where: Object.fromEntries(wanted), ...(limit !== undefined && { limit }) }

  return steer(command, async (client, paint) => {
    const rows = await client.collection(collection).list(query)
    return tellRecords(rows, paint, rows)
  })
}

function tellRecords(rows: readonly Row[], paint: Paint, value: unknown): Report {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => names.map((name) => getOwn(row, name)))

  return { value, lines: tabled(paint, names, cells, 'There is no such record.') }
}
