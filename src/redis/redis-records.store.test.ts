import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import { MemoryTable } from '../records/memory-table.ts'
import type { Id, PageQuery, StoredRecord } from '../records/record-table.ts'
import { matcherOf } from '../records/selection.ts'
import type { RecordWrite, StoredRecords } from '../records/stored-records.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredWorld, WorldStore } from './world-store.ts'

const EPOCH = 'one'
const FILTERS = ['color', 'tags']
const COLLECTION = 'orgs/a cme/{items}@0'
const SIZES = [-2, -1.5, 0, 1, 1e9, 'a', 'b\0', 'b', '', '\0', true, false, null, undefined]
const NAMES = ['a', '\ud7ff', '\ud800', '😀', '\udfff', '\ue000', '\uffff', 'a\ud7ffb']
const COLORS = ['red', 'green', 'blue', { deep: 1 }, 7, '7']

/** Whole numbers below `sides` that look random and are the same in each run. */
function dice(seed: number): (sides: number) => number {
  const random = new Random(seed)
  return (sides) => Math.floor(random.next() * sides)
}

type Roll = ReturnType<typeof dice>

function anyId(roll: Roll): Id {
  return roll(2) === 0 ? roll(60) : `${NAMES[roll(NAMES.length)]}${roll(10)}`
}

function anyRecord(id: Id, roll: Roll): StoredRecord {
  return {
    id,
    color: COLORS[roll(COLORS.length)],
    tags: [['x', 'y'], ['x', 'x'], [], 'z'][roll(4)],
    size: SIZES[roll(SIZES.length)],
    name: NAMES[roll(NAMES.length)],
  }
}

function anyQuery(roll: Roll): PageQuery {
  const place = { id: anyId(roll), value: SIZES[roll(SIZES.length)] }
  const where = [
    { color: COLORS[roll(COLORS.length)] },
    { tags: 'x' },
    { color: 'red', tags: 'y' },
    { name: NAMES[roll(NAMES.length)] },
    { color: ['red', 'blue'] },
    { color: ['red', 'blue'], tags: ['x', 'y'] },
    { tags: ['x', 'y', 'z'] },
    { color: [] },
    { color: '7', tags: ['y', 'z'] },
  ][roll(9)]

  const test = [
    { places: [['size']], is: 'from', wanted: [0] },
    { places: [['name'], ['tags']], is: 'contains', wanted: ['X'] },
    { places: [['color']], is: 'not', wanted: ['red'] },
  ] as const

  return {
    ...(roll(2) === 0 && { where }),
    ...(roll(4) === 0 && { tests: [test[roll(3)] ?? test[0]] }),
    sort: { ...(roll(3) > 0 && { by: ['size', 'name'][roll(2)] }), descending: roll(2) === 0 },
    ...[{}, { after: place }, { before: place }, { after: place.id }][roll(4)],
    skip: [0, 2, 30][roll(3)] ?? 0,
    ...(roll(4) > 0 && { limit: 1 + roll(12) }),
  }
}

async function expectSamePage(
  records: StoredRecords,
  table: MemoryTable,
  query: PageQuery,
): Promise<void> {
  const { where, tests, before } = query
  const selection = { ...(where && { where }), ...(tests && { tests }) }
  const page = await records.page(COLLECTION, query, FILTERS)
  const expected = await table.page(query)
  const further = before === undefined ? expected.next : expected.previous

  expect(page.records.map(({ record }) => record)).toEqual(
    expected.records.map((one) => JSON.parse(JSON.stringify(one))),
  )
  expect(page.hasMore).toBe(further !== undefined)
  expect(await records.count(COLLECTION, selection, FILTERS)).toBe(await table.count(selection))
}

