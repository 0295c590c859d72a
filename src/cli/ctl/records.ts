import { Option } from 'commander'
import { getOwn, groupBy } from '../../validation/objects.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { collect } from '../setting-options.ts'
import {
  integerOption,
  listing,
  parseJsonArgument,
  tableOf,
  type VerbAction,
  type Verbs,
} from './run-verb.ts'

type Row = Readonly<Record<string, unknown>>

interface ListOptions {
  readonly where?: readonly string[]
  readonly limit?: number
  readonly skip?: number
}

const COLLECTION = { '<collection>': 'a name from "records"' }
const RECORD = { ...COLLECTION, '<id>': 'the id of the record' }

/** `ctl records` and its verbs. */
export const records: Verbs = {
  records: {
    description: 'list the collections, list the records of a collection, or change records',
    usage: '[collection | verb] [options]',
    arguments: { '[collection]': COLLECTION['<collection>'] },
    options: [
      new Option(
        '--where <name=value>',
        'only records with this property value; repeatable',
      ).argParser(collect),
      integerOption('--limit <number>', 'the maximum number of records', 1),
      integerOption('--skip <number>', 'the number of records to leave out first', 0),
    ],
    run: (collection: string | undefined, options: ListOptions) =>
      collection === undefined ? listCollections : listRecords(collection, options),
    verbs: {
      get: {
        description: 'show a record',
        arguments: RECORD,
        run: (name: string, id: string) => async (client) => {
          const record = await client.collection(name).get(id)
          const lines = recordLines(record ? [record] : [])
          return { value: record ?? null, lines, isMissing: record === undefined }
        },
      },
      add: {
        description: 'add a record',
        arguments: {
          ...COLLECTION,
          '<values...>': `for example name=Rex categoryId=3, or '{"name":"Rex"}'`,
        },
        run: (name: string, words: readonly string[]) => {
          const values = parseValues(words)
          return async (client) => {
            const record = await client.collection(name).create(values)
            return { value: record, lines: recordLines([record]) }
          }
        },
      },
      change: {
        description: 'change a record',
        arguments: { ...RECORD, '<values...>': `for example status=sold, or '{"status":"sold"}'` },
        run: (name: string, id: string, words: readonly string[]) => {
          const values = parseValues(words)
          return async (client) => {
            const record = await client.collection(name).update(id, values)
            return { value: record, lines: recordLines([record]) }
          }
        },
      },
      remove: {
        description: 'remove a record',
        arguments: RECORD,
        run: (name: string, id: string) => async (client) => {
          const removed = await client.collection(name).remove(id)
          const line = removed
            ? `Removed the record ${id} from the collection "${name}".`
            : `The collection "${name}" has no record with the id ${id}.`
          return { value: { removed }, lines: [line], isMissing: !removed }
        },
      },
    },
  },
}

interface ListedCollection {
  readonly name: string
  readonly count?: number
}

const listCollections = listing<ListedCollection>(
  async (client) => {
    const names = await client.collections()
    const counted = names.map(async (name) =>
      // There is one collection for each combination of the ids in the braces.
      name.includes('{') ? { name } : { name, count: await client.collection(name).count() },
    )
    return Promise.all(counted)
  },
  { COLLECTION: ({ name }) => name, RECORDS: ({ count }) => count },
  'There are no collections.',
)

function listRecords(collection: string, { where = [], ...range }: ListOptions): VerbAction {
  const wanted = groupBy(where.map(parsePair), ([name]) => name)
  const filters = [...wanted].map(([name, pairs]) => [name, pairs.map(([, value]) => value)])
  const query = { where: Object.fromEntries(filters), ...range }

  return async (client) => {
    const rows = await client.collection(collection).list(query)
    return { value: rows, lines: recordLines(rows) }
  }
}

function recordLines(rows: readonly Row[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = names.map((name) => [name, (row: Row) => getOwn(row, name)] as const)

  return tableOf(rows, columns, 'There are no such records.')
}

/** Parses `name=value`. Throws a UsageError for other text. */
function parsePair(word: string): readonly [name: string, value: string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new UsageError({
    code: 'invalid_value',
    task: `use "${word}" as a value`,
    reason: 'it is not in the form NAME=VALUE',
    help: 'Write it as status=sold.',
  })
}

/** Parses the values of a record: one JSON object, or pairs. The value of a pair is JSON if it is valid JSON, otherwise text. */
function parseValues(words: readonly string[]): Record<string, unknown> {
  const [first = ''] = words
  if (words.length === 1 && first.trimStart().startsWith('{'))
    return parseJsonArgument(first, 'the values')
  return Object.fromEntries(words.map(parsePair).map(([name, text]) => [name, jsonOrText(text)]))
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
