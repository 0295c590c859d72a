import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findRedis } from '../testing/redis/find-redis.ts'
import { newEpoch } from '../testing/redis/new-epoch.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredExchange, WorldStore } from './world-store.ts'

describe.skipIf(!findRedis())('following the journal of a world', () => {
  let redis: StartedRedis
  let store: WorldStore
  let other: WorldStore
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true })
    store = await openRedisStore(redis.address)
    other = await openRedisStore(redis.address)
  })
  afterAll(async () => {
    await Promise.all([store.close(), other.close()])
    await stopRedis()
  })

  async function record(world: string, epoch: string, text: string): Promise<void> {
    await store.world(world).commit({ epoch, exchange: { text, size: 100 } })
  }

  /** What is read on the same connection is read after the place where a follower begins. */
  async function hasBegunToFollow(world: string): Promise<void> {
    await other.world(world).journal.read(0, 1)
  }

  it('tells every follower the exchanges of another server from then on', async () => {
    await store.world('one').begin(newEpoch('a'), undefined)
    await record('one', 'a', 'before')
    const told: StoredExchange[][] = [[], []]
    const stops = told.map((list) => other.world('one').journal.follow((one) => list.push(one)))
    const read = await other.world('one').journal.read(0, 10)

    await record('one', 'a', 'after')
    await vi.waitFor(() => expect(told).toEqual([[AFTER], [AFTER]]), 20_000)
    stops[0]?.()
    await record('one', 'a', 'later')
    await vi.waitFor(() => expect(told[1]).toEqual([AFTER, { id: 3, text: 'later' }]), 20_000)
    stops[1]?.()

    expect(read).toEqual([{ id: 1, text: 'before' }])
    expect(told[0]).toEqual([AFTER])
  })

  it('goes on after resets and a deletion', async () => {
    const told: string[] = []
    const stop = other.world('two').journal.follow(({ text }) => told.push(text))
    await hasBegunToFollow('two')
    const world = store.world('two')
    await world.begin(newEpoch('a'), undefined)
    await record('two', 'a', 'first')
    await vi.waitFor(() => expect(told).toEqual(['first']), 20_000)

    await world.begin(newEpoch('b'), 'a')
    await record('two', 'b', 'second')
    await vi.waitFor(() => expect(told).toEqual(['first', 'second']), 20_000)
    await world.delete()
    await world.begin(newEpoch('c'), undefined)
    await record('two', 'c', 'third')
    await vi.waitFor(() => expect(told).toEqual(['first', 'second', 'third']), 20_000)

    stop()
  })

  it('goes on after the store was killed and started again', async () => {
    await store.world('three').begin(newEpoch('a'), undefined)
    const told: string[] = []
    const stop = other.world('three').journal.follow(({ text }) => told.push(text))
    await hasBegunToFollow('three')
    await record('three', 'a', 'first')
    await vi.waitFor(() => expect(told).toEqual(['first']), 20_000)

    await redis.kill()
    await redis.restart()
    await vi.waitFor(() => record('three', 'a', 'second'), 20_000)

    await vi.waitFor(() => expect(told).toEqual(['first', 'second']), 20_000)
    stop()
  })
})

const AFTER = { id: 2, text: 'after' }