describe.skipIf(!findRedis())('records in Redis', () => {
  let store: WorldStore
  const calls: string[] = []

  beforeAll(async () => {
    const { address } = await startRedis()
    store = await openRedisStore(address, { onCall: (call) => calls.push(call) })
    await store.register({ title: 'Items', version: '1', digest: 'one' })
  })
  afterAll(async () => {
    await store.close()
    await stopRedis()
  })

  /** A new world, and its records. */
  async function openWorld(name: string): Promise<[StoredWorld, StoredRecords]> {
    const world = store.world(name)
    const epoch = { epoch: EPOCH, text: '{}', clock: { offset: 0 }, random: 1 }
    await world.begin({ ...epoch, accounts: new Map(), rules: new Map() }, undefined)
    return [world, world.records(EPOCH)]
  }

  /** Writes a record as a transaction does, and resolves with the kind of the result. */
  async function write(
    world: StoredWorld,
    records: StoredRecords,
    id: Id,
    after: StoredRecord | undefined,
  ): Promise<string> {
    const [found, state] = await Promise.all([
      records.get(COLLECTION, id),
      records.state(COLLECTION),
    ])
    const wasThere = found?.record !== undefined
    const isCounted = found !== undefined && wasThere !== (after !== undefined)
    const change: RecordWrite = {
      collection: COLLECTION,
      id,
      version: found?.version ?? '',
      generation: (found?.generation ?? 0) + (isCounted ? 1 : 0),
      before: found?.record,
      after,
      filters: FILTERS,
      orders: state?.orders ?? [],
    }
    return (await world.commit({ epoch: EPOCH, records: [change] })).kind
  }

  it.each([1, 2, 3])('have the pages of a table in memory (seed %d)', async (seed) => {
    const roll = dice(seed)
    const [world, records] = await openWorld(`seed ${seed}`)
    const table = new MemoryTable(FILTERS, 0)
    const first = Array.from({ length: 20 }, (_, id) => anyRecord(id, roll))
    for (const record of first) await table.put(Number(record.id), record, undefined)
    const rows = first.map((record) => ({ id: Number(record.id), record }))
    await records.open(COLLECTION, { rows, removed: [], ids: 20, filters: FILTERS })

    for (let step = 0; step < 250; step += 1) {
      const id = anyId(roll)
      const present = table.get(id)
      const next = roll(3) === 0 && present ? undefined : anyRecord(id, roll)
      expect(await write(world, records, id, next)).toBe('done')
      if (next) await table.put(id, next, present)
      else if (present) table.delete(id, present)
      await expectSamePage(records, table, anyQuery(roll))
    }
    const removed = await records.removed(COLLECTION)
    expect(removed.map(({ id }) => String(id)).sort()).toEqual([...table.removed()].sort())
    expect(await records.opened()).toEqual([COLLECTION])
  })

  it('take one command for a page, however many records there are', async () => {
    const queries: readonly PageQuery[] = [
      { limit: 20 },
      { after: 50, limit: 20 },
      { where: { color: 'red' }, skip: 20, limit: 20 },
      { sort: { by: 'size', descending: true }, limit: 20 },
    ]
    const counts = await Promise.all(
      [100, 5000].map(async (length) => {
        const [, records] = await openWorld(`with ${length}`)
        const rows = Array.from({ length }, (_, at) => ({
          id: at + 1,
          record: { id: at + 1, color: at % 2 ? 'red' : 'blue', size: at % 7 },
        }))
        await records.open(COLLECTION, { rows, removed: [], ids: length, filters: FILTERS })
        await records.page(COLLECTION, { sort: { by: 'size' }, limit: 1 }, FILTERS)
        return records
      }),
    )

    for (const records of counts) {
      for (const query of queries) {
        calls.length = 0
        const page = await records.page(COLLECTION, query, FILTERS)
        expect(page.records).toHaveLength(20)
        expect(calls).toEqual(['page'])
      }
    }
  })

  it('take one command for a page and its total with several filters, of few records or of many', async () => {
    const [, records] = await openWorld('filtered')
    const rows = Array.from({ length: 3000 }, (_, at) => ({
      id: at + 1,
      record: { id: at + 1, color: COLORS[at % 3], tags: ['x', 'y'][at % 2], size: at % 7 },
    }))
    await records.open(COLLECTION, { rows, removed: [], ids: 3000, filters: FILTERS })
    await records.page(COLLECTION, { sort: { by: 'size' }, limit: 1 }, FILTERS)
    const wheres = [
      { color: 'red', tags: 'x' },
      { color: ['red', 'blue'] },
      { color: ['red', 'blue'], tags: 'x' },
    ]

    for (const where of wheres) {
      for (const sort of [{ by: 'size', descending: true }, {}]) {
        calls.length = 0
        const page = await records.page(COLLECTION, { where, sort, limit: 20 }, FILTERS)
        expect(page.records).toHaveLength(20)
        expect(calls.every((call) => call === 'search' || call === 'page')).toBe(true)
        expect(calls.length).toBeLessThanOrEqual(2)
      }
      calls.length = 0
      const { matches } = matcherOf({ where })
      const total = await records.count(COLLECTION, { where }, FILTERS)
      expect(total).toBe(rows.filter(({ record }) => matches(record)).length)
      expect(calls).toEqual(['count'])
    }
  })

  it('find the few that match among many', async () => {
    const [, records] = await openWorld('rare')
    const table = new MemoryTable(FILTERS, 0)
    const all = Array.from({ length: 5000 }, (_, at) => ({
      id: at,
      color: at % 2 === 0 ? 'red' : 'blue',
      tags: at % 3 === 0 ? 'x' : ['y', 'z'],
      size: (at * 7919) % 101,
    }))
    for (const record of all) {
      const isRare = record.id % 1250 === 7
      if (isRare) record.tags = ['rare']
      await table.put(record.id, record, undefined)
    }
    const rows = all.map((record) => ({ id: record.id, record }))
    await records.open(COLLECTION, { rows, removed: [], ids: 5000, filters: FILTERS })

    for (const query of [
      { where: { color: 'red', tags: ['x', 'rare'] }, limit: 3, skip: 830 },
      { where: { color: 'blue', tags: 'rare' } },
      { where: { color: 'blue', tags: 'rare' }, sort: { by: 'size' }, limit: 3 },
      { where: { color: ['blue', 'red'], tags: ['rare', 'none'] }, limit: 3, after: 8 },
      { where: { tags: ['rare', 'none'] }, sort: { by: 'size', descending: true }, skip: 1 },
      { where: { color: 'red', tags: 'x' }, sort: { by: 'size' }, limit: 5, skip: 700 },
    ]) {
      await expectSamePage(records, table, query)
    }
  })

  it('are opened once, by the server that comes first', async () => {
    const [world, records] = await openWorld('twice')
    const rows = [{ id: 1, record: { id: 1, name: 'first' } }]
    const first = { rows, removed: [{ id: 2, generation: 1 }], ids: 2, filters: FILTERS }
    expect(await records.state(COLLECTION)).toBeUndefined()

    await Promise.all([records.open(COLLECTION, first), records.open(COLLECTION, first)])
    await write(world, records, 1, { id: 1, name: 'changed' })
    await records.open(COLLECTION, first)

    expect((await records.get(COLLECTION, 1))?.record).toEqual({ id: 1, name: 'changed' })
    expect(await records.get(COLLECTION, 2)).toMatchObject({ generation: 1, record: undefined })
    expect(await records.state(COLLECTION)).toEqual({ ids: 2, orders: [] })
  })

  it('refuse a write that does not know a new order', async () => {
    const [world, records] = await openWorld('ordered')
    const record = { id: 1, size: 3 }
    await records.open(COLLECTION, { rows: [], removed: [], ids: 0, filters: FILTERS })
    const change = {
      ...{ collection: COLLECTION, id: 1, version: '', generation: 0 },
      ...{ before: undefined, after: record, filters: FILTERS },
    }

    await records.page(COLLECTION, { sort: { by: 'size' } }, FILTERS)
    const late = await world.commit({ epoch: EPOCH, records: [{ ...change, orders: [] }] })
    const known = await world.commit({ epoch: EPOCH, records: [{ ...change, orders: ['size'] }] })

    expect([late.kind, known.kind]).toEqual(['conflict', 'done'])
    const page = await records.page(COLLECTION, { sort: { by: 'size' } }, FILTERS)
    expect(page.records.map((one) => one.record)).toEqual([record])
  })
})
