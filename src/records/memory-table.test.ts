import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryTable, RecordShards } from './memory-table.ts'
import type { Page, PageQuery, StoredRecord } from './record-table.ts'

interface Row extends StoredRecord {
  readonly id: number
}

async function tableOf(
  rows: readonly Row[],
  filters: readonly string[] = [],
): Promise<MemoryTable> {
  const table = new MemoryTable(filters, 0)
  for (const row of rows) await table.put(row.id, row, undefined)
  return table
}

async function idsOn(table: MemoryTable, query: PageQuery): Promise<unknown[]> {
  return (await table.page(query)).records.map(({ id }) => id)
}

const ROWS: readonly Row[] = [
  { id: 1, name: 'b', size: 10 },
  { id: 2, name: 'a', size: 9 },
  { id: 3, name: 'b', size: -1 },
  { id: 4, size: null },
  { id: 5, name: 'aa', size: 2.5 },
]

describe('a table', () => {
  it('does not put a record in the place of one that has changed since', async () => {
    const table = await tableOf([{ id: 1, name: 'first' }])
    const read = table.get(1)
    const second = await table.put(1, { id: 1, name: 'second' }, read)

    expect(await table.put(1, { id: 1, name: 'third' }, read)).toBeUndefined()
    expect(await table.put(1, { id: 1, name: 'new' }, undefined)).toBeUndefined()
    expect(table.delete(1, read ?? {})).toBe(false)
    expect(table.get(1)).toBe(second)
  })

  it('accepts one of two writes at once', async () => {
    const table = await tableOf([])

    const both = await Promise.all([
      table.put(1, { id: 1, by: 'one' }, undefined),
      table.put(1, { id: 1, by: 'other' }, undefined),
    ])

    expect(both).toEqual([{ id: 1, by: 'one' }, undefined])
    expect((await table.page({})).records).toEqual([{ id: 1, by: 'one' }])
  })

  it('advances the state of the ids only from the state that was read', async () => {
    const table = await tableOf([])

    expect(table.advanceIds(0, 5)).toBe(true)
    expect(table.advanceIds(0, 9)).toBe(false)
    expect(table.idState()).toBe(5)
  })

  it('counts how often a record was deleted and put again, apart from its forks', async () => {
    const table = await tableOf([{ id: 1 }])
    table.delete(1, table.get(1) ?? {})
    const fork = table.fork()
    await fork.put(1, { id: 1 }, undefined)

    expect([table.generation(1), table.removed()]).toEqual([1, ['1']])
    expect([fork.generation(1), fork.removed()]).toEqual([2, []])
    expect(table.generation(2)).toBe(0)
  })
})

describe('a page', () => {
  it.each<[name: string, query: PageQuery, ids: readonly number[], more?: Partial<Page>]>([
    ['in descending order of the ids', { sort: { descending: true } }, [5, 4, 3, 2, 1]],
    ['sorted by texts, then by ids', { sort: { by: 'name' } }, [2, 5, 1, 3, 4]],
    ['in the exact reverse', { sort: { by: 'name', descending: true } }, [4, 3, 1, 5, 2]],
    ['sorted by numbers, other values last', { sort: { by: 'size' } }, [3, 5, 2, 1, 4]],
    ['sorted by a property that no record has', { sort: { by: 'none' } }, [1, 2, 3, 4, 5]],
    ['that skips records', { skip: 3 }, [4, 5]],
    ['that skips more than there are', { skip: 9 }, []],
    ['that skips and ends early', { skip: 1, limit: 2 }, [2, 3], { next: 3 }],
    ['that skips after a record', { after: 2, skip: 1 }, [4, 5]],
    ['before a record', { before: 4, limit: 2 }, [2, 3], { next: 3, previous: 2 }],
    ['before a record, at the start', { before: 3, limit: 5 }, [1, 2], { next: 2 }],
    ['before the first record', { before: 1 }, []],
    ['before a record that is gone', { before: 99, limit: 1 }, [5], { next: 5, previous: 5 }],
    ['after an id in a sorted list', { sort: { by: 'size' }, after: 5 }, [2, 1, 4]],
    [
      'after a position in a sorted list',
      { sort: { by: 'size' }, after: { id: 9, value: 9 } },
      [1, 4],
    ],
    [
      'before a position in a sorted list',
      { sort: { by: 'size' }, before: { id: 0, value: 9 } },
      [3, 5],
      { next: 5 },
    ],
    ['after an id that no record has', { sort: { by: 'size' }, after: 9 }, []],
    ['of one value, sorted', { where: { name: 'b' }, sort: { by: 'size' } }, [3, 1]],
    ['of a value without an index, skipping', { where: { size: 9 }, skip: 1 }, []],
    ['of one value, skipping', { where: { name: 'b' }, skip: 1 }, [3]],
  ])('%s has the matching records in this order', async (_name, query, ids, more = {}) => {
    const table = await tableOf(ROWS, ['name'])

    const { records, ...others } = await table.page(query)

    expect(records.map(({ id }) => id)).toEqual(ids)
    expect(others).toEqual(more)
  })

  it('follows a position although its record was deleted', async () => {
    const table = await tableOf(ROWS)
    const sort = { by: 'size' }
    const first = await table.page({ sort, limit: 2 })
    const last = first.records[1] ?? {}
    table.delete(5, last)

    expect(first.next).toBe(5)
    expect(await idsOn(table, { sort, after: { id: 5, value: last.size } })).toEqual([2, 1, 4])
  })

  it('has the changes since the list was sorted for the first time, apart from those of forks', async () => {
    const table = await tableOf(ROWS)
    await table.page({ sort: { by: 'size' } })
    const fork = table.fork()

    await table.put(2, { id: 2, size: 99 }, table.get(2))
    fork.delete(3, fork.get(3) ?? {})
    await fork.put(6, { id: 6, size: 0 }, undefined)

    expect(await idsOn(table, { sort: { by: 'size' } })).toEqual([3, 5, 1, 2, 4])
    expect(await idsOn(fork, { sort: { by: 'size' } })).toEqual([6, 5, 2, 1, 4])
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

async function shardsOf(count: number): Promise<{ shards: RecordShards; records: StoredRecord[] }> {
  const shards = new RecordShards()
  const records: StoredRecord[] = []
  for (let id = 1; id <= count; id += 1) records.push(await shards.create({ id, tags: ['new'] }))
  return { shards, records }
}

describe('a record in shards', () => {
  it('can be deleted from the first shard and created again while the last one fills', async () => {
    const { shards, records } = await shardsOf(2500)
    const [, second = {}] = records

    shards.delete(second)
    const again = await shards.create({ id: 2, tags: ['again'] })
    shards.delete(again)

    expect(again).toEqual({ id: 2, tags: ['again'] })
  })

  it('keeps a property that is called __proto__', async () => {
    const { shards } = await shardsOf(1)
    const record = JSON.parse('{"id":1,"__proto__":{"x":1}}')

    const created = await shards.create(record)

    expect(JSON.stringify(created)).toBe('{"id":1,"__proto__":{"x":1}}')
  })

  it('is created and deleted where crypto.randomUUID is missing, as in pages without HTTPS', async () => {
    vi.stubGlobal('crypto', {})
    const { shards, records } = await shardsOf(1)
    const tags = ['old']

    const created = await shards.create({ id: 2, tags })
    tags.push('changed later')
    shards.delete(created)

    expect(records).toEqual([{ id: 1, tags: ['new'] }])
    expect(created).toEqual({ id: 2, tags: ['old'] })
  })
})
