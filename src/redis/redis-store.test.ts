import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { FirstState, RecordWrite } from '../records/stored-records.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { newEpoch } from '../testing/redis/new-epoch.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { WorldStore } from './world-store.ts'

const FIRST: FirstState = {
  rows: Array.from({ length: 500 }, (_, id) => ({ id, record: { id, kind: `kind ${id % 7}` } })),
  removed: [{ id: 'gone\0\0', generation: 1 }],
  ids: 1,
  filters: ['kind'],
}
const WRITE: RecordWrite = {
  collection: 'pets@0',
  id: 7,
  version: '0',
  generation: 1,
  before: { id: 7, kind: 'kind 0' },
  after: undefined,
  filters: ['kind'],
  orders: [],
}

describe.skipIf(!findRedis())('an epoch that has ended', () => {
  let store: WorldStore
  let client: Redis
  beforeAll(async () => {
    const { address } = await startRedis()
    store = await openRedisStore(address)
    client = new Redis(address)
  })
  afterAll(async () => {
    client.disconnect()
    await store.close()
    await stopRedis()
  })

  it('leaves nothing but the marker of its journal for a while', async () => {
    const world = store.world('one')
    await world.begin(newEpoch('a'), undefined)
    await world.records('a').open('pets@0', FIRST)
    const commit = { epoch: 'a', records: [WRITE], exchange: { text: 'x', size: 9 } }
    await expect(world.commit(commit)).resolves.toMatchObject({ kind: 'done' })

    await world.records('b').open('pets@0', FIRST)
    await world.begin(newEpoch('b'), 'a')
    await expect(world.records('b').count('pets@0', {}, [])).resolves.toBe(500)
    await world.delete()

    await vi.waitFor(async () => {
      expect((await client.keys('*:{one}*')).toSorted()).toEqual([
        'pet-sandbox:1:{one}:a:journal',
        'pet-sandbox:1:{one}:b:journal',
      ])
    }, 20_000)
    // What follows a journal has seen its end by then.
    for (const epoch of ['a', 'b']) {
      const left = await client.pttl(`pet-sandbox:1:{one}:${epoch}:journal`)
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(10_000)
    }
  })

  it('leaves its journal to an epoch that goes on with it', async () => {
    const world = store.world('three')
    const record = (epoch: string) => world.commit({ epoch, exchange: { text: epoch, size: 9 } })
    await world.begin(newEpoch('a'), undefined)
    await record('a')
    await record('a')
    await world.begin(newEpoch('b', { keepsJournal: true }), 'a')
    await world.begin(newEpoch('c', { keepsJournal: true }), 'b')
    await record('c')

    await vi.waitFor(async () => {
      expect((await client.keys('*:{three}*')).toSorted()).toEqual([
        'pet-sandbox:1:{three}',
        'pet-sandbox:1:{three}:a:journal',
      ])
    }, 20_000)
    const kept = await world.journal.read(0, 9)
    const { last } = (await world.load()) ?? {}
    await world.begin(newEpoch('d'), 'c')

    expect(kept.map(({ id, text }) => [id, text])).toEqual([
      [1, 'a'],
      [2, 'a'],
      [3, 'c'],
    ])
    expect(last).toBe(3)
    await expect(world.journal.read(0, 9)).resolves.toEqual([])
    expect(await client.pttl('pet-sandbox:1:{three}:a:journal')).toBeGreaterThan(0)
  })

  it('is removed too when it never began', async () => {
    const world = store.world('two')
    await world.begin(newEpoch('a'), undefined)
    await world.records('never').open('pets@0', FIRST)
    await expect(world.load()).resolves.toMatchObject({ epoch: 'a' })
    expect(await client.exists('pet-sandbox:1:{two}:never:c:pets%400:r:7')).toBe(1)

    await client.zadd('pet-sandbox:1:{two}:pending', 0, 'never')
    await world.load()

    await vi.waitFor(async () => {
      expect(await client.keys('*:{two}:never*')).toEqual([])
    }, 20_000)
  })
})
