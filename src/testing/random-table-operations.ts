import type { Random } from '../generate/random.ts'
import type { Id, PageQuery, RecordTable, StoredRecord } from '../records/record-table.ts'

const IDS: readonly Id[] = [1, 2, 3, 10, 'a', 'b', 'ä', '\u{1f600}', '\uffee']
const COLORS = ['red', 'blue', null, ['red', 'blue'], 3]
const SIZES = [1, 2, 10, 'x', true, null]

function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random.next() * values.length)]
  if (value === undefined) throw new TypeError('There is nothing to pick')
  return value
}

function recordOf(id: Id, random: Random): StoredRecord {
  return JSON.parse(
    JSON.stringify({
      id,
      color: pick(random, COLORS),
      size: pick(random, SIZES),
      at: random.next(),
    }),
  )
}

function queryOf(random: Random): PageQuery {
  const place = pick(random, [{}, {}, { after: pick(random, IDS) }, { before: pick(random, IDS) }])
  return {
    ...pick(random, [{}, { where: { color: 'red' } }, { where: { color: ['red', 3], size: 1 } }]),
    ...pick(random, [{}, { sort: { by: 'size' } }, { sort: { by: 'size', descending: true } }]),
    ...place,
    ...pick(random, [{}, { limit: 2 }, { limit: 0 }]),
    ...pick(random, [{}, {}, { skip: 1 }]),
  }
}

/** Performs an operation on a table, and resolves with what it gives. */
export async function performRandom(table: RecordTable, step: Random): Promise<unknown> {
  const id = pick(step, IDS)
  const record = recordOf(id, step)
  const query = queryOf(step)
  const present = await table.get(id)
  switch (pick(step, ['put', 'put', 'delete', 'page', 'page', 'page', 'count', 'other'])) {
    case 'put':
      return table.put(id, record, present, { from: 0, to: 1 })
    case 'delete':
      return present && (await table.delete(id, present))
    case 'page':
      return table.page(query)
    case 'count':
      return [await table.count(), await table.count(query.where)]
    default:
      return [
        await table.generation(id),
        await table.idState(),
        [...(await table.removed())].sort(),
      ]
  }
}
