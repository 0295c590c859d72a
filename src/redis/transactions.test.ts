import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import { MemoryTable } from '../records/memory-table.ts'
import type { FirstState, StoredRecords } from '../records/stored-records.ts'
import { Transaction } from '../records/transaction.ts'
import { performRandom } from '../testing/random-table-operations.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredWorld, WorldStore } from './world-store.ts'

const EPOCH = 'one'
const FILTERS = ['color']
const EMPTY: FirstState = { rows: [], removed: [], ids: 0, filters: FILTERS }

describe.skipIf(!findRedis())('transactions in Redis', () => {
  let store: WorldStore

  beforeAll(async () => {
    const { address } = await startRedis()
    store = await openRedisStore(address)
    await store.register({ title: 'Items', version: '1', digest: 'one' })
  })
  afterAll(async () => {
    await store.close()
    await stopRedis()
  })

  async function openWorld(name: string): Promise<[StoredWorld, StoredRecords]> {
    const world = store.world(name)
    const epoch = { epoch: EPOCH, text: '{}', clock: { offset: 0 }, random: 1 }
    await world.begin({ ...epoch, accounts: new Map(), rules: new Map() }, undefined)
    return [world, world.records(EPOCH)]
  }

  it.each([1, 2, 3])('give what a table in memory gives (seed %i)', async (seed) => {
    const [world, records] = await openWorld(`random ${seed}`)
    const random = new Random(seed)
    const memory = new MemoryTable(FILTERS, 0)
    let transaction = new Transaction(records)
    for (let at = 0; at < 300; at += 1) {
      const { state } = random
      const table = transaction.table('items@0', FILTERS, async () => EMPTY)
      expect(await performRandom(table, new Random(state)), `step ${at}`).toEqual(
        await performRandom(memory, new Random(state)),
      )
      random.next()
      if (random.next() >= 0.3) continue
      // An order that was made meanwhile is a conflict: as the request, the steps are done again.
      const commit = { epoch: EPOCH, ...transaction.writes() }
      const result = await world.commit(commit)
      if (result.kind === 'conflict') {
        const orders = (await records.state('items@0'))?.orders ?? []
        const again = commit.records?.map((one) => ({ ...one, orders })) ?? []
        expect((await world.commit({ ...commit, records: again })).kind).toBe('done')
      }
      transaction = new Transaction(records)
    }
  })

  it('open a collection with its orders and generations', async () => {
    const [world, records] = await openWorld('first')
    const rows = [
      { id: 1, record: { id: 1, due: 5 }, generation: 2 },
      { id: 2, record: { id: 2, due: 3 } },
    ]
    const first = { ...EMPTY, rows, ids: 2, orders: ['due'], removed: [{ id: 3, generation: 1 }] }
    const transaction = new Transaction(records)
    const table = transaction.table('items@0', FILTERS, async () => first)

    const page = await table.page({ sort: { by: 'due' } })
    expect(page.records.map(({ id }) => id)).toEqual([2, 1])
    expect(await table.generation(1)).toBe(2)
    expect(await table.removed()).toEqual(['3'])
    await table.put(4, { id: 4, due: 4 }, undefined, { from: 2, to: 4 })
    expect((await world.commit({ epoch: EPOCH, ...transaction.writes() })).kind).toBe('done')
    const sorted = await records.page('items@0', { sort: { by: 'due' } }, FILTERS)
    expect(sorted.records.map(({ id }) => id)).toEqual([2, 4, 1])
  })
})
